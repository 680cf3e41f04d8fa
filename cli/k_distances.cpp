#include "k_distances.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <omp.h>

#include <tilelearn/error.hpp>

#include "dbscan/dbscan_metric.hpp"
#include "neighbour_tree.hpp"

namespace tilelearn::cli {

namespace {

constexpr int rows_at_once = 16;

/// Rows in which the metric is a norm of differences.
struct NormedRows {
  std::vector<double> values{};
  std::int64_t columns = 0;
  double scale = 1.0;  ///< power of two that the values were multiplied with, so that squares do not overflow
  dbscan::Norm norm = dbscan::Norm::euclidean;
};

template <typename T>
NormedRows scaled_rows(const Matrix<T>& X, dbscan::Norm norm) {
  const T* data = X.data();
  const std::int64_t size = X.rows() * X.columns();
  double largest = 0.0;
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(static_cast<double>(data[i])));
  NormedRows rows{std::vector<double>(static_cast<std::size_t>(size)), X.columns(), dbscan::unit_scale(largest), norm};
  std::transform(data, data + size, rows.values.begin(),
                 [&](T value) { return static_cast<double>(value) * rows.scale; });
  return rows;
}

template <typename T>
NormedRows directions(const Matrix<T>& X) {
  NormedRows rows{std::vector<double>(static_cast<std::size_t>(X.rows() * X.columns())), X.columns()};
  for (std::int64_t i = 0; i < X.rows(); ++i)
    if (!dbscan::unit_vector(X.data() + i * X.columns(), static_cast<int>(X.columns()),
                             rows.values.data() + i * X.columns()))
      throw InvalidArgument("row " + std::to_string(i) + " is all zeros, which has no direction for the metric cosine");
  return rows;
}

template <typename T>
NormedRows points_on_sphere(const Matrix<T>& X) {
  NormedRows rows;
  rows.columns = dbscan::sphere_columns;
  rows.values.resize(static_cast<std::size_t>(X.rows() * rows.columns));
  for (std::int64_t i = 0; i < X.rows(); ++i)
    dbscan::unit_vector_of_angles(static_cast<double>(X(i, 0)), static_cast<double>(X(i, 1)),
                                  rows.values.data() + i * rows.columns);
  return rows;
}

template <typename T>
NormedRows normed_rows(const Matrix<T>& X, DBSCANMetric metric) {
  switch (metric) {
    case DBSCANMetric::cosine:
      return directions(X);
    case DBSCANMetric::haversine:
      return points_on_sphere(X);
    default:
      return scaled_rows(X, dbscan::norm_of(metric));
  }
}

/// The metric of two rows whose normed rows are so far apart.
double in_metric(double distance, DBSCANMetric metric) {
  if (metric == DBSCANMetric::cosine) return 0.5 * distance * distance;
  if (metric == DBSCANMetric::haversine) return 2.0 * std::asin(std::min(1.0, 0.5 * distance));
  return distance;
}

}  // namespace

template <typename T>
std::vector<double> k_distances(const Matrix<T>& X, DBSCANMetric metric, std::int64_t k,
                                const std::vector<std::int64_t>& rows, int threads,
                                const std::function<void(std::int64_t)>& progress) {
  const NormedRows all = normed_rows(X, metric);
  const NeighbourTree tree(all.values, all.columns, all.norm);
  std::vector<std::vector<double>> nearest(static_cast<std::size_t>(threads));
  for (std::vector<double>& memory : nearest) memory.reserve(static_cast<std::size_t>(k));
  std::vector<double> distances(rows.size());
  std::atomic<std::int64_t> done = 0;
#pragma omp parallel for schedule(dynamic, rows_at_once) num_threads(threads)
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const double distance = tree.distance_to_nth(all.values.data() + rows[i] * all.columns, k, nearest[thread]);
    distances[i] = in_metric(distance / all.scale, metric);
    const std::int64_t finished = ++done;
    if (thread == 0) progress(finished);
  }
  std::sort(distances.begin(), distances.end());
  return distances;
}

template std::vector<double> k_distances(const Matrix<float>&, DBSCANMetric, std::int64_t,
                                         const std::vector<std::int64_t>&, int,
                                         const std::function<void(std::int64_t)>&);
template std::vector<double> k_distances(const Matrix<double>&, DBSCANMetric, std::int64_t,
                                         const std::vector<std::int64_t>&, int,
                                         const std::function<void(std::int64_t)>&);

}  // namespace tilelearn::cli
