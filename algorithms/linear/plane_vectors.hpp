// A plane, and the sums of its residuals, as the passes of both devices hold them: [target][column of augmented rows].
#pragma once

#include <cstdint>
#include <vector>

#include "linear/linear_backend.hpp"

namespace tilelearn::linear {

/// The plane as it multiplies augmented rows of `columns` values, the ones at `ones`: t vectors, 0 for the targets.
inline std::vector<double> by_target(const Plane& plane, std::int64_t ones, std::int64_t columns) {
  const std::size_t t = plane.intercept.size();
  std::vector<double> result(t * static_cast<std::size_t>(columns), 0.0);
  for (std::size_t k = 0; k < t; ++k) {
    double* const to = result.data() + k * static_cast<std::size_t>(columns);
    for (std::size_t j = 0; j < plane.coef.size() / t; ++j) to[j] = plane.coef[j * t + k];
    to[ones] = plane.intercept[k];
  }
  return result;
}

/// From total(i): the products with the columns of augmented rows, `columns` for each of t targets, the ones at d + t,
/// and then t squares.
template <typename Total>
ResidualSums residual_sums_of(std::int64_t d, std::int64_t t, std::int64_t columns, const Total& total) {
  ResidualSums result;
  result.products.resize(static_cast<std::size_t>((d + 1) * t));
  for (std::int64_t k = 0; k < t; ++k) {
    for (std::int64_t j = 0; j <= d; ++j)
      result.products[static_cast<std::size_t>(j * t + k)] = total(k * columns + (j < d ? j : d + t));
    result.squares.push_back(total(t * columns + k));
  }
  return result;
}

}  // namespace tilelearn::linear
