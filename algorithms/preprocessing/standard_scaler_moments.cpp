// Two shifted passes: the first, around a pilot row, finds the mean; the second, around that mean, the variance and
// what the first mean lacked. (Chan, Golub, LeVeque 1983, the two-pass algorithm with correction.)
#include "preprocessing/standard_scaler_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/finite.hpp"

namespace tilelearn::standard_scaler {

namespace {

/// Columns whose largest value is inside 2^+-400 need no scaling: differences of doubles are then at least 2^-453, so
/// that squares and their sums stay far inside float64.
constexpr int unscaled_exponent = 400;
/// Keeps the power of two itself finite and normal.
constexpr int scale_exponent_limit = 1000;

double power_of_two_against(double largest) {
  const int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
  if (std::abs(exponent) <= unscaled_exponent) return 1.0;
  return std::ldexp(1.0, -std::clamp(exponent, -scale_exponent_limit, scale_exponent_limit));
}

/// Takes the weights into [0, 2); checks them; returns the first row that counts.
template <typename T>
std::int64_t prepare_weights(const Backend<T>& backend, Pass<T>& pass) {
  if (!pass.weights) return 0;
  const WeightFacts facts = backend.inspect_weights(*pass.weights);
  if (facts.first_invalid >= 0)
    throw InvalidArgument("StandardScaler: the weight of row " + std::to_string(facts.first_invalid) +
                          " is negative, NaN or infinite");
  if (facts.first_positive < 0)
    throw InvalidArgument("StandardScaler: all " + std::to_string(pass.weights->size()) + " weights are zero");
  const int exponent = std::clamp(std::ilogb(facts.largest), -scale_exponent_limit, scale_exponent_limit);
  pass.weight_factor = std::ldexp(1.0, -exponent);
  return facts.first_positive;
}

template <typename T>
std::vector<double> read_row(const MatrixView<const T>& X, std::int64_t row) {
  const MatrixView<const T> view(X.data() + row * X.columns(), 1, X.columns(), X.device());
  const Matrix<T> values = copy_to(view, Device::cpu());
  return {values.data(), values.data() + X.columns()};
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// shift + sum / weight, the mean in the pass's scale.
std::vector<double> means(const std::vector<double>& shift, const ColumnSums& sums) {
  std::vector<double> result(shift.size());
  for (std::size_t j = 0; j < shift.size(); ++j) result[j] = shift[j] + sums.first[j] / sums.weight;
  return result;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), [](double x, double y) { return x * y; });
  return result;
}

/// Leaves the pass ready for the second time: scales chosen, shifts at the mean.
template <typename T>
void first_pass(const Backend<T>& backend, Pass<T>& pass, const std::vector<double>& pilot) {
  pass.scale.assign(pilot.size(), 1.0);
  pass.shift = pilot;
  ColumnSums sums = backend.column_sums(pass);
  const bool overflowed = !all_finite(sums.first);
  if (overflowed) detail::throw_if_not_finite(pass.X, "StandardScaler");
  std::transform(sums.largest.begin(), sums.largest.end(), pass.scale.begin(), power_of_two_against);
  if (!overflowed) {
    pass.shift = product(means(pass.shift, sums), pass.scale);
    return;
  }
  pass.shift = product(pilot, pass.scale);
  sums = backend.column_sums(pass);
  pass.shift = means(pass.shift, sums);
}

}  // namespace

template <typename T>
Moments moments(const Backend<T>& backend, const MatrixView<const T>& X,
                const std::optional<VectorView<const T>>& weights) {
  Pass<T> pass{X, weights, 1.0, {}, {}};
  const std::int64_t pilot_row = prepare_weights(backend, pass);
  first_pass(backend, pass, read_row(X, pilot_row));
  const ColumnSums sums = backend.column_sums(pass);
  Moments result{means(pass.shift, sums), {}, {}};
  for (std::size_t j = 0; j < result.mean.size(); ++j) {
    const double scale = pass.scale[j];
    const double spread = sums.second[j] - sums.first[j] * sums.first[j] / sums.weight;
    const double scaled_variance = std::max(0.0, spread) / sums.weight;
    result.mean[j] /= scale;
    result.variance.push_back(scaled_variance / scale / scale);
    // below the least double a deviation would round to 0, which is for constant columns alone
    const double least = scaled_variance > 0.0 ? std::numeric_limits<double>::denorm_min() : 0.0;
    result.deviation.push_back(std::max(least, std::sqrt(scaled_variance) / scale));
  }
  return result;
}

template Moments moments(const Backend<float>&, const MatrixView<const float>&,
                         const std::optional<VectorView<const float>>&);
template Moments moments(const Backend<double>&, const MatrixView<const double>&,
                         const std::optional<VectorView<const double>>&);

}  // namespace tilelearn::standard_scaler
