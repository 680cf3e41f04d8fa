// Metrics as the searches see them: a norm of differences, in the columns of X or of unit vectors.
#pragma once

#include <cstdint>

#include <tilelearn/dbscan.hpp>

#include "dbscan/dbscan_unit_vectors.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan {

/// Columns of X that haversine takes, and those of the unit vectors that it is searched in.
inline constexpr std::int64_t haversine_columns = 2;
inline constexpr int sphere_columns = 3;

/// Whether rows of a metric are searched as unit vectors.
constexpr bool uses_unit_vectors(DBSCANMetric metric) {
  return metric == DBSCANMetric::cosine || metric == DBSCANMetric::haversine;
}

/// Columns that are searched.
constexpr int compared_columns(DBSCANMetric metric, std::int64_t columns) {
  return metric == DBSCANMetric::haversine ? sphere_columns : static_cast<int>(columns);
}

/// The norm of the differences of what is searched.
constexpr Norm norm_of(DBSCANMetric metric) {
  if (metric == DBSCANMetric::manhattan) return Norm::manhattan;
  return metric == DBSCANMetric::chebyshev ? Norm::chebyshev : Norm::euclidean;
}

/// The neighbourhood in what is searched, for rows of X of so many columns.
inline Ball ball_of(const DBSCANOptions& options, std::int64_t columns) {
  double eps = options.eps;
  if (options.metric == DBSCANMetric::cosine) eps = cosine_chord(eps);
  if (options.metric == DBSCANMetric::haversine) eps = haversine_chord(eps);
  return make_ball(norm_of(options.metric), compared_columns(options.metric, columns), eps);
}

}  // namespace tilelearn::dbscan
