// CUDA backend of DBSCAN: checks values, brings the metric to a norm, chooses the regime.
#include <optional>
#include <utility>

#include "dbscan/dbscan_rows.cuh"
#include "dbscan/dbscan_tiles.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::CurrentDevice;

namespace {

/// Rows in the form in which they are searched.
template <typename S>
struct SearchRows {
  const S* data;
  std::int64_t n;
  int d;
};

/// Calls search(rows, extremes) with the rows that a metric compares: those of X, or unit vectors in float64.
template <typename T, typename Call>
void with_rows(const MatrixView<const T>& X, DBSCANMetric metric, const Call& search) {
  const Extremes extremes = check_values(X, metric);
  if (!uses_unit_vectors(metric)) {
    search(SearchRows<T>{X.data(), X.rows(), static_cast<int>(X.columns())}, extremes);
    return;
  }
  const int d = compared_columns(metric, X.columns());
  const Buffer<double> vectors(X.device(), X.rows() * d);
  make_unit_vectors(X, metric, vectors.data());
  const MatrixView<const double> view(vectors.data(), X.rows(), d, X.device());
  search(SearchRows<double>{vectors.data(), X.rows(), d}, check_values(view, DBSCANMetric::euclidean));
}

void ask(const std::function<bool()>& stop) {
  if (stop && stop()) throw Cancelled("DBSCAN: the fit was stopped by the caller");
}

template <typename S>
void cluster(const Search<S>& search, const Extremes& extremes, std::int32_t* labels, RankedBits& clusters,
             const Device& device) {
  if (const auto shape = Grid<S>::shape(search, extremes))
    Grid<S>(search, *shape, device).cluster(labels, clusters);
  else
    cluster_by_tiles(search, labels, clusters, device);
}

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  const Device& device = problem.X.device();
  const CurrentDevice current(device.index());
  ask(problem.stop);
  std::optional<WeightWords> weights;
  if (problem.weights) weights.emplace(*problem.weights, problem.options.min_samples);
  Vector<std::int32_t> labels(problem.X.rows(), device);
  std::int32_t n_clusters = 0;
  with_rows(problem.X, problem.options.metric, [&](const auto& rows, const Extremes& extremes) {
    RankedBits clusters(rows.n, device);
    Search<std::remove_const_t<std::remove_pointer_t<decltype(rows.data)>>> search{
        rows.data, rows.n, ball_of(problem.options, rows.d), problem.options.min_samples};
    if (weights) {
      search.weights = weights->words.data();
      search.threshold = weights->threshold;
      search.stops_early = !weights->any_negative;
    }
    cluster(search, extremes, labels.data(), clusters, device);
    ask(problem.stop);
    n_clusters = clusters.count();
  });
  return finish_model(problem.X, std::move(labels), n_clusters);
}

template <typename S>
void label_queries(const Search<S>& components, const Extremes& extremes, const std::int32_t* component_labels,
                   const SearchRows<S>& queries, std::int32_t* labels, const Device& device) {
  if (const auto shape = Grid<S>::shape(components, extremes))
    Grid<S>(components, *shape, device).query(component_labels, queries.data, queries.n, labels);
  else
    label_by_tiles(components, component_labels, queries.data, queries.n, labels, device);
}

template <typename T>
Vector<std::int32_t> predict(const PredictProblem<T>& problem) {
  const Device& device = problem.X.device();
  const CurrentDevice current(device.index());
  const DBSCANMetric metric = problem.options.metric;
  Vector<std::int32_t> labels(problem.X.rows(), device);
  with_rows(problem.X, metric, [&](const auto& queries, const Extremes&) {
    using S = std::remove_const_t<std::remove_pointer_t<decltype(queries.data)>>;
    if (problem.components.rows() == 0) {  // every row is noise: -1 is all bits
      tilelearn::cuda::check(
          cudaMemsetAsync(labels.data(), 0xFF, static_cast<std::size_t>(queries.n) * sizeof noise, device.stream()));
      return;
    }
    with_rows(problem.components, metric, [&](const auto& rows, const Extremes& extremes) {
      if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, SearchRows<S>>)
        label_queries(Search<S>{rows.data, rows.n, ball_of(problem.options, rows.d), 1}, extremes,
                      problem.component_labels.data(), queries, labels.data(), device);
    });
  });
  device.synchronize();
  return labels;
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

}  // namespace tilelearn::dbscan::cuda
