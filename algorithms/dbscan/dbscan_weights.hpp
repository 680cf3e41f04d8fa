// Whether the weights of a neighbourhood reach min_samples: exact sums on a fixed-point grid, the same in any order.
//
// With 2^e <= max |w| < 2^(e+1) a weight becomes the words of core/fixed_point.hpp (grid_factor(grid_exponent(e)),
// wide): within 2^-60 of max |w|. Words are added as integers; min_samples is brought onto the same grid.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/fixed_point.hpp"
#include "core/host_device.hpp"

namespace tilelearn::dbscan {

TILELEARN_HOST_DEVICE inline fixed_point::Words weight_words(double weight, double factor) {
  const double scaled = weight * factor;
  const double high = rint(scaled);
  return {static_cast<std::int64_t>(high), static_cast<std::int64_t>(rint((scaled - high) * fixed_point::low_factor))};
}

/// high + low / 2^30 with low in [0, 2^30).
TILELEARN_HOST_DEVICE inline fixed_point::Words normalised(fixed_point::Words sum) {
  constexpr std::int64_t mask = (std::int64_t{1} << fixed_point::high_bits) - 1;
  return {sum.high + (sum.low >> fixed_point::high_bits), sum.low & mask};
}

/// The least sum of words that is min_samples or more; `exponent` is that of the grid.
inline fixed_point::Words core_threshold(std::int64_t min_samples, int exponent) {
  // min_samples 2^(29 - e), split into its integer part and 30 bits below the point, rounded up
  const double scaled = std::ldexp(static_cast<double>(min_samples), fixed_point::high_bits - 1 - exponent);
  if (scaled >= 0x1p62) return {std::numeric_limits<std::int64_t>::max(), 0};
  const double high = std::floor(scaled);
  const double low = std::ceil((scaled - high) * fixed_point::low_factor);
  return normalised({static_cast<std::int64_t>(high), static_cast<std::int64_t>(low)});
}

TILELEARN_HOST_DEVICE inline bool reaches(fixed_point::Words sum, fixed_point::Words threshold) {
  const fixed_point::Words words = normalised(sum);
  return words.high != threshold.high ? words.high > threshold.high : words.low >= threshold.low;
}

}  // namespace tilelearn::dbscan
