// Exact, order-free sums: a value becomes one or two 31-bit integers on a power-of-two grid, integers are added.
//
// For a column with max |y| < 2^(e+1) the grid factor is f = 2^(29 - e), and
//   high = rint(y f)                      |high| <= 2^30
//   low  = rint((y f - high) 2^30)        |low|  <= 2^29, wide sums only
// Sums of up to 2^32 such words fit 64 bits. A narrow sum (high alone) is within 2^-31 of the column's maximum per
// value; a wide one (high and low) within 2^-61. Both are the same bits in any order and on any device.
#pragma once

#include <cstdint>

namespace tilelearn::fixed_point {

inline constexpr int high_bits = 30;
inline constexpr double low_factor = 1073741824.0;  // 2^30

struct Words {
  std::int64_t high;
  std::int64_t low;
};

/// 2^exponent for |exponent| <= 1022.
constexpr double power_of_two(int exponent) {
  double result = 1.0;
  const double base = exponent < 0 ? 0.5 : 2.0;
  for (int i = exponent < 0 ? -exponent : exponent; i > 0; --i) result *= base;
  return result;
}

/// Exponent e of the grid for a column whose largest absolute value has ilogb = e; clamped so that f is finite.
constexpr int grid_exponent(int ilogb_of_max) { return ilogb_of_max < -900 ? -900 : ilogb_of_max; }

/// f = 2^(29 - e)
constexpr double grid_factor(int exponent) { return power_of_two(high_bits - 1 - exponent); }

/// The value of a sum of words: (high + low / 2^30) / f.
constexpr double value(Words sum, double factor) {
  return (static_cast<double>(sum.high) + static_cast<double>(sum.low) / low_factor) / factor;
}

}  // namespace tilelearn::fixed_point
