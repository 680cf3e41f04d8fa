// The judge of a k-means model: says what is wrong with labels, inertia or centres, by the definition alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "core/text.hpp"

namespace tilelearn::testing {

/// The first row whose label is not the float64 argmin (lowest index of equals), or -1. CPU data, row-major.
template <typename T>
std::int64_t first_wrong_label(const Matrix<T>& X, const Matrix<T>& centers, const std::vector<std::int32_t>& labels) {
  const std::int64_t d = X.columns();
  const std::int64_t k = centers.rows();
  // Centres a column at a time, so that the compiler may take several centres at once.
  std::vector<double> columns(static_cast<std::size_t>(k * d));
  for (std::int64_t c = 0; c < k; ++c)
    for (std::int64_t j = 0; j < d; ++j)
      columns[static_cast<std::size_t>(j * k + c)] = static_cast<double>(centers.data()[c * d + j]);
  std::vector<double> squares(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    std::fill(squares.begin(), squares.end(), 0.0);
    for (std::int64_t j = 0; j < d; ++j) {
      const auto x = static_cast<double>(X.data()[i * d + j]);
      for (std::int64_t c = 0; c < k; ++c) {
        const double t = x - columns[static_cast<std::size_t>(j * k + c)];
        squares[static_cast<std::size_t>(c)] = std::fma(t, t, squares[static_cast<std::size_t>(c)]);
      }
    }
    std::int32_t best = 0;
    for (std::int32_t c = 1; c < k; ++c)
      if (squares[static_cast<std::size_t>(c)] < squares[static_cast<std::size_t>(best)]) best = c;
    if (labels[static_cast<std::size_t>(i)] != best) return i;
  }
  return -1;
}

/// Weighted sum of squared distances of rows to the centres that their labels name, in extended precision.
template <typename T>
double direct_inertia(const Matrix<T>& X, const Matrix<T>& centers, const std::vector<std::int32_t>& labels,
                      const std::vector<double>& weights = {}) {
  long double sum = 0.0L;
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    long double square = 0.0L;
    for (std::int64_t j = 0; j < X.columns(); ++j) {
      const long double t = static_cast<long double>(X.data()[i * X.columns() + j]) -
                            static_cast<long double>(centers.data()[labels[row] * X.columns() + j]);
      square += t * t;
    }
    sum += weights.empty() ? square : square * static_cast<long double>(weights[row]);
  }
  return static_cast<double>(sum);
}

/// What is wrong with centres that should be the weighted means of the rows so labelled, or an empty text.
///
/// Fixed-point sums of float data are within 2^-31 of the column's largest value for each row, so is their mean; those
/// of double data within 2^-58, or 2^-53 where each product of value and weight is rounded once. Then the sum's value,
/// the quotient and the centre are rounded, half an ulp each. Clusters without a row are not judged.
template <typename T>
std::string wrong_mean(const Matrix<T>& X, const Matrix<T>& centers, const std::vector<std::int32_t>& labels,
                       const std::vector<double>& weights = {}) {
  const std::int64_t d = X.columns();
  for (std::int64_t j = 0; j < d; ++j) {
    std::vector<long double> sum(static_cast<std::size_t>(centers.rows()));
    std::vector<long double> weight(sum.size());
    long double largest = 0.0L;
    for (std::int64_t i = 0; i < X.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const auto x = static_cast<long double>(X.data()[i * d + j]);
      const long double w = weights.empty() ? 1.0L : static_cast<long double>(weights[row]);
      const auto cluster = static_cast<std::size_t>(labels[row]);
      sum[cluster] += w * x;
      weight[cluster] += w;
      largest = std::max(largest, std::abs(x));
    }
    for (std::size_t c = 0; c < sum.size(); ++c) {
      if (!(weight[c] > 0.0L)) continue;
      const long double mean = sum[c] / weight[c];
      const T center = centers.data()[static_cast<std::int64_t>(c) * d + j];
      const long double ulp = std::nextafter(std::abs(center), std::numeric_limits<T>::infinity()) - std::abs(center);
      const long double grid = sizeof(T) == sizeof(float) ? 0x1p-31L : weights.empty() ? 0x1p-58L : 0x1p-53L;
      if (std::abs(static_cast<long double>(center) - mean) > 1.5L * ulp + grid * largest)
        return "centre " + std::to_string(c) + ", column " + std::to_string(j) + " is " +
               detail::shortest_text(center) + ", the mean is " + detail::shortest_text(static_cast<double>(mean));
    }
  }
  return {};
}

}  // namespace tilelearn::testing
