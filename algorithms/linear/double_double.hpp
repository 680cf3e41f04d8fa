// Numbers of twice the digits of a double: the unevaluated sum high + low with |low| at most half an ulp of high.
//
// T. Dekker, A floating-point technique for extending the available precision, Numerische Mathematik 18 (1971);
// M. Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of double-word
// arithmetic, ACM TOMS 44 (2017), whose sum errs by at most 3 2^-106, product by 5 2^-106, quotient by 10 2^-106.
#pragma once

#include <cmath>

#include "core/host_device.hpp"

namespace tilelearn::linear {

struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  TILELEARN_HOST_DEVICE DoubleDouble(double value) : high(value) {}
  TILELEARN_HOST_DEVICE DoubleDouble(double high_part, double low_part) : high(high_part), low(low_part) {}

  explicit operator double() const { return high; }
};

/// a + b without error, where |a| >= |b| or a is 0.
TILELEARN_HOST_DEVICE inline DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b without error.
TILELEARN_HOST_DEVICE inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a b without error, underflow aside.
TILELEARN_HOST_DEVICE inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }

TILELEARN_HOST_DEVICE inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble once = fast_two_sum(high.high, high.low + low.high);
  return fast_two_sum(once.high, low.low + once.low);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = two_product(a.high, b.high);
  const double cross = std::fma(a.low, b.high, std::fma(a.high, b.low, a.low * b.low));
  return fast_two_sum(product.high, product.low + cross);
}

inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double quotient = a.high / b.high;
  const DoubleDouble rest = a - b * DoubleDouble(quotient);
  return fast_two_sum(quotient, rest.high / b.high);
}

/// One Newton step from the root of the high part; 0 for 0.
inline DoubleDouble sqrt(const DoubleDouble& a) {
  if (a.high <= 0.0) return {};
  const double root = std::sqrt(a.high);
  const DoubleDouble rest = a - two_product(root, root);
  return fast_two_sum(root, rest.high / (2.0 * root));
}

inline DoubleDouble& operator+=(DoubleDouble& a, const DoubleDouble& b) { return a = a + b; }
inline DoubleDouble& operator-=(DoubleDouble& a, const DoubleDouble& b) { return a = a - b; }

}  // namespace tilelearn::linear
