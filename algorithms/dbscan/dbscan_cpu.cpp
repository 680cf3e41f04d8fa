// CPU backend of DBSCAN: every pair of rows, O(n^2 d) time and O(n) memory (O(n d) for cosine and haversine).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "core/workspace.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_unit_vectors.hpp"
#include "dbscan/dbscan_values.hpp"
#include "dbscan/dbscan_weights.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr std::int32_t noise = -1;
/// Rows between two questions whether to stop.
constexpr std::int64_t rows_between_stops = 256;

/// n rows of d values that a search compares: those of X, or unit vectors.
template <typename V>
struct Rows {
  const V* data;
  std::int64_t n;
  int d;

  [[nodiscard]] const V* operator[](std::int64_t i) const { return data + i * d; }
};

template <typename T>
std::vector<double> unit_vectors(const MatrixView<const T>& X, DBSCANMetric metric, int d) {
  detail::require_workspace(X.device(), detail::checked_bytes(X.rows(), d, sizeof(double)), "DBSCAN: unit vectors");
  std::vector<double> result(static_cast<std::size_t>(X.rows() * d));
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    const T* row = X.data() + i * X.columns();
    double* out = result.data() + i * d;
    if (metric == DBSCANMetric::haversine)
      unit_vector_of_angles(double{row[0]}, double{row[1]}, out);
    else
      (void)unit_vector(row, d, out);
  }
  return result;
}

/// Calls search(rows of each matrix..., ball) with what the metric compares.
template <typename T, typename Search>
void search_rows(const MatrixView<const T>& X, const MatrixView<const T>& Y, const DBSCANOptions& options,
                 const Search& search) {
  const int columns = static_cast<int>(X.columns());
  if (options.metric != DBSCANMetric::cosine && options.metric != DBSCANMetric::haversine) {
    const Norm norm = options.metric == DBSCANMetric::euclidean   ? Norm::euclidean
                      : options.metric == DBSCANMetric::manhattan ? Norm::manhattan
                                                                  : Norm::chebyshev;
    search(Rows<T>{X.data(), X.rows(), columns}, Rows<T>{Y.data(), Y.rows(), columns},
           make_ball(norm, columns, options.eps));
    return;
  }
  const bool angles = options.metric == DBSCANMetric::haversine;
  const int d = angles ? 3 : columns;
  const std::vector<double> x = unit_vectors(X, options.metric, d);
  const std::vector<double> y = X.data() == Y.data() ? std::vector<double>() : unit_vectors(Y, options.metric, d);
  search(Rows<double>{x.data(), X.rows(), d}, Rows<double>{y.empty() ? x.data() : y.data(), Y.rows(), d},
         make_ball(Norm::euclidean, d, angles ? haversine_chord(options.eps) : cosine_chord(options.eps)));
}

/// Says of a neighbourhood whether it makes a row core: counts rows, or adds their weights.
class Counter {
 public:
  template <typename T>
  Counter(const std::optional<VectorView<const T>>& weights, std::int64_t min_samples) : min_samples_(min_samples) {
    if (!weights.has_value()) return;
    double largest = 0.0;
    for (std::int64_t i = 0; i < weights->size(); ++i) largest = std::fmax(largest, std::fabs(double{(*weights)[i]}));
    const int exponent = fixed_point::grid_exponent(std::ilogb(largest));
    threshold_ = core_threshold(min_samples, exponent);
    const double factor = fixed_point::grid_factor(exponent);
    words_.reserve(static_cast<std::size_t>(weights->size()));
    for (std::int64_t i = 0; i < weights->size(); ++i) words_.push_back(weight_words(double{(*weights)[i]}, factor));
  }

  template <typename V>
  [[nodiscard]] bool is_core(const Rows<V>& rows, std::int64_t i, const Ball& ball) const {
    if (words_.empty()) {
      std::int64_t count = 0;
      for (std::int64_t j = 0; j < rows.n && count < min_samples_; ++j) count += within(rows[i], rows[j], ball) ? 1 : 0;
      return count >= min_samples_;
    }
    fixed_point::Words sum{0, 0};
    for (std::int64_t j = 0; j < rows.n; ++j) {
      if (!within(rows[i], rows[j], ball)) continue;
      sum.high += words_[static_cast<std::size_t>(j)].high;
      sum.low += words_[static_cast<std::size_t>(j)].low;
    }
    return reaches(sum, threshold_);
  }

 private:
  std::int64_t min_samples_;
  std::vector<fixed_point::Words> words_;
  fixed_point::Words threshold_{0, 0};
};

/// Trees of rows whose root is the least of them.
class Components {
 public:
  explicit Components(std::int64_t n) : parents_(static_cast<std::size_t>(n)) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  std::int32_t root(std::int64_t i) {
    auto node = static_cast<std::int32_t>(i);
    while (parent(node) != node) node = parent(node) = parent(parent(node));
    return node;
  }

