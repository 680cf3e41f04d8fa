// Whether the weights of a neighbourhood, added without rounding and rounded once to T, are min_samples or more.
//
// Weights are brought onto one fixed-point grid, of 2^-60 of the largest, and added as integers: the same in any order.
// A weight that decides every neighbourhood that it is in is first made smaller, which decides them the same way, so
// that a huge one does not coarsen the grid of the others. With p and q the largest weight and the largest negated one,
// of n: one of -n p or less leaves no neighbourhood core, and one of min_samples + n q or more makes each of its core.
// What is left is lost on the grid only where weights of both signs are huge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/fixed_point.hpp"
#include "core/host_device.hpp"

namespace tilelearn::dbscan {

/// The grid of the weights of a fit.
struct WeightGrid {
  double lowest = 0.0;  ///< weights are clamped to these two
  double highest = 0.0;
  double factor = 1.0;             ///< core/fixed_point.hpp, wide
  fixed_point::Words threshold{};  ///< the least sum that makes a row core
};

TILELEARN_HOST_DEVICE inline fixed_point::Words weight_words(double weight, const WeightGrid& grid) {
  const double scaled = fmin(fmax(weight, grid.lowest), grid.highest) * grid.factor;
  const double high = rint(scaled);
  return {static_cast<std::int64_t>(high), static_cast<std::int64_t>(rint((scaled - high) * fixed_point::low_factor))};
}

/// high + low / 2^30 with low in [0, 2^30).
TILELEARN_HOST_DEVICE inline fixed_point::Words normalised(fixed_point::Words sum) {
  constexpr std::int64_t mask = (std::int64_t{1} << fixed_point::high_bits) - 1;
  return {sum.high + (sum.low >> fixed_point::high_bits), sum.low & mask};
}

/// The least sum of words that is min_samples or more once rounded to T (to nearest, ties to even); `exponent` is that
/// of the grid.
template <typename T>
fixed_point::Words core_threshold(std::int64_t min_samples, int exponent) {
  constexpr int digits = std::numeric_limits<T>::digits;
  auto least = static_cast<T>(min_samples);
  if (static_cast<long double>(least) < static_cast<long double>(min_samples))
    least = std::nextafter(least, std::numeric_limits<T>::infinity());
  // least = mantissa 2^(power - digits). Half way down to the value of T before it lies quarters 2^(power - digits -
  // 2); where the mantissa is odd, that middle itself is rounded down.
  int power = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(least, &power), digits));
  const std::int64_t quarters = 4 * mantissa - (mantissa == std::int64_t{1} << (digits - 1) ? 1 : 2);
  const std::int64_t beyond = mantissa % 2;
  // in units of the low word, 2^(exponent - 59)
  constexpr int low_bits = fixed_point::high_bits;
  const int shift = power - digits - 2 + (2 * fixed_point::high_bits - 1) - exponent;
  if (shift + digits + 2 > 61 + low_bits) return {std::numeric_limits<std::int64_t>::max(), 0};
  if (shift < -(digits + 2)) return {0, 1};
  if (shift < 0) {
    const std::int64_t below = quarters & ((std::int64_t{1} << -shift) - 1);
    return normalised({0, (quarters >> -shift) + (below != 0 ? 1 : beyond)});
  }
  if (shift >= low_bits) return {quarters << (shift - low_bits), beyond};
  const std::int64_t below = quarters & ((std::int64_t{1} << (low_bits - shift)) - 1);
  return normalised({quarters >> (low_bits - shift), (below << shift) + beyond});
}

/// The grid of n finite weights of T, of which `lowest` and `highest` are the extremes, with 0 among them.
template <typename T>
WeightGrid make_weight_grid(double lowest, double highest, std::int64_t n, std::int64_t min_samples) {
  const auto count = static_cast<double>(n);
  WeightGrid grid;
  grid.lowest = std::max(lowest, -count * highest);
  grid.highest = std::min(highest, (static_cast<double>(min_samples) + count * -grid.lowest) *
                                       (1.0 + 4.0 * std::numeric_limits<double>::epsilon()));
  const double largest = std::max(-grid.lowest, grid.highest);
  const int exponent = fixed_point::grid_exponent(std::ilogb(largest));
  grid.factor = fixed_point::grid_factor(exponent);
  grid.threshold = core_threshold<T>(min_samples, exponent);
  return grid;
}

TILELEARN_HOST_DEVICE inline bool reaches(fixed_point::Words sum, fixed_point::Words threshold) {
  const fixed_point::Words words = normalised(sum);
  return words.high != threshold.high ? words.high > threshold.high : words.low >= threshold.low;
}

}  // namespace tilelearn::dbscan
