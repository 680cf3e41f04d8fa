// Lloyd's iterations on the CPU.
#include "kmeans/kmeans_cpu_lloyd.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <omp.h>

#include "kmeans/kmeans_cpu_assign.hpp"
#include "kmeans/kmeans_cpu_init.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_cpu_update.hpp"

namespace tilelearn::kmeans::cpu {

template <typename T>
void predict_rows(const MatrixView<const T>& X, double largest_row, const MatrixView<const T>& centers,
                  const Workspace& outer, std::int32_t* labels) {
  Workspace workspace = outer.nested();
  Rows<T> rows = all_rows(X);
  const double largest = std::max(largest_row, check_finite(centers, "a centre", rows.threads));
  rows.scale = data_scale<T>(largest);
  Assigner<T> assigner(centers.rows(), rows.d, rows.scale, largest, rows.threads, workspace);
  assigner.set_centers(centers.data(), centers.rows());
  assign_rows(rows, assigner, labels);
}

namespace {

/// One start: its centres and how Lloyd's iterations ended.
template <typename T>
class Start {
 public:
  Start(const Fit<T>& fit, const ColumnStatistics& columns, std::int32_t number, const Workspace& outer)
      : fit_(fit),
        number_(number),
        workspace_(outer.nested()),
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
      first_centers(fit_.rows, fit_.problem.options, number_, fit_.largest, fit_.problem.stop, workspace_,
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
      predict_rows(X, fit_.largest_row, std::as_const(model.centers).view(), workspace_, model.labels.data());
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

}  // namespace

template <typename T>
Model<T> run_start(const Fit<T>& fit, const ColumnStatistics& columns, std::int32_t number, const Workspace& outer) {
  return Start<T>(fit, columns, number, outer).run();
}

template void predict_rows<float>(const MatrixView<const float>&, double, const MatrixView<const float>&,
                                  const Workspace&, std::int32_t*);
template void predict_rows<double>(const MatrixView<const double>&, double, const MatrixView<const double>&,
                                   const Workspace&, std::int32_t*);
template Model<float> run_start<float>(const Fit<float>&, const ColumnStatistics&, std::int32_t, const Workspace&);
template Model<double> run_start<double>(const Fit<double>&, const ColumnStatistics&, std::int32_t, const Workspace&);

}  // namespace tilelearn::kmeans::cpu
