// What an analyst asks of a linear regression: standard errors, tests, confidence intervals, quality of the fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>

namespace tilelearn {

/// One coefficient of a regression. NaN where the data do not determine it (dependent columns) or leave no degrees of
/// freedom.
struct CoefficientSummary {
  double estimate = 0.0;
  double standard_error = 0.0;
  double t = 0.0;
  double p = 0.0;      ///< two-sided, that the coefficient is 0
  double lower = 0.0;  ///< confidence interval
  double upper = 0.0;
};

/// Of one target. The model: errors independent, normal, of equal variance (over the weight of the row).
struct RegressionSummary {
  bool has_intercept = true;
  std::vector<CoefficientSummary> coefficients{};  ///< the intercept first, where there is one, then d columns
  std::int64_t observations = 0;                   ///< rows of positive weight
  std::int64_t model_degrees = 0;                  ///< rank of X, the intercept not counted
  std::int64_t residual_degrees = 0;               ///< observations - rank - 1 (- 0 without an intercept)
  double residual_standard_error = 0.0;
  /// Centred with an intercept, about 0 without one (LinearRegression::score is centred always).
  double r2 = 0.0;
  double adjusted_r2 = 0.0;
  double f = 0.0;
  double f_p = 0.0;  ///< that all coefficients but the intercept are 0
  double confidence = 0.0;
};

/// A table for people: one line a coefficient, the fit as a whole below. `names` are those of the d columns; x0, x1,
/// ... where it is empty. @throws ShapeMismatch for another number of names
[[nodiscard]] TILELEARN_API std::string to_text(const RegressionSummary& summary,
                                                const std::vector<std::string>& names = {});

}  // namespace tilelearn
