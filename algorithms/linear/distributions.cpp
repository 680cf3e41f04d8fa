#include "linear/distributions.hpp"

#include <cmath>
#include <limits>

namespace tilelearn::linear {

namespace {

/// From here on Stirling's series gives the logarithm of the gamma function to the last digit.
constexpr double stirling_from = 10.0;

/// ln gamma(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2), z >= 10 (DLMF 5.11.1).
double stirling_rest(double z) {
  constexpr double terms[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  double sum = 0.0;
  double power = 1.0 / z;
  for (const double term : terms) {
    sum += term * power;
    power /= z * z;
  }
  return sum;
}

/// ln gamma(a) - ln gamma(a + b) without the cancellation that large a would bring.
double log_gamma_ratio(double a, double b) {
  if (a < stirling_from) return std::lgamma(a) - std::lgamma(a + b);
  return stirling_rest(a) - stirling_rest(a + b) - (a - 0.5) * std::log1p(b / a) - b * std::log(a + b) + b;
}

double log_beta(double a, double b) {
  const double large = std::fmax(a, b);
  const double small = std::fmin(a, b);
  return std::lgamma(small) + log_gamma_ratio(large, small);
}

/// The continued fraction of I_x(a, b) over its front x^a y^b / B(a, b), for x below the mean a / (a + b): equation 9
/// of DiDonato and Morris, in which nothing cancels.
double beta_fraction(double a, double b, double x, double y) {
  constexpr int most_terms = 100000;
  const double below_mean = 1.0 + ((a + b) * y - b);
  double before[2] = {0.0, 1.0};  // numerators and denominators of two convergents, scaled
  double last[2] = {1.0, below_mean / (1.0 + 1.0 / a)};
  double value = last[0] / last[1];
  double p = 1.0;
  double s = a + 1.0;
  for (int n = 1; n < most_terms; ++n) {
    const double t = n / a;
    const double w = n * (b - n) * x;
    const double of_s = a / s;
    const double alpha = p * (p + b / a) * of_s * of_s * w * x;
    const double beta = n + w / s + (1.0 + t) / (1.0 + 1.0 / a + 2.0 * t) * (below_mean + n * (1.0 + y));
    p = 1.0 + t;
    s += 2.0;
    const double next[2] = {alpha * before[0] + beta * last[0], alpha * before[1] + beta * last[1]};
    const double change = next[0] / next[1] - value;
    value += change;
    if (!(std::fabs(change) > std::numeric_limits<double>::epsilon() / 2.0 * std::fabs(value))) break;
    for (int i = 0; i < 2; ++i) {
      before[i] = last[i] / next[1];
      last[i] = next[i] / next[1];
    }
  }
  return value;
}

/// a ln x, where x is 1 - y and the smaller of the two has all its digits.
double scaled_log(double a, double x, double y) { return a * (y < 0.5 ? std::log1p(-y) : std::log(x)); }

}  // namespace

double regularized_beta(double a, double b, double x, double y) {
  if (!(x > 0.0)) return std::isnan(x) ? x : 0.0;
  if (!(y > 0.0)) return 1.0;
  const double front = std::exp(scaled_log(a, x, y) + scaled_log(b, y, x) - log_beta(a, b));
  if ((a + b) * y >= b) return front * beta_fraction(a, b, x, y);
  return 1.0 - front * beta_fraction(b, a, y, x);
}

double student_t_two_sided(double value, double degrees) {
  if (std::isinf(value)) return 0.0;
  const double ratio = value / std::sqrt(degrees);
  const double square = ratio * ratio;
  if (std::isinf(square)) return 0.0;
  return regularized_beta(degrees / 2.0, 0.5, 1.0 / (1.0 + square), square / (1.0 + square));
}

double student_t_quantile(double probability, double degrees) {
  double low = 0.0;
  double high = 1.0;
  while (student_t_two_sided(high, degrees) > probability && high < std::numeric_limits<double>::max() / 2) high *= 2.0;
  // halving the interval until it is two neighbours
  for (double middle = low + (high - low) / 2.0; middle > low && middle < high; middle = low + (high - low) / 2.0)
    (student_t_two_sided(middle, degrees) > probability ? low : high) = middle;
  return high;
}

double fisher_f_upper(double value, double above, double below) {
  if (std::isinf(value)) return 0.0;
  const double product = above * value;
  return regularized_beta(below / 2.0, above / 2.0, below / (below + product), product / (below + product));
}

}  // namespace tilelearn::linear
