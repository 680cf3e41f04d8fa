// Cosine and haversine as euclidean distances of unit vectors in float64, by formulas that give the same bits on every
// device (additions, products, fma, division and square root alone, in one order).
//
// cosine      u = t / sqrt(sum t_j^2), t = x 2^-ilogb(max |x_j|), sum by fma over ascending columns;
//             1 - cos = |u - v|^2 / 2
// haversine   u = (cos lat cos lon, cos lat sin lon, sin lat); the chord of an angle a is 2 sin(a / 2)
//
// Sines and cosines are Taylor sums after a reduction by multiples of pi / 2, within 2 units in the last place.
#pragma once

#include <cmath>

#include "core/host_device.hpp"

namespace tilelearn::dbscan {

inline constexpr double pi = 3.14159265358979323846;
/// Latitudes and longitudes beyond these are an error (probably degrees); a float32 pi / 2 and 2 pi are inside.
inline constexpr double most_latitude = 1.5708;
inline constexpr double most_longitude = 6.2832;

struct SineCosine {
  double sine;
  double cosine;
};

/// For |x| <= 7.
TILELEARN_HOST_DEVICE inline SineCosine sine_cosine(double x) {
  // pi / 2 in three parts; the first two have trailing zeros enough for exact products with small quarters.
  constexpr double part1 = 0x1.921fb544p+0;
  constexpr double part2 = 0x1.0b4611a6p-34;
  constexpr double part3 = 0x1.3198a2e037073p-69;
  const double quarters = rint(x * (2.0 / pi));
  const double r = fma(-quarters, part3, fma(-quarters, part2, fma(-quarters, part1, x)));
  const double square = r * r;
  // sum (-1)^i r^2i / (2i + 1)! and sum (-1)^i r^2i / (2i)!, innermost terms first: 1 - square / (m (m + 1)) (...)
  double sine = 1.0;
  double cosine = 1.0;
  for (int m = 18; m >= 2; m -= 2) {
    sine = fma(-square / (m * (m + 1)), sine, 1.0);
    cosine = fma(-square / ((m - 1) * m), cosine, 1.0);
  }
  sine *= r;
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

/// out[3] for a latitude and a longitude in radians within the bounds above.
TILELEARN_HOST_DEVICE inline void unit_vector_of_angles(double latitude, double longitude, double* out) {
  const SineCosine north = sine_cosine(latitude);
  const SineCosine east = sine_cosine(longitude);
  out[0] = north.cosine * east.cosine;
  out[1] = north.cosine * east.sine;
  out[2] = north.sine;
}

/// 2^-ilogb(largest), 1 for 0 and clamped to a finite power.
TILELEARN_HOST_DEVICE inline double unit_scale(double largest) {
  if (largest == 0.0) return 1.0;
  const int exponent = ilogb(largest);
  return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

/// out[d] for a row of d values; false, and out not written, for a row of zeros.
template <typename T>
TILELEARN_HOST_DEVICE bool unit_vector(const T* x, int d, double* out) {
  double largest = 0.0;
  for (int j = 0; j < d; ++j) largest = fmax(largest, fabs(double{x[j]}));
  if (largest == 0.0) return false;
  const double scale = unit_scale(largest);
  double square = 0.0;
  for (int j = 0; j < d; ++j) {
    const double t = double{x[j]} * scale;
    square = fma(t, t, square);
  }
  const double length = sqrt(square);
  for (int j = 0; j < d; ++j) out[j] = double{x[j]} * scale / length;
  return true;
}

/// The chord up to which unit vectors are within eps.
inline double cosine_chord(double eps) { return std::sqrt(2.0 * eps); }
inline double haversine_chord(double eps) {
  constexpr double everything = 3.0;  // above 2, the longest chord and its rounding
  return eps >= pi ? everything : 2.0 * sine_cosine(0.5 * eps).sine;
}

}  // namespace tilelearn::dbscan
