// One linear regression from a table to everything that a report may tell, whatever its precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/linear_regression.hpp>

#include "fit_run.hpp"
#include "linear_fit.hpp"
#include "linear_quality.hpp"

namespace tilelearn::cli {

/// What least squares without a penalty know beyond their coefficients.
struct LeastSquaresFacts {
  std::int64_t rank = 0;
  double condition_number = 0.0;
  std::vector<double> singular_values{};
  RegressionSummary summary{};
};

/// How a penalty was chosen.
struct PenaltyFacts {
  double alpha = 0.0;
  std::vector<double> scores{};  ///< of generalised cross-validation, one for each penalty of the request
};

struct LinearRegressionOutcome : FitOutcome {
  std::vector<double> coef{};  ///< one for each feature, in the units of the fit
  double intercept = 0.0;
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;
  double r2 = 0.0;                ///< of the fit on all rows
  std::int64_t counted_rows = 0;  ///< of positive weight
  std::optional<LeastSquaresFacts> least_squares{};
  std::optional<PenaltyFacts> ridge{};
  std::optional<Predictions> held_out{};  ///< by a fit of the other rows
  std::optional<Predictions> fitted{};    ///< of all rows that count; for pictures, where none are held out
};

/// T is float or double.
template <typename T>
LinearRegressionOutcome run_linear_regression(const Input& input, const TableEncoder& encoder,
                                              const LinearRegressionRequest& request, const DeviceFlags& device);

}  // namespace tilelearn::cli
