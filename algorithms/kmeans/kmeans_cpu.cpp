// CPU backend of k-means: checks values, runs the starts, keeps the best model.
#include <cmath>
#include <string>
#include <utility>

#include <omp.h>

#include "core/text.hpp"
#include "kmeans/kmeans_backend.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_cpu_lloyd.hpp"
#include "kmeans/kmeans_cpu_statistics.hpp"
#include "kmeans/kmeans_warnings.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  Workspace workspace(problem.X.device());
  Fit<T> fit{problem, all_rows(problem.X), {}, 0.0, 0.0, 0.0};
  fit.largest_row = check_finite(problem.X, "X", fit.rows.threads);
  fit.weights = check_weights(problem.weights, fit.rows.n, workspace);
  if (fit.weights.positive < problem.options.n_clusters)
    throw InvalidArgument("KMeans: n_clusters is " + std::to_string(problem.options.n_clusters) + ", but X has only " +
                          detail::count_text(fit.weights.positive, "row") + " of positive weight");
  fit.rows.weights = fit.weights.normalized;
  fit.largest = largest_weighted(fit.rows, fit.largest_row);
  if (problem.init.has_value())
    fit.largest = std::max(fit.largest, check_finite(*problem.init, "init_centers", fit.rows.threads));
  fit.rows.scale = data_scale<T>(fit.largest);
  const ColumnStatistics columns = column_statistics(fit.rows, fit.weights.positive);
  fit.tolerance = problem.options.tol * columns.mean_variance();
  Model<T> best;
  for (std::int32_t number = 0; number < problem.options.n_init; ++number) {
    Model<T> model = run_start(fit, columns, number, workspace);
    if (number == 0 || model.inertia < best.inertia) best = std::move(model);
  }
  warn_of_few_distinct_rows(best);
  return best;
}

template <typename T>
Vector<std::int32_t> predict(const MatrixView<const T>& X, const MatrixView<const T>& centers) {
  const double largest = check_finite(X, "X", X.device().threads());
  Vector<std::int32_t> labels(X.rows(), X.device());
  predict_rows(X, largest, centers, Workspace(X.device()), labels.data());
  return labels;
}

template <typename T>
Matrix<T> transform(const MatrixView<const T>& X, const MatrixView<const T>& centers) {
  Rows<T> rows = all_rows(X);
  rows.scale =
      data_scale<T>(std::max(check_finite(X, "X", rows.threads), check_finite(centers, "a centre", rows.threads)));
  const std::int64_t k = centers.rows();
  Workspace workspace(X.device());
  auto* lanes = workspace.take<double>(rows.threads * rows.d * exact_lanes, "float64 rows");
  auto* squares = workspace.take<double>(rows.threads * k * exact_lanes, "squared distances");
  auto* scaled = workspace.take<double>(k * rows.d, "float64 centres");
  for (std::int64_t i = 0; i < k * rows.d; ++i) scaled[i] = static_cast<double>(centers.data()[i]) * rows.scale;
  Matrix<T> result(X.rows(), k, X.device());
#pragma omp parallel for num_threads(rows.threads_for(k* rows.d)) schedule(static)
  for (std::int64_t group = 0; group < (rows.n + exact_lanes - 1) / exact_lanes; ++group) {
    double* my_lanes = lanes + omp_get_thread_num() * rows.d * exact_lanes;
    double* my_squares = squares + omp_get_thread_num() * k * exact_lanes;
    const std::int64_t first = group * exact_lanes;
    const int here = static_cast<int>(std::min<std::int64_t>(exact_lanes, rows.n - first));
    const T* group_rows[exact_lanes];
    for (int l = 0; l < here; ++l) group_rows[l] = rows.row(first + l);
    exact_loops<T>().transpose(group_rows, here, rows.d, rows.scale, my_lanes);
    loops().squares(my_lanes, rows.d, scaled, k, my_squares);
    for (int l = 0; l < here; ++l)
      for (std::int64_t c = 0; c < k; ++c)
        result.data()[(first + l) * k + c] = static_cast<T>(std::sqrt(my_squares[c * exact_lanes + l]) / rows.scale);
  }
  return result;
}

template <typename T>
double inertia(const MatrixView<const T>& X, const MatrixView<const T>& centers,
               const std::optional<VectorView<const T>>& weights) {
  Workspace workspace(X.device());
  Rows<T> rows = all_rows(X);
  const double largest_row = check_finite(X, "X", rows.threads);
  const Weights checked = check_weights(weights, rows.n, workspace);
  auto* labels = workspace.take<std::int32_t>(rows.n, "labels");
  predict_rows(X, largest_row, centers, workspace, labels);
  rows.weights = checked.normalized;
  rows.scale =
      data_scale<T>(std::max(largest_weighted(rows, largest_row), check_finite(centers, "a centre", rows.threads)));
  return labelled_inertia(rows, checked.exponent, centers.data(), labels, workspace);
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

}  // namespace tilelearn::kmeans::cpu
