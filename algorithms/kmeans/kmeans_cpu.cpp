// CPU backend of k-means: checks values, runs the starts, keeps the best model.
#include <cmath>
#include <string>
#include <utility>

#include <omp.h>

#include "kmeans/kmeans_backend.hpp"
#include "kmeans/kmeans_cpu_assign.hpp"
#include "kmeans/kmeans_cpu_init.hpp"
#include "kmeans/kmeans_cpu_statistics.hpp"
#include "kmeans/kmeans_cpu_update.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

template <typename T>
Rows<T> all_rows(const MatrixView<const T>& X) {
  return {X.data(), X.rows(), X.columns(), nullptr, 1.0, X.device().threads()};
}

/// Labels of all rows as predict gives them: the scale is that of all rows and these centres.
template <typename T>
void predict_rows(const MatrixView<const T>& X, double largest_row, const MatrixView<const T>& centers,
                  std::int32_t* labels) {
  Workspace workspace(X.device());
  Rows<T> rows = all_rows(X);
  const double largest = std::max(largest_row, check_finite(centers, "a centre", rows.threads));
  rows.scale = data_scale<T>(largest);
  Assigner<T> assigner(centers.rows(), rows.d, rows.scale, largest, rows.threads, workspace);
  assigner.set_centers(centers.data(), centers.rows());
  assign_rows(rows, assigner, labels);
}

/// What all starts of a fit share.
template <typename T>
struct Fit {
  const FitProblem<T>& problem;
  Rows<T> rows;
  Weights weights;
  double largest_row;  ///< of all rows
  double largest;      ///< of the rows of positive weight and the given centres
  double tolerance;    ///< of the sum of squared centre shifts, in units of 1 / s^2
};

/// One start: its centres and how Lloyd's iterations ended.
template <typename T>
class Start {
 public:
  Start(const Fit<T>& fit, const ColumnStatistics& columns, std::int32_t number)
      : fit_(fit),
        number_(number),
        workspace_(fit.problem.X.device()),
        k_(fit.problem.options.n_clusters),
        assigner_(k_, fit.rows.d, fit.rows.scale, fit.largest, fit.rows.threads, workspace_),
        sums_(fit.rows, k_, columns, workspace_),
        labels_(workspace_.take<std::int32_t>(fit.rows.n, "labels")),
        distances_(workspace_.take<double>(std::max<std::int64_t>(fit.rows.n, k_), "squared distances")),
        centers_(k_, fit.rows.d, fit.problem.X.device()),
        next_(k_, fit.rows.d, fit.problem.X.device()) {
    std::fill_n(labels_, fit.rows.n, -1);
  }

  Model<T> run() {
    choose_first_centers();
    Model<T> model;
    for (std::int32_t iteration = 0; iteration < fit_.problem.options.max_iter && !model.converged; ++iteration) {
      check_stop(fit_.problem.stop);
      const bool settled = iterate();
      model.n_iter = iteration + 1;
      model.converged = settled || shift_ <= fit_.tolerance;
      report(model.n_iter);
    }
    return finish(std::move(model));
  }

 private:
  void choose_first_centers() {
    if (fit_.problem.init.has_value())
      std::copy_n(fit_.problem.init->data(), k_ * fit_.rows.d, centers_.data());
    else
      first_centers(fit_.rows, fit_.problem.options, number_, fit_.largest, fit_.problem.stop, workspace_.device(),
                    centers_.data());
  }

  /// One iteration of Lloyd's; true where no label changed and no cluster was relocated.
  bool iterate() {
    assigner_.set_centers(centers_.data(), k_);
    const std::int64_t moved = assign_and_move();
    sums_.merge();
    const std::vector<RowMove> relocated = relocate_empty(fit_.rows, k_, centers_.data(), labels_, distances_, sums_);
    sums_.centers(centers_.data(), next_.data());
    for (const RowMove& move : relocated) sums_.move_row(move.row, move.to, move.from);
    shift_ = measure_shift();
    std::swap(centers_, next_);
    return moved == 0 && relocated.empty();
  }

  std::int64_t assign_and_move() {
    const Rows<T>& rows = fit_.rows;
    std::int64_t moved = 0;
#pragma omp parallel for num_threads(rows.threads_for(assigner_.operations_each())) schedule(dynamic, 4) reduction(+ : moved)
    for (std::int64_t chunk = 0; chunk < chunk_count(rows.n); ++chunk) {
      const std::int64_t first = chunk * chunk_rows;
      const std::int64_t count = chunk_end(rows.n, chunk) - first;
      std::int32_t labels[chunk_rows];
      assigner_.nearest(rows.row(first), count, omp_get_thread_num(), labels);
      moved += sums_.move(first, count, labels_ + first, labels, omp_get_thread_num());
      std::copy_n(labels, count, labels_ + first);
    }
    return moved;
  }

