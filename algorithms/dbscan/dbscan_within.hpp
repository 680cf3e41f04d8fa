// Whether two rows are within eps: the definition that every backend decides by.
//
//   euclidean   sum (x_j - y_j)^2 <= eps^2
//   manhattan   sum |x_j - y_j| <= eps
//   chebyshev   max |x_j - y_j| <= eps
//
// in exact arithmetic on the values as stored. A float64 evaluation decides where its error bound allows; the rest, a
// few pairs in 10^14, are decided by exact sums. A backend may decide earlier by any filter that proves the same
// answer.
#pragma once

#include <cmath>
#include <cstdint>

#include <tilelearn/dbscan.hpp>

#include "core/exact_sum.hpp"
#include "core/fixed_point.hpp"
#include "core/host_device.hpp"

namespace tilelearn::dbscan {

/// Euclidean, manhattan or chebyshev: the metrics that rows are searched by (cosine and haversine are euclidean on unit
/// vectors, dbscan_unit_vectors.hpp).
enum class Norm : std::uint8_t { euclidean, manhattan, chebyshev };

/// A neighbourhood's size and what deciding by it needs.
struct Ball {
  Norm norm = Norm::euclidean;
  int d = 0;
  double eps = 0.0;
  /// Power of two that differences are multiplied with, so that sums neither overflow nor vanish.
  double scale = 1.0;
  double inside = 0.0;   ///< a float64 evaluation at or below is within
  double outside = 0.0;  ///< one at or above is not
};

/// Exponents of eps for which sums of squares are safe as they are.
inline constexpr int safe_exponent = 400;

inline Ball make_ball(Norm norm, int d, double eps) {
  Ball ball{norm, d, eps, 1.0, eps, eps};
  if (norm == Norm::chebyshev) return ball;
  // Squares may overflow or vanish, and sums of differences just below the largest double may round to infinity.
  const int exponent = std::ilogb(eps);
  if (std::abs(exponent) > safe_exponent) ball.scale = fixed_point::power_of_two(exponent < -1000 ? 1000 : -exponent);
  const double size = eps * ball.scale;
  const double limit = norm == Norm::euclidean ? size * size : size;
  // d + 2 roundings of a sum (the difference, its square, d additions), one of the limit; twice that for safety.
  const double bound = static_cast<double>(d + 8) * 0x1p-52;
  ball.inside = limit * (1.0 - bound);
  ball.outside = limit * (1.0 + bound);
  return ball;
}

/// Exact: |x - y| <= eps.
TILELEARN_HOST_DEVICE inline bool difference_within(double x, double y, double eps) {
  const double difference = x - y;
  const double size = fabs(difference);
  if (size != eps) return size < eps;
  // Rounding is monotone, so only a difference that rounds to eps is open: its rounding error decides.
  const double back = difference - x;
  const double error = (x - (difference - back)) - (y + back);
  return difference > 0.0 ? error <= 0.0 : error >= 0.0;
}

/// Exact, for the pairs that float64 leaves open. O(d), slow.
template <typename T>
TILELEARN_HOST_DEVICE bool exactly_within(const T* x, const T* y, const Ball& ball) {
  detail::ExactSum<T> sum;
  if (ball.norm == Norm::manhattan) {
    for (int j = 0; j < ball.d; ++j) {
      sum.add_product(double{x[j]}, 1.0, x[j] >= y[j] ? 1 : -1);
      sum.add_product(double{y[j]}, 1.0, x[j] >= y[j] ? -1 : 1);
    }
    sum.add_product(ball.eps, 1.0, -1);
    return sum.sign() <= 0;
  }
  for (int j = 0; j < ball.d; ++j) {
    sum.add_product(double{x[j]}, double{x[j]}, 1);
    sum.add_product(double{x[j]}, double{y[j]}, -1, 1);
    sum.add_product(double{y[j]}, double{y[j]}, 1);
  }
  sum.add_product(ball.eps, ball.eps, -1);
  return sum.sign() <= 0;
}

/// The definition, for rows of d values each without gaps.
template <typename T>
TILELEARN_HOST_DEVICE inline bool within(const T* x, const T* y, const Ball& ball) {
  if (ball.norm == Norm::chebyshev) {
    for (int j = 0; j < ball.d; ++j)
      if (!difference_within(double{x[j]}, double{y[j]}, ball.eps)) return false;
    return true;
  }
  double sum = 0.0;
  for (int j = 0; j < ball.d; ++j) {
    const double t = (double{x[j]} - double{y[j]}) * ball.scale;
    sum = ball.norm == Norm::manhattan ? sum + fabs(t) : fma(t, t, sum);
  }
  if (sum <= ball.inside) return true;
  if (sum >= ball.outside) return false;
  return exactly_within(x, y, ball);
}

}  // namespace tilelearn::dbscan
