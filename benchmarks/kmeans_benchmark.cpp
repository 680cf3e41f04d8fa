// k-means on the CPU and on the GPU: one Lloyd iteration, ten iterations, ten with the transfer of the data, the choice
// of the first centres, predict. Labels are checked against the float64 definition before anything is timed.
//
// Rows are named WHAT/data:D/n:N/d:D/k:K/dtype:T/device:V, so --benchmark_filter='iteration.*device:cuda' picks some.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tilelearn/kmeans.hpp>

#include "support/kept_data.hpp"
#include "support/rows.hpp"
#include "support/timing.hpp"

namespace tilelearn::benchmarks {

namespace {

constexpr int runs = 3;
constexpr std::int64_t checked_rows = 1000;

struct Workload {
  DataSpec data;
  std::int32_t k;

  [[nodiscard]] double size() const { return static_cast<double>(data.n) * static_cast<double>(data.d); }
};

/// The arrays of one workload on one device; the first centres are the first k rows.
template <typename T>
struct Arrays {
  const Matrix<T>& host;
  const Matrix<T>& X;
  Matrix<T> init;
};

template <typename T>
Arrays<T> arrays(const Workload& workload, const Device& device) {
  const KeptData<T>& data = kept_data<T>(workload.data, device);
  return {data.host, data.X, copy_to(MatrixView<const T>(data.host.data(), workload.k, workload.data.d), device)};
}

KMeansOptions options_for(const Workload& workload, std::int32_t max_iter) {
  return {.n_clusters = workload.k, .n_init = 1, .max_iter = max_iter, .tol = 0.0};
}

template <typename T>
KMeans<T> fit_from(const Workload& workload, const MatrixView<const T>& X, const Matrix<T>& init,
                   std::int32_t max_iter) {
  KMeans<T> model(options_for(workload, max_iter));
  model.fit(X, {.init_centers = init.view()});
  return model;
}

/// The definition: argmin of the direct form in float64.
template <typename T>
std::int32_t nearest(const Matrix<T>& X, std::int64_t row, const Matrix<T>& centers) {
  std::int32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t c = 0; c < centers.rows(); ++c) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < X.columns(); ++j) {
      const double t = static_cast<double>(X(row, j)) - static_cast<double>(centers(c, j));
      sum = std::fma(t, t, sum);
    }
    if (sum < least) {
      least = sum;
      best = static_cast<std::int32_t>(c);
    }
  }
  return best;
}

/// Throws unless the labels of rows spread over the data are those of the definition.
template <typename T>
void check(const KMeans<T>& model, const Matrix<T>& X) {
  const std::vector<std::int32_t> labels = model.labels().to_std();
  const Matrix<T> centers = model.cluster_centers().to(Device::cpu());
  const std::int64_t step = X.rows() / checked_rows + 1;
  for (std::int64_t row = 0; row < X.rows(); row += step) {
    const std::int32_t expected = nearest(X, row, centers);
    if (labels[static_cast<std::size_t>(row)] != expected)
      throw Error("row " + std::to_string(row) + " has label " + std::to_string(labels[static_cast<std::size_t>(row)]) +
                  ", nearest is centre " + std::to_string(expected));
  }
  if (!std::isfinite(model.inertia())) throw Error("inertia is not finite");
}

/// An iteration reads X once, multiplies it with k centres and compares n k scores.
template <typename T>
Work iteration_work(const Workload& workload, double iterations) {
  const double scores = static_cast<double>(workload.data.n) * workload.k;
  return {iterations * workload.size() * sizeof(T), iterations * 2.0 * scores * static_cast<double>(workload.data.d),
          iterations * scores};
}

/// (fit of 12 iterations - fit of 2) / 10: what an iteration costs, without what a fit costs once.
template <typename T>
void lloyd_iteration(benchmark::State& state, const Workload& workload, const Device& device) {
  constexpr std::int32_t few = 2;
  constexpr std::int32_t many = 12;
  const Arrays<T> data = arrays<T>(workload, device);
  const KMeans<T> model = fit_from<T>(workload, data.X, data.init, many);
  if (model.n_iter() != many) throw Error("ended after " + std::to_string(model.n_iter()) + " iterations");
  check(model, data.host);
  const double long_fit = best_seconds(device, runs, [&] { fit_from<T>(workload, data.X, data.init, many); });
  const double short_fit = best_seconds(device, runs, [&] { fit_from<T>(workload, data.X, data.init, few); });
  report(state, (long_fit - short_fit) / (many - few), iteration_work<T>(workload, 1.0), device);
  state.counters["inertia"] = model.inertia();
}

constexpr std::int32_t ten = 10;

template <typename T>
void ten_iterations(benchmark::State& state, const Workload& workload, const Device& device) {
  const Arrays<T> data = arrays<T>(workload, device);
  const KMeans<T> model = fit_from<T>(workload, data.X, data.init, ten);
  check(model, data.host);
  const double time = best_seconds(device, runs, [&] { fit_from<T>(workload, data.X, data.init, ten); });
  report(state, time, iteration_work<T>(workload, ten), device);
  state.counters["inertia"] = model.inertia();
}