  double measure_shift() {
    for (std::int32_t c = 0; c < k_; ++c) {
      constexpr std::int32_t one_center = 0;
      exact_loops<T>().labelled(next_.data() + c * fit_.rows.d, 1, fit_.rows.d, fit_.rows.scale,
                                centers_.data() + c * fit_.rows.d, &one_center, distances_ + c);
    }
    return tree_sum(distances_, k_);
  }

  void report(std::int32_t iteration) const {
    if (fit_.problem.progress) fit_.problem.progress({number_, iteration, shift_ / fit_.rows.scale / fit_.rows.scale});
  }

  /// Labels and inertia for the centres as they are now.
  Model<T> finish(Model<T> model) {
    const MatrixView<const T>& X = fit_.problem.X;
    model.labels = Vector<std::int32_t>(X.rows(), X.device());
    model.centers = std::move(centers_);
    // Where the centres did not move in the last iteration, its labels are theirs.
    if (shift_ == 0.0 && fit_.rows.weights == nullptr && sizeof(T) == sizeof(float))
      std::copy_n(labels_, X.rows(), model.labels.data());
    else
      predict_rows(X, fit_.largest_row, std::as_const(model.centers).view(), model.labels.data());
    Rows<T> rows = fit_.rows;
    rows.scale = data_scale<T>(std::max(largest_weighted(rows, fit_.largest_row),
                                        check_finite(std::as_const(model.centers).view(), "a centre", rows.threads)));
    model.inertia =
        labelled_inertia(rows, fit_.weights.exponent, model.centers.data(), model.labels.data(), workspace_);
    return model;
  }

  const Fit<T>& fit_;
  std::int32_t number_;
  Workspace workspace_;
  std::int64_t k_;
  Assigner<T> assigner_;
  ClusterSums<T> sums_;
  std::int32_t* labels_;
  double* distances_;
  Matrix<T> centers_;
  Matrix<T> next_;
  double shift_ = 0.0;
};

/// Says so where there are clusters without a row although every row lies on a centre.
template <typename T>
void warn_of_few_distinct_rows(Model<T>& model) {
  if (model.inertia > 0.0) return;
  const std::int64_t k = model.centers.rows();
  std::vector<std::uint8_t> used(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < model.labels.size(); ++i) used[static_cast<std::size_t>(model.labels.data()[i])] = 1;
  const auto distinct = std::count(used.begin(), used.end(), std::uint8_t{1});
  if (distinct < k)
    model.warnings.push_back("KMeans: only " + std::to_string(distinct) + " distinct rows were found for " +
                             std::to_string(k) + " clusters; the others are empty");
}

template <typename T>
Model<T> fit(const FitProblem<T>& problem) {
  Workspace workspace(problem.X.device());
  Fit<T> fit{problem, all_rows(problem.X), {}, 0.0, 0.0, 0.0};
  fit.largest_row = check_finite(problem.X, "X", fit.rows.threads);
  fit.weights = check_weights(problem.weights, fit.rows.n, workspace);
  if (fit.weights.positive < problem.options.n_clusters)
    throw InvalidArgument("KMeans: n_clusters is " + std::to_string(problem.options.n_clusters) + ", but only " +
                          std::to_string(fit.weights.positive) + " rows have a positive weight");
  fit.rows.weights = fit.weights.normalized;
  fit.largest = largest_weighted(fit.rows, fit.largest_row);
  if (problem.init.has_value())
    fit.largest = std::max(fit.largest, check_finite(*problem.init, "init_centers", fit.rows.threads));
  fit.rows.scale = data_scale<T>(fit.largest);
  const ColumnStatistics columns = column_statistics(fit.rows, fit.weights.positive);
  fit.tolerance = problem.options.tol * columns.mean_variance();
  Model<T> best;
  for (std::int32_t number = 0; number < problem.options.n_init; ++number) {
    Model<T> model = Start<T>(fit, columns, number).run();
    if (number == 0 || model.inertia < best.inertia) best = std::move(model);
  }
  warn_of_few_distinct_rows(best);
  return best;
}

template <typename T>
Vector<std::int32_t> predict(const MatrixView<const T>& X, const MatrixView<const T>& centers) {
  const double largest = check_finite(X, "X", X.device().threads());
  Vector<std::int32_t> labels(X.rows(), X.device());
  predict_rows(X, largest, centers, labels.data());
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
  predict_rows(X, largest_row, centers, labels);
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
