// The errors for values that DBSCAN does not take, the same texts from both backends. Reads any device block by block;
// meant for the path where a faster pass has already seen that something is wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/finite.hpp"
#include "core/row_blocks.hpp"
#include "core/text.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_metric.hpp"

namespace tilelearn::dbscan {

template <typename T>
bool is_latitude(T value) {
  return std::fabs(double{value}) <= most_latitude;
}

template <typename T>
bool is_longitude(T value) {
  return std::fabs(double{value}) <= most_longitude;
}

/// Throws InvalidArgument that names the first row of haversine that is not angles in radians.
template <typename T>
void throw_if_not_angles(const T* row, std::int64_t number) {
  const auto check = [number](bool good, const char* what, T value, double most) {
    if (good) return;
    throw InvalidArgument("DBSCAN: row " + std::to_string(number) + " has " + what + " " +
                          detail::shortest_text(value) + ", but haversine takes radians from -" +
                          detail::shortest_text(most) + " to " + detail::shortest_text(most) +
                          "; degrees are radians times 180 / pi");
  };
  check(is_latitude(row[0]), "latitude", row[0], most_latitude);
  check(is_longitude(row[1]), "longitude", row[1], most_longitude);
}

template <typename T>
void throw_if_zero(const T* row, std::int64_t d, std::int64_t number) {
  if (std::all_of(row, row + d, [](T value) { return value == T{0}; }))
    throw InvalidArgument("DBSCAN: row " + std::to_string(number) +
                          " is all zeros, which has no direction for the metric cosine");
}

/// Throws InvalidArgument that names the first value of X that this metric does not take; returns if there is none.
template <typename T>
void throw_if_bad_values(const MatrixView<const T>& X, DBSCANMetric metric) {
  detail::throw_if_not_finite(X, "DBSCAN");
  if (!uses_unit_vectors(metric)) return;
  detail::for_rows(X, [&](const T* row, std::int64_t number) {
    if (metric == DBSCANMetric::cosine)
      throw_if_zero(row, X.columns(), number);
    else
      throw_if_not_angles(row, number);
    return true;
  });
}

/// Throws InvalidArgument that names the first weight that is not finite; returns if there is none.
template <typename T>
void throw_if_bad_weights(const VectorView<const T>& weights) {
  const MatrixView<const T> column(weights.data(), weights.size(), 1, weights.stride(), 1, weights.device());
  if (const auto position = detail::first_not_finite(column))
    throw InvalidArgument("DBSCAN: the weight of row " + std::to_string(position->row) + " is NaN or infinite");
}

}  // namespace tilelearn::dbscan
