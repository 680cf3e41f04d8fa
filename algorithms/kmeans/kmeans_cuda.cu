// CUDA backend of k-means: checks values, runs the starts, keeps the best model.
#include <cmath>
#include <string>
#include <utility>

#include "core/text.hpp"
#include "kmeans/kmeans_init.cuh"
#include "kmeans/kmeans_lloyd.cuh"
#include "kmeans/kmeans_warnings.hpp"

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::CurrentDevice;

namespace {

template <typename T>
Rows<T> make_rows(const MatrixView<const T>& X, const Weights& weights, double scale) {
  return {X.data(), X.rows(), static_cast<int>(X.columns()), weights.data(), scale};
}

/// Labels of all rows for these centres, by the scale of all rows and the centres.
template <typename T>
Vector<std::int32_t> predict_rows(const MatrixView<const T>& X, const MatrixView<const T>& centers,
                                  const Statistics& statistics) {
  Vector<std::int32_t> labels(X.rows(), X.device());
  const Rows<T> rows = make_rows(X, Weights{}, statistics.data_scale);
  Assigner<T>(rows, centers.rows(), statistics, X.device()).assign(centers.data(), centers.rows(), labels.data());
  return labels;
}

/// tree_sum of w d2 for labels that are there.
template <typename T>
double labelled_inertia(const Rows<T>& rows, const std::optional<VectorView<const T>>& given, const T* centers,
                        const std::int32_t* labels, const Device& device) {
  Buffer<double> values(device, rows.n);
  inertia_terms(rows, given ? given->data() : nullptr, centers, labels, values.data(), device.stream());
  tree_sum(values.data(), rows.n, 1, device);
  double inertia = 0.0;
  device.impl().copy_to_host(&inertia, values.data(), sizeof inertia);
  return inertia;
}

/// Mean over the columns of the variance, in units of 1 / s^2.
double mean_variance(const Statistics& statistics) {
  double sum = 0.0;
  for (const double variance : statistics.variance) sum += variance;
  return sum / static_cast<double>(statistics.variance.size());
}

template <typename T>
Model<T> fit_start(const FitProblem<T>& problem, const Weights& weights, const Statistics& statistics,
                   std::int32_t start) {
  const Device& device = problem.X.device();
  const Rows<T> rows = make_rows(problem.X, weights, statistics.data_scale);
  Lloyd<T> lloyd(problem, rows, statistics, problem.options.tol * mean_variance(statistics));
  if (problem.init) {
    tilelearn::cuda::check(cudaMemcpyAsync(lloyd.centers(), problem.init->data(),
                                           static_cast<std::size_t>(problem.init->rows() * rows.d) * sizeof(T),
                                           cudaMemcpyDeviceToDevice, device.stream()));
  } else {
    first_centers(rows, problem.options, start, statistics, problem.stop, device, lloyd.centers());
  }
  lloyd.run(start);
  Model<T> model;
  model.n_iter = lloyd.state().iteration;
  model.converged = lloyd.state().status == LoopStatus::converged;
  model.centers = lloyd.take_centers();
  const MatrixView<const T> centers = std::as_const(model.centers).view();
  // Float data have the scale 1 in every call. For double data predict's scale is that of all rows and the centres.
  const bool same_scale = sizeof(T) == sizeof(float) || (statistics.data_scale == 1.0 && !weights.given());
  Statistics own = statistics;
  if (!same_scale) own = column_statistics(problem.X, Weights{}, &centers, "KMeans::fit");
  model.labels = lloyd.state().strict != 0 && same_scale ? lloyd.take_labels() : predict_rows(problem.X, centers, own);
  const double scale =
      same_scale ? statistics.data_scale : column_statistics(problem.X, weights, &centers, "KMeans::fit").data_scale;
  model.inertia = labelled_inertia(make_rows(problem.X, weights, scale), problem.weights, model.centers.data(),
                                   model.labels.data(), device);
  return model;
}

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  const CurrentDevice current(problem.X.device().index());
  const Weights weights = make_weights(problem.weights, problem.X.rows(), problem.X.device());
  if (weights.positive_rows < problem.options.n_clusters)
    throw InvalidArgument("KMeans: n_clusters is " + std::to_string(problem.options.n_clusters) + ", but X has only " +
                          detail::count_text(weights.positive_rows, "row") + " of positive weight");
  if (problem.init)
    (void)column_statistics(*problem.init, Weights{}, static_cast<const MatrixView<const T>*>(nullptr),
                            "KMeans::fit, init_centers");
  const MatrixView<const T>* init = problem.init ? &*problem.init : nullptr;
  const Statistics statistics = column_statistics(problem.X, weights, init, "KMeans::fit");
  Model<T> best;
  for (std::int32_t start = 0; start < problem.options.n_init; ++start) {
    Model<T> model = fit_start(problem, weights, statistics, start);
    if (start == 0 || model.inertia < best.inertia) best = std::move(model);
  }
  warn_of_few_distinct_rows(best);
  return best;
}

template <typename T>
Vector<std::int32_t> predict(const MatrixView<const T>& X, const MatrixView<const T>& centers) {
  const CurrentDevice current(X.device().index());
  const Statistics statistics = column_statistics(X, Weights{}, &centers, "KMeans::predict");
  Vector<std::int32_t> labels = predict_rows(X, centers, statistics);
  X.device().synchronize();
  return labels;
}

template <typename T>
Matrix<T> transform(const MatrixView<const T>& X, const MatrixView<const T>& centers) {
  const CurrentDevice current(X.device().index());
  const Statistics statistics = column_statistics(X, Weights{}, &centers, "KMeans::transform");
  Matrix<T> distances(X.rows(), centers.rows(), X.device());
  all_distances(make_rows(X, Weights{}, statistics.data_scale), centers.data(), centers.rows(), distances.data(),
                X.device().stream());
  X.device().synchronize();
  return distances;
}

template <typename T>
double inertia(const MatrixView<const T>& X, const MatrixView<const T>& centers,
               const std::optional<VectorView<const T>>& given) {
  const CurrentDevice current(X.device().index());
  const Weights weights = make_weights(given, X.rows(), X.device());
  const Statistics statistics = column_statistics(X, Weights{}, &centers, "KMeans::score");
  const Vector<std::int32_t> labels = predict_rows(X, centers, statistics);
  const double scale = sizeof(T) == sizeof(float) || !weights.given()
                           ? statistics.data_scale
                           : column_statistics(X, weights, &centers, "KMeans::score").data_scale;
  return labelled_inertia(make_rows(X, weights, scale), given, centers.data(), labels.data(), X.device());
}

template <typename T>
const Backend<T>& table() {
  static constexpr Backend<T> functions{fit<T>, predict<T>, transform<T>, inertia<T>};
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

}  // namespace tilelearn::kmeans::cuda
