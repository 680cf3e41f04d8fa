// DBSCAN on the CPU and on the GPU: fit, fit with the transfer of the data, predict. Rows spread over the data are
// checked against the definition by brute force before anything is timed.
//
// Rows are named WHAT/data:D/n:N/d:D/eps:E/min_samples:M/dtype:T/device:V, so --benchmark_filter='fit/.*device:cuda'
// picks some. The limit is reading X and writing the labels once.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <tilelearn/dbscan.hpp>

#include "dbscan/dbscan_within.hpp"
#include "support/kept_data.hpp"
#include "support/rows.hpp"
#include "support/timing.hpp"

namespace tilelearn::benchmarks {

namespace {

constexpr int runs = 3;
constexpr std::int32_t noise = -1;

struct Workload {
  DataSpec data;
  double eps;
  std::int64_t min_samples;

  [[nodiscard]] DBSCANOptions options() const { return {.eps = eps, .min_samples = min_samples}; }
};

/// What a row's neighbourhood says of it, found by looking at every row.
struct Neighbourhood {
  std::int64_t rows = 0;
  std::int32_t least_label = noise;  ///< of the core rows in it
  bool one_label = true;             ///< all core rows in it have the same
};

template <typename T>
Neighbourhood look_around(const Matrix<T>& X, std::int64_t row, const dbscan::Ball& ball,
                          const std::vector<std::int32_t>& labels, const std::vector<std::uint8_t>& is_core) {
  Neighbourhood found;
  const T* x = X.data() + row * X.columns();
#pragma omp parallel
  {
    Neighbourhood mine;
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < X.rows(); ++i) {
      if (!dbscan::within(x, X.data() + i * X.columns(), ball)) continue;
      ++mine.rows;
      const auto at = static_cast<std::size_t>(i);
      if (is_core[at] == 0) continue;
      mine.one_label = mine.one_label && (mine.least_label == noise || mine.least_label == labels[at]);
      mine.least_label = mine.least_label == noise ? labels[at] : std::min(mine.least_label, labels[at]);
    }
#pragma omp critical
    {
      found.one_label =
          found.one_label && mine.one_label &&
          (found.least_label == noise || mine.least_label == noise || found.least_label == mine.least_label);
      found.rows += mine.rows;
      if (found.least_label == noise || (mine.least_label != noise && mine.least_label < found.least_label))
        found.least_label = mine.least_label;
    }
  }
  return found;
}

/// What holds for the row at the end of a fit, or throws.
template <typename T>
void check_row(const Matrix<T>& X, std::int64_t row, const Workload& workload, const dbscan::Ball& ball,
               const std::vector<std::int32_t>& labels, const std::vector<std::uint8_t>& is_core) {
  const Neighbourhood found = look_around(X, row, ball, labels, is_core);
  const auto at = static_cast<std::size_t>(row);
  const auto fail = [row](const std::string& what) { throw Error("row " + std::to_string(row) + " " + what); };
  if ((found.rows >= workload.min_samples) != (is_core[at] != 0))
    fail("has " + std::to_string(found.rows) + " rows within eps, but is" + (is_core[at] != 0 ? "" : " not") + " core");
  if (is_core[at] != 0 && !found.one_label) fail("is core and reaches core rows of other clusters");
  if (labels[at] != found.least_label)
    fail("has label " + std::to_string(labels[at]) + ", must be " + std::to_string(found.least_label));
}

/// Checks rows spread over the data, as many as a few seconds allow.
template <typename T>
void check(const DBSCAN<T>& model, const Matrix<T>& X, const Workload& workload) {
  constexpr std::int64_t most_rows = 200;
  constexpr std::int64_t most_values = 4'000'000'000;
  const std::int64_t rows = std::clamp<std::int64_t>(most_values / (X.rows() * X.columns()), 1, most_rows);
  const std::vector<std::int32_t> labels = model.labels().to_std();
  std::vector<std::uint8_t> is_core(labels.size());
  for (const std::int64_t i : model.core_sample_indices().to_std()) is_core[static_cast<std::size_t>(i)] = 1;
  const dbscan::Ball ball = dbscan::make_ball(dbscan::Norm::euclidean, static_cast<int>(X.columns()),
                                              static_cast<double>(static_cast<T>(workload.eps)));
  const std::int64_t step = X.rows() / rows + 1;
  for (std::int64_t row = 0; row < X.rows(); row += step) check_row(X, row, workload, ball, labels, is_core);
}

template <typename T>
void report_clusters(benchmark::State& state, double seconds, const Workload& workload, const DBSCAN<T>& model,
                     const Device& device) {
  const auto n = static_cast<double>(workload.data.n);
  const double bytes = n * static_cast<double>(workload.data.d) * sizeof(T) + n * sizeof(std::int32_t);
  report(state, seconds, {bytes, 0.0, 0.0}, device);
  const std::vector<std::int32_t> labels = model.labels().to_std();
  state.counters["n_clusters"] = model.n_clusters();
  state.counters["noise"] = static_cast<double>(std::count(labels.begin(), labels.end(), noise)) / n;
  state.counters["rows/s"] = n / seconds;
}

template <typename T>
DBSCAN<T> checked_fit(const KeptData<T>& data, const Workload& workload) {
  DBSCAN<T> model(workload.options());
  model.fit(data.X);
  check(model, data.host, workload);
  return model;
}

template <typename T>
void fit(benchmark::State& state, const Workload& workload, const Device& device) {
  const KeptData<T>& data = kept_data<T>(workload.data, device);
  DBSCAN<T> model = checked_fit(data, workload);
  const double time = best_seconds(device, runs, [&] { model.fit(data.X); });
  report_clusters(state, time, workload, model, device);
}

/// From a matrix in CPU memory to labels in CPU memory.
template <typename T>
void fit_and_transfer(benchmark::State& state, const Workload& workload, const Device& device) {
  const KeptData<T>& data = kept_data<T>(workload.data, device);
  DBSCAN<T> model = checked_fit(data, workload);
  const double time = best_seconds(device, runs, [&] {
    model.fit(data.host.to(device));
    static_cast<void>(model.labels().to(Device::cpu()));
  });
  report_clusters(state, time, workload, model, device);
}

/// The rows of the fit, as if they were new.
template <typename T>
void predict(benchmark::State& state, const Workload& workload, const Device& device) {
  const KeptData<T>& data = kept_data<T>(workload.data, device);
  DBSCAN<T> model(workload.options());
  model.fit(data.X);
  if (model.predict(data.X).to_std() != model.labels().to_std()) throw Error("predict differs from the labels");
  const double time = best_seconds(device, runs, [&] { static_cast<void>(model.predict(data.X)); });
  report_clusters(state, time, workload, model, device);
}

template <typename T>
std::string row_name(const std::string& what, const Workload& workload, const Device& device) {
  std::ostringstream name;
  name << what << "/data:" << workload.data.generator << "/n:" << workload.data.n << "/d:" << workload.data.d
       << "/eps:" << workload.eps << "/min_samples:" << workload.min_samples
       << "/dtype:" << (sizeof(T) == sizeof(float) ? "float32" : "float64")
       << "/device:" << (device.is_cpu() ? "cpu" : "cuda");
  return name.str();
}

template <typename T, typename Measure>
void add(const std::string& what, const Workload& workload, const Device& device, Measure measure) {
  add_row(row_name<T>(what, workload, device), [=](benchmark::State& state) { measure(state, workload, device); });
}

template <typename T>
void add_all_of(const Workload& workload, const Device& device) {
  add<T>("fit", workload, device, fit<T>);
  if (device.is_cuda()) add<T>("fit_and_transfer", workload, device, fit_and_transfer<T>);
  add<T>("predict", workload, device, predict<T>);
}

Workload uniform(std::int64_t n, std::int64_t d, double eps) { return {{"uniform", n, d}, eps, 5}; }
Workload normal(std::int64_t n, std::int64_t d, double eps) { return {{"normal", n, d}, eps, 10}; }
/// 100 blobs of standard deviation 0.3.
Workload flat_blobs(std::int64_t n, std::int64_t d, double eps) { return {{"blobs", n, d, 100, 0.3}, eps, 10}; }
/// 50 blobs of standard deviation 0.5.
Workload deep_blobs(std::int64_t n, std::int64_t d, double eps) { return {{"blobs", n, d, 50, 0.5}, eps, 10}; }

/// Sizes that both devices run, then those for a GPU alone. Uniform rows of 1e5, 1e7 and 1e8 have one density.
void add_all(const Device& device) {
  const std::vector<Workload> shared = {
      flat_blobs(200'000, 2, 0.05),
      uniform(100'000, 3, 0.02),
      uniform(200'000, 3, 0.02),
      normal(100'000, 4, 0.2),
      normal(50'000, 8, 1.0),
      normal(50'000, 16, 2.0),
      deep_blobs(50'000, 16, 2.5),
      flat_blobs(1'000'000, 2, 0.02),
      flat_blobs(1'000'000, 3, 0.08),
      {{"varied", 1'000'000, 2, 100, 0.3}, 0.01, 10},
      {{"roads", 1'000'000, 2, 50}, 0.005, 10},
      {{"blobs", 150, 4, 3, 0.3}, 0.5, 5},
  };
  const std::vector<Workload> large = {
      flat_blobs(10'000'000, 2, 0.0064), flat_blobs(10'000'000, 3, 0.037), uniform(10'000'000, 3, 0.00431),
      uniform(100'000'000, 3, 0.002),    deep_blobs(1'000'000, 16, 2.5),   deep_blobs(200'000, 128, 9.0),
  };
  for (const Workload& workload : shared) add_all_of<float>(workload, device);
  add_all_of<double>(shared[0], device);
  add_all_of<double>(shared[5], device);
  if (device.is_cpu()) return;
  for (const Workload& workload : large) add_all_of<float>(workload, device);
}

const bool registered = [] {
  add_all(Device::cpu());
  if (Device::cuda_device_count() > 0) add_all(Device::cuda());
  return true;
}();

}  // namespace

}  // namespace tilelearn::benchmarks
