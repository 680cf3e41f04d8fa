// What a linear regression says of itself: for people, and as JSON.
#pragma once

#include <string>

#include "linear_regression_flags.hpp"
#include "linear_regression_run.hpp"

namespace tilelearn::cli {

std::string linear_regression_summary(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome);
std::string linear_regression_json(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome);

/// "R2 0.92, RMSE 1130"
std::string quality_text(const Quality& quality);

}  // namespace tilelearn::cli
