// The flags of tilelearn linear-regression, beyond those of every fit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "fit_flags.hpp"
#include "json_report.hpp"

namespace tilelearn::cli {

struct LinearRegressionFlags : FitFlags {
  std::string target{};
  std::vector<double> penalties{};  ///< none: least squares without one
  bool no_intercept = false;
  double test_fraction = 0.25;
  std::uint64_t seed = 0;
  std::string residual_plot{};
};

/// Of the estimator; FILE and the columns come before, output and device after.
void add_linear_regression_flags(CLI::App& command, LinearRegressionFlags& flags);
void add_residual_plot_flag(CLI::App& command, LinearRegressionFlags& flags);

/// @throws UsageError for values outside their range
void check_flags(const LinearRegressionFlags& flags);

/// What JSON says of them.
Json linear_regression_options(const LinearRegressionFlags& flags);

}  // namespace tilelearn::cli