/// From a matrix in CPU memory to labels in CPU memory.
template <typename T>
void ten_iterations_and_transfer(benchmark::State& state, const Workload& workload, const Device& device) {
  const Arrays<T> data = arrays<T>(workload, device);
  double inertia = 0.0;
  const double time = best_seconds(device, runs, [&] {
    const Matrix<T> X = data.host.to(device);
    const KMeans<T> model = fit_from<T>(workload, X, data.init, ten);
    static_cast<void>(model.labels().to(Device::cpu()));
    inertia = model.inertia();
  });
  report(state, time, iteration_work<T>(workload, ten), device);
  state.counters["inertia"] = inertia;
}

/// Fit of one iteration - the same from given centres: what the choice of the first centres costs.
template <typename T>
void initialization(benchmark::State& state, const Workload& workload, const Device& device, KMeansInit init) {
  const Arrays<T> data = arrays<T>(workload, device);
  KMeansOptions options = options_for(workload, 1);
  options.init = init;
  KMeans<T> model(options);
  model.fit(data.X);
  check(model, data.host);
  const double chosen = best_seconds(device, runs, [&] { model.fit(data.X); });
  const double given = best_seconds(device, runs, [&] { fit_from<T>(workload, data.X, data.init, 1); });
  report(state, chosen - given, iteration_work<T>(workload, 1.0), device);
  state.counters["inertia"] = model.inertia();
}

template <typename T>
void predict(benchmark::State& state, const Workload& workload, const Device& device) {
  const Arrays<T> data = arrays<T>(workload, device);
  const KMeans<T> model = fit_from<T>(workload, data.X, data.init, 1);
  check(model, data.host);
  const double time = best_seconds(device, runs, [&] { static_cast<void>(model.predict(data.X)); });
  report(state, time, iteration_work<T>(workload, 1.0), device);
}

/// A warm fit with the defaults, initialisation included.
template <typename T>
void whole_fit(benchmark::State& state, const Workload& workload, const Device& device) {
  constexpr int many_runs = 50;
  const Arrays<T> data = arrays<T>(workload, device);
  KMeans<T> model({.n_clusters = workload.k, .seed = 1});
  model.fit(data.X);
  check(model, data.host);
  const double time = best_seconds(device, many_runs, [&] { model.fit(data.X); });
  report(state, time, iteration_work<T>(workload, model.n_iter()), device);
  state.counters["inertia"] = model.inertia();
  state.counters["n_iter"] = model.n_iter();
}

template <typename T>
std::string row_name(const std::string& what, const Workload& workload, const Device& device) {
  return what + "/data:" + workload.data.generator + "/n:" + std::to_string(workload.data.n) +
         "/d:" + std::to_string(workload.data.d) + "/k:" + std::to_string(workload.k) +
         "/dtype:" + (sizeof(T) == sizeof(float) ? "float32" : "float64") +
         "/device:" + (device.is_cpu() ? "cpu" : "cuda");
}

template <typename T, typename Measure, typename... Arguments>
void add(const std::string& what, const Workload& workload, const Device& device, Measure measure,
         Arguments... arguments) {
  add_row(row_name<T>(what, workload, device),
          [=](benchmark::State& state) { measure(state, workload, device, arguments...); });
}

template <typename T>
void add_fits(const Workload& workload, const Device& device) {
  add<T>("iteration", workload, device, lloyd_iteration<T>);
  add<T>("ten_iterations", workload, device, ten_iterations<T>);
  if (device.is_cuda()) add<T>("ten_iterations_and_transfer", workload, device, ten_iterations_and_transfer<T>);
  add<T>("predict", workload, device, predict<T>);
}

Workload normal(std::int64_t n, std::int64_t d, std::int32_t k) { return {{"normal", n, d}, k}; }
Workload blobs(std::int64_t n, std::int64_t d, std::int32_t k) { return {{"blobs", n, d, k}, k}; }

/// Sizes that both devices run, then those for a GPU alone.
void add_all(const Device& device) {
  const std::vector<Workload> shared = {normal(200'000, 16, 64), normal(100'000, 64, 256), normal(1'000'000, 4, 16),
                                        normal(100'000, 128, 1000)};
  const std::vector<Workload> large = {normal(1'000'000, 64, 256),   normal(1'000'000, 8, 16),
                                       normal(1'000'000, 128, 1000), normal(1'000'000, 784, 10),
                                       normal(10'000'000, 64, 256),  normal(100'000'000, 3, 100),
                                       normal(1'000'000, 768, 4096)};
  for (const Workload& workload : shared) add_fits<float>(workload, device);
  add_fits<double>(shared[1], device);
  add<float>("whole_fit", blobs(150, 4, 3), device, whole_fit<float>);
  add<float>("init_k_means_plus_plus", blobs(100'000, 16, 64), device, initialization<float>,
             KMeansInit::k_means_plus_plus);
  add<float>("init_k_means_parallel", blobs(100'000, 16, 64), device, initialization<float>,
             KMeansInit::k_means_parallel);
  if (device.is_cpu()) return;
  for (const Workload& workload : large) add_fits<float>(workload, device);
  const Workload many_clusters = blobs(1'000'000, 128, 1000);
  add<float>("init_k_means_plus_plus", many_clusters, device, initialization<float>, KMeansInit::k_means_plus_plus);
  add<float>("init_k_means_parallel", many_clusters, device, initialization<float>, KMeansInit::k_means_parallel);
}

const bool registered = [] {
  add_all(Device::cpu());
  if (Device::cuda_device_count() > 0) add_all(Device::cuda());
  return true;
}();

}  // namespace

}  // namespace tilelearn::benchmarks
