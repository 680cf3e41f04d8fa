#include "k_distances.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

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

/// Sizes of the values that are not 0.
struct Sizes {
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
};

template <typename T>
Sizes sizes_of(const Matrix<T>& X) {
  Sizes sizes;
  for (std::int64_t i = 0; i < X.rows() * X.columns(); ++i) {
    const double size = std::abs(static_cast<double>(X.data()[i]));
    if (size > 0.0) sizes.least = std::min(sizes.least, size);
    sizes.largest = std::max(sizes.largest, size);
  }
  return sizes;
}

template <typename T>
NormedRows scaled_rows(const Matrix<T>& X, dbscan::Norm norm, double scale) {
  const std::int64_t size = X.rows() * X.columns();
  NormedRows rows{std::vector<double>(static_cast<std::size_t>(size)), X.columns(), scale, norm};
  std::transform(X.data(), X.data() + size, rows.values.begin(),
                 [scale](T value) { return static_cast<double>(value) * scale; });
  return rows;
}

/// Only squares need a scale: a sum of differences overflows where the distance does.
template <typename T>
NormedRows rows_of_norm(const Matrix<T>& X, dbscan::Norm norm) {
  return scaled_rows(X, norm, norm == dbscan::Norm::euclidean ? dbscan::unit_scale(sizes_of(X).largest) : 1.0);
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
      return rows_of_norm(X, dbscan::norm_of(metric));
  }
}

/// The metric of two rows whose normed rows are so far apart.
double in_metric(double distance, DBSCANMetric metric) {
  if (metric == DBSCANMetric::cosine) return 0.5 * distance * distance;
  if (metric == DBSCANMetric::haversine) return 2.0 * std::asin(std::min(1.0, 0.5 * distance));
  return distance;
}

/// In the order of `rows`; infinity where the distance is beyond float64.
std::vector<double> measure(const NormedRows& all, DBSCANMetric metric, std::int64_t k,
                            const std::vector<std::int64_t>& rows, int threads,
                            const std::function<void(std::int64_t)>& progress) {
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
  return distances;
}

/// Beside huge values, squares of small differences underflow. Rows that near are measured again, scaled up so far that
/// the squares of huge differences overflow: those are of no neighbour.
template <typename T>
void measure_near_rows(const Matrix<T>& X, std::int64_t k, const std::vector<std::int64_t>& rows, int threads,
                       std::vector<double>& distances) {
  constexpr double inaccurate = 0x1p-450;     // whose square is 2^-900, and digits of squares are lost below 2^-1022
  constexpr double least_alone = 0x1p-390;    // two values of at least that size differ by 0 or more than `inaccurate`
  constexpr double scale_between = 0x1p900;   // brings what is inaccurate below 2^450
  constexpr double largest_scale = 0x1p1000;  // unit_scale's own
  const Sizes sizes = sizes_of(X);
  const double scale = dbscan::unit_scale(sizes.largest);
  if (sizes.least * scale >= least_alone) return;
  std::vector<std::int64_t> near_rows;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (distances[i] * scale >= inaccurate) continue;
    near_rows.push_back(rows[i]);
    positions.push_back(i);
  }
  if (near_rows.empty()) return;
  const NormedRows all = scaled_rows(X, dbscan::Norm::euclidean, std::min(scale * scale_between, largest_scale));
  const std::vector<double> found = measure(all, DBSCANMetric::euclidean, k, near_rows, threads, [](std::int64_t) {});
  for (std::size_t i = 0; i < found.size(); ++i) distances[positions[i]] = found[i];
}

}  // namespace

template <typename T>
std::vector<double> k_distances(const Matrix<T>& X, DBSCANMetric metric, std::int64_t k,
                                const std::vector<std::int64_t>& rows, int threads,
                                const std::function<void(std::int64_t)>& progress) {
  std::vector<double> distances = measure(normed_rows(X, metric), metric, k, rows, threads, progress);
  if (metric == DBSCANMetric::euclidean) measure_near_rows(X, k, rows, threads, distances);
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
