// within() for the pairs that a filter leaves open: most of them are ties of rows on a lattice (pixels, rounded
// positions), where float64 makes no rounding error at all and its sum decides.
#pragma once

#include <cmath>

#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cpu {

/// A sum of terms, and whether it is exact.
class ExactOrNot {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    const double back = sum - sum_;
    exact_ = exact_ && (sum_ - (sum - back)) + (term - back) == 0.0;  // the error of the addition (Knuth)
    sum_ = sum;
  }
  void add_square(double t) {
    const double square = t * t;
    constexpr double least = 0x1p-500;  // of which the square's error would not vanish
    exact_ = exact_ && std::fma(t, t, -square) == 0.0 && (std::fabs(t) >= least || t == 0.0);
    add(square);
  }
  void doubt(bool exact) { exact_ = exact_ && exact; }

  [[nodiscard]] bool is_exact() const { return exact_; }
  [[nodiscard]] double value() const { return sum_; }

 private:
  double sum_ = 0.0;
  bool exact_ = true;
};

/// The same answer as within().
template <typename T>
bool within_or_tied(const T* x, const T* y, const Ball& ball) {
  if (ball.norm == Norm::chebyshev || ball.scale != 1.0) return within(x, y, ball);
  const bool squares = ball.norm == Norm::euclidean;
  ExactOrNot limit;
  ExactOrNot sum;
  squares ? limit.add_square(ball.eps) : limit.add(ball.eps);
  for (int j = 0; j < ball.d; ++j) {
    const double t = double{x[j]} - double{y[j]};
    const double back = t - double{x[j]};
    sum.doubt((double{x[j]} - (t - back)) - (double{y[j]} + back) == 0.0);
    squares ? sum.add_square(t) : sum.add(std::fabs(t));
  }
  return sum.is_exact() && limit.is_exact() ? sum.value() <= limit.value() : within(x, y, ball);
}

}  // namespace tilelearn::dbscan::cpu
