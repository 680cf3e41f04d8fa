// Standard errors and tests from the factor of a fit, and their table.
#include <tilelearn/regression_summary.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tilelearn/error.hpp>
#include <tilelearn/linear_regression.hpp>

#include "core/text.hpp"
#include "linear/distributions.hpp"
#include "linear/linear_model.hpp"

namespace tilelearn {

namespace {

using linear::DoubleDouble;
using linear::Factor;

double number(double value) { return value; }
double number(const DoubleDouble& value) { return value.high; }

template <typename Number>
Number value_at(const Factor& factor, std::int64_t d, std::int64_t i, std::int64_t j) {
  const auto place = static_cast<std::size_t>(i * d + j);
  if constexpr (std::is_same_v<Number, double>)
    return factor.high[place];
  else
    return {factor.high[place], factor.low[place]};
}

/// Squares of the columns' errors per unit of variance, and that of the intercept.
struct Variances {
  std::vector<double> of_columns;
  double of_means = 0.0;
};

/// Diagonal of (R^T R)^-1, and |R^-T means|^2; R is d x d, of full rank.
template <typename Number>
Variances variances(const Factor& factor, const std::vector<double>& means) {
  const auto d = static_cast<std::int64_t>(factor.order.size());
  Variances result{std::vector<double>(factor.order.size()), 0.0};
  std::vector<Number> squares(factor.order.size(), Number(0.0));
  std::vector<Number> column(factor.order.size());
  for (std::int64_t k = 0; k < d; ++k) {  // column k of R^-1, from its last value up
    for (std::int64_t i = k; i >= 0; --i) {
      Number sum = Number(i == k ? 1.0 : 0.0);
      for (std::int64_t j = i + 1; j <= k; ++j)
        sum = sum - value_at<Number>(factor, d, i, j) * column[static_cast<std::size_t>(j)];
      Number& value = column[static_cast<std::size_t>(i)];
      value = sum / value_at<Number>(factor, d, i, i);
      squares[static_cast<std::size_t>(i)] = squares[static_cast<std::size_t>(i)] + value * value;
    }
  }
  Number of_means = Number(0.0);
  std::vector<Number>& solved = column;
  for (std::int64_t i = 0; i < d; ++i) {
    Number sum = Number(means[static_cast<std::size_t>(factor.order[static_cast<std::size_t>(i)])]);
    for (std::int64_t j = 0; j < i; ++j)
      sum = sum - value_at<Number>(factor, d, j, i) * solved[static_cast<std::size_t>(j)];
    solved[static_cast<std::size_t>(i)] = sum / value_at<Number>(factor, d, i, i);
    of_means = of_means + solved[static_cast<std::size_t>(i)] * solved[static_cast<std::size_t>(i)];
  }
  for (std::int64_t i = 0; i < d; ++i)
    result.of_columns[static_cast<std::size_t>(factor.order[static_cast<std::size_t>(i)])] =
        number(squares[static_cast<std::size_t>(i)]);
  result.of_means = number(of_means);
  return result;
}

CoefficientSummary describe(double estimate, double standard_error, double degrees, double quantile) {
  CoefficientSummary result{estimate, standard_error, estimate / standard_error, 0.0, 0.0, 0.0};
  result.p = std::isnan(result.t) ? result.t : linear::student_t_two_sided(result.t, degrees);
  result.lower = estimate - quantile * standard_error;
  result.upper = estimate + quantile * standard_error;
  return result;
}

}  // namespace

template <typename T>
RegressionSummary LinearRegression<T>::summary(std::int64_t target, double confidence) const {
  if (!model_) throw NotFitted("LinearRegression::summary: call fit first");
  const linear::LinearModel& model = *model_;
  if (target < 0 || target >= model.targets())
    throw InvalidArgument("LinearRegression::summary: target " + std::to_string(target) + " of a fit of " +
                          std::to_string(model.targets()));
  if (!(confidence > 0.0 && confidence < 1.0))
    throw InvalidArgument("LinearRegression::summary: confidence is " + detail::shortest_text(confidence) +
                          ", must be above 0 and below 1");
  if (options_.positive)
    throw InvalidArgument(
        "LinearRegression::summary: there are no standard errors of coefficients that are kept positive");
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto k = static_cast<std::size_t>(target);
  const std::int64_t d = model.features();
  const std::int64_t constant = options_.fit_intercept ? 1 : 0;
  RegressionSummary result;
  result.has_intercept = options_.fit_intercept;
  result.confidence = confidence;
  result.observations = model.observations;
  result.model_degrees = model.rank;
  result.residual_degrees = model.observations - model.rank - constant;
  const auto degrees = static_cast<double>(result.residual_degrees);
  const double rest = model.residual_squares[k];
  const double total = model.total_squares[k];
  const double variance = result.residual_degrees > 0 ? rest / degrees : unknown;
  result.residual_standard_error = std::sqrt(variance);
  result.r2 = total > 0.0 ? 1.0 - rest / total : unknown;
  result.adjusted_r2 = 1.0 - (1.0 - result.r2) * static_cast<double>(model.observations - constant) /
                                 (result.residual_degrees > 0 ? degrees : unknown);
  result.f = model.rank > 0 ? (total - rest) / static_cast<double>(model.rank) / variance : unknown;
  result.f_p =
      std::isnan(result.f) ? unknown : linear::fisher_f_upper(result.f, static_cast<double>(model.rank), degrees);
  const double quantile = result.residual_degrees > 0 ? linear::student_t_quantile(1.0 - confidence, degrees) : unknown;
  Variances spread{std::vector<double>(static_cast<std::size_t>(d), unknown), unknown};
  if (model.rank == d)
    spread = model.factor.low.empty() ? variances<double>(model.factor, model.means)
                                      : variances<DoubleDouble>(model.factor, model.means);
  if (options_.fit_intercept)
    result.coefficients.push_back(
        describe(model.intercept[k], std::sqrt(variance * (1.0 / model.weight + spread.of_means)), degrees, quantile));
  for (std::int64_t j = 0; j < d; ++j)
    result.coefficients.push_back(describe(model.coef(target, j),
                                           std::sqrt(variance * spread.of_columns[static_cast<std::size_t>(j)]),
                                           degrees, quantile));
  return result;
}

template RegressionSummary LinearRegression<float>::summary(std::int64_t, double) const;
template RegressionSummary LinearRegression<double>::summary(std::int64_t, double) const;

}  // namespace tilelearn