  void join(std::int64_t i, std::int64_t j) {
    const std::int32_t a = root(i);
    const std::int32_t b = root(j);
    parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& parent(std::int32_t i) { return parents_[static_cast<std::size_t>(i)]; }

  std::vector<std::int32_t> parents_;
};

template <typename T, typename V>
std::vector<std::int64_t> core_rows(const FitProblem<T>& problem, const Rows<V>& rows, const Ball& ball) {
  const Counter counter(problem.weights, problem.options.min_samples);
  std::vector<char> is_core(static_cast<std::size_t>(rows.n));
  for (std::int64_t begin = 0; begin < rows.n; begin += rows_between_stops) {
    if (problem.stop && problem.stop()) throw Cancelled("DBSCAN: the fit was stopped by the caller");
    const std::int64_t end = std::min(rows.n, begin + rows_between_stops);
#pragma omp parallel for num_threads(problem.X.device().threads()) schedule(static)
    for (std::int64_t i = begin; i < end; ++i)
      is_core[static_cast<std::size_t>(i)] = counter.is_core(rows, i, ball) ? 1 : 0;
  }
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < rows.n; ++i)
    if (is_core[static_cast<std::size_t>(i)] != 0) result.push_back(i);
  return result;
}

/// The cluster of every core row, in their order; clusters are numbered by their first core row.
template <typename V>
std::vector<std::int32_t> core_labels(const Rows<V>& rows, const std::vector<std::int64_t>& core, const Ball& ball,
                                      std::int32_t& n_clusters) {
  Components components(rows.n);
  for (std::size_t a = 0; a < core.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (components.root(core[a]) != components.root(core[b]) && within(rows[core[a]], rows[core[b]], ball))
        components.join(core[a], core[b]);
  std::vector<std::int32_t> number(static_cast<std::size_t>(rows.n));
  std::vector<std::int32_t> labels;
  for (const std::int64_t i : core) {
    const std::int32_t root = components.root(i);
    if (root == i) number[static_cast<std::size_t>(i)] = n_clusters++;
    labels.push_back(number[static_cast<std::size_t>(root)]);
  }
  return labels;
}

/// The least label of the core rows within eps of x, else noise.
template <typename V>
std::int32_t least_label(const V* x, const Rows<V>& core, const std::int32_t* labels, const Ball& ball) {
  std::int32_t best = noise;
  for (std::int64_t c = 0; c < core.n; ++c)
    if ((best == noise || labels[c] < best) && within(x, core[c], ball)) best = labels[c];
  return best;
}

template <typename T>
Vector<std::int32_t> predict(const PredictProblem<T>& problem) {
  throw_if_bad_values(problem.X, problem.options.metric);
  Vector<std::int32_t> labels(problem.X.rows(), problem.X.device());
  search_rows(problem.X, problem.components, problem.options,
              [&](const auto& rows, const auto& components, const Ball& ball) {
#pragma omp parallel for num_threads(problem.X.device().threads()) schedule(static)
                for (std::int64_t i = 0; i < rows.n; ++i)
                  labels.data()[i] = least_label(rows[i], components, problem.component_labels.data(), ball);
              });
  return labels;
}

template <typename V>
Vector<V> to_vector(const std::vector<V>& values, const Device& device) {
  Vector<V> result(static_cast<std::int64_t>(values.size()), device);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

template <typename T>
Matrix<T> gather(const MatrixView<const T>& X, const std::vector<std::int64_t>& rows) {
  Matrix<T> result(static_cast<std::int64_t>(rows.size()), X.columns(), X.device());
  T* out = result.data();
  for (const std::int64_t i : rows) out = std::copy_n(X.data() + i * X.columns(), X.columns(), out);
  return result;
}

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  const Device& device = problem.X.device();
  throw_if_bad_values(problem.X, problem.options.metric);
  if (problem.weights.has_value()) throw_if_bad_weights(*problem.weights);
  detail::require_workspace(device, problem.X.rows() * static_cast<std::int64_t>(sizeof(fixed_point::Words)),
                            "DBSCAN: weights and trees of rows");
  Model<T> model;
  std::vector<std::int64_t> core;
  std::vector<std::int32_t> labels;
  search_rows(problem.X, problem.X, problem.options, [&](const auto& rows, const auto& /*same*/, const Ball& ball) {
    core = core_rows(problem, rows, ball);
    labels = core_labels(rows, core, ball, model.n_clusters);
  });
  model.core_sample_indices = to_vector(core, device);
  model.components = gather(problem.X, core);
  model.component_labels = to_vector(labels, device);
  model.labels = predict<T>({problem.X, std::as_const(model.components).view(),
                             std::as_const(model.component_labels).view(), problem.options});
  return model;
}

template <typename T>
const Backend<T>& table() {
  static constexpr Backend<T> functions{fit<T>, predict<T>};
  return functions;
}

}  // namespace

template <>
const Backend<float>& backend<float>() {
  return table<float>();
}
template <>
const Backend<double>& backend<double>() {
  return table<double>();
}

}  // namespace tilelearn::dbscan::cpu
