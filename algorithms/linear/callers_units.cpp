#include "linear/callers_units.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <tilelearn/error.hpp>

namespace tilelearn::linear {

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The mean of a column of X, or of target j - d.
DoubleDouble mean_of(const NormalEquations& equations, const Units& units, std::int64_t j) {
  const double scale = units.scale[at(j)];  // a power of two; the mean from the shift on may overflow in other units
  const DoubleDouble mean = equations.mean[at(j)] + DoubleDouble(units.shift[at(j)] * scale);
  return {mean.high / scale, mean.low / scale};
}

/// Finite X and y may ask for more than float64 holds.
void throw_if_not_finite(const LeastSquares& result, std::int64_t k) {
  for (std::int64_t j = 0; j < result.d; ++j)
    if (!std::isfinite(result.coef[at(k * result.d + j)]))
      throw InvalidArgument("a linear model: the coefficient of column " + std::to_string(j) +
                            " is beyond what float64 holds; scale that column of X, or y");
  if (!std::isfinite(result.intercept.back()))
    throw InvalidArgument("a linear model: the intercept is beyond what float64 holds; scale X or y");
}

void store_target(const NormalEquations& equations, const Units& units, const Solution& solution, std::int64_t k,
                  LeastSquares& result) {
  const std::int64_t d = equations.d;
  const std::vector<double> factors = coef_units(equations, units, k);
  DoubleDouble intercept = mean_of(equations, units, d + k);
  for (std::int64_t j = 0; j < d; ++j) {
    const DoubleDouble coef = solution.coef[at(j * equations.t + k)] * DoubleDouble(factors[at(j)]);
    result.coef[at(k * d + j)] = coef.high;
    intercept -= mean_of(equations, units, j) * coef;
  }
  result.intercept.push_back(equations.centred ? intercept.high : 0.0);
  throw_if_not_finite(result, k);
  const double scale = units.scale[at(d + k)];  // whose square may overflow or vanish
  const auto square = [&](double value) { return std::max(0.0, value) / scale / scale / units.weight_scale; };
  const DoubleDouble rest = solution.rest[at(k)] - penalty_paid(equations, solution.coef, k);
  result.residual_squares.push_back(square(rest.high));
  result.total_squares.push_back(square(equations.squares[at(k)].high));
}

void store_factor(const NormalEquations& equations, const Units& units, Factor&& factor, LeastSquares& result) {
  result.factor = std::move(factor);
  const double root = std::sqrt(units.weight_scale);
  for (std::vector<double>* part : {&result.factor.high, &result.factor.low})
    for (std::size_t i = 0; i < part->size(); ++i) {
      const std::int64_t j = result.factor.order[i % at(equations.d)];
      const double equilibration = equations.equilibration[at(j)];
      (*part)[i] = equilibration == 0.0 ? 0.0 : (*part)[i] / equilibration / units.scale[at(j)] / root;
    }
}

void store_projected(const NormalEquations& equations, const Units& units, std::vector<double>&& projected,
                     LeastSquares& result) {
  result.projected = std::move(projected);
  const double root = std::sqrt(units.weight_scale);
  for (std::size_t i = 0; i < result.projected.size(); ++i)
    result.projected[i] /= units.scale[at(equations.d) + i % at(equations.t)] * root;
}

void warn_of_zeros(const NormalEquations& equations, LeastSquares& result) {
  std::string columns;
  for (std::int64_t j = 0; j < equations.d; ++j)
    if (equations.equilibration[at(j)] == 0.0) columns += (columns.empty() ? "" : ", ") + std::to_string(j);
  if (!columns.empty())
    result.warnings.push_back(std::string(equations.centred ? "constant" : "zero") +
                              " columns of X, whose coefficient is 0: " + columns);
}

}  // namespace

std::vector<double> coef_units(const NormalEquations& equations, const Units& units, std::int64_t k) {
  std::vector<double> result;
  for (std::int64_t j = 0; j < equations.d; ++j)
    result.push_back(equations.equilibration[at(j)] * (units.scale[at(j)] / units.scale[at(equations.d + k)]));
  return result;
}

DoubleDouble penalty_paid(const NormalEquations& equations, const std::vector<DoubleDouble>& coef, std::int64_t k) {
  DoubleDouble sum;
  for (std::size_t j = 0; j < equations.penalty.size(); ++j) {
    const DoubleDouble& one = coef[j * at(equations.t) + at(k)];
    sum += DoubleDouble(equations.penalty[j]) * one * one;
  }
  return sum;
}

void store_solution(const NormalEquations& equations, const Units& units, Solution&& solution, LeastSquares& result) {
  result.d = equations.d;
  result.t = equations.t;
  result.rank = solution.rank;
  result.condition = solution.condition;
  result.weight = equations.weight.high / units.weight_scale;
  result.coef.resize(at(equations.t * equations.d));
  for (std::int64_t k = 0; k < equations.t; ++k) store_target(equations, units, solution, k, result);
  for (std::int64_t j = 0; j < equations.d + equations.t; ++j)
    result.means.push_back(mean_of(equations, units, j).high);
  store_factor(equations, units, std::move(solution.factor), result);
  store_projected(equations, units, std::move(solution.projected), result);
  warn_of_zeros(equations, result);
}

}  // namespace tilelearn::linear
