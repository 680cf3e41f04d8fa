#include "linear_regression_flags.hpp"

#include <algorithm>
#include <cmath>

#include "number_options.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

/// Numbers between commas.
std::vector<double> read_penalties(const std::string& text) {
  std::vector<double> penalties;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    penalties.push_back(read_real("--ridge", text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return penalties;
}

}  // namespace

void add_linear_regression_flags(CLI::App& command, LinearRegressionFlags& flags) {
  command
      .add_option("--target", flags.target, "Column of numbers to predict; all other columns are features by default")
      ->required()
      ->check([](const std::string& text) { return text.empty() ? "no column is named" : ""; });
  command
      .add_option_function<std::string>(
          "--ridge", [&flags](const std::string& text) { flags.penalties = read_penalties(text); },
          "0.1,1,10: penalties on the squares of the coefficients (not of the intercept), 0 or more; of several, the "
          "one that generalised cross-validation chooses [none: least squares]")
      ->option_text("FLOAT,...");
  command.add_flag("--no-intercept", flags.no_intercept, "No constant: the prediction of a row of zeros is 0");
  add_real(command, "--test-fraction", flags.test_fraction,
           "Share of the rows to hold out, from 0 to below 1: the quality told and the pictures are those of a fit of "
           "the others; table and model are of all rows, and with 0 so are the pictures");
  add_seed(command, flags.seed, "Of the rows that are held out and those that pictures draw, where they are not all");
}

void add_residual_plot_flag(CLI::App& command, LinearRegressionFlags& flags) {
  add_output_file(command, "--residual-plot", flags.residual_plot,
                  "SVG picture to write: residuals against predicted values");
}

void check_flags(const LinearRegressionFlags& flags) {
  if (!(flags.test_fraction >= 0.0 && flags.test_fraction < 1.0))
    throw UsageError("--test-fraction is " + exact(flags.test_fraction) + ", must be from 0 to below 1");
  for (const double penalty : flags.penalties)
    if (!(penalty >= 0.0 && std::isfinite(penalty)))
      throw UsageError("--ridge: a penalty is " + exact(penalty) + ", must be 0 or more and finite");
}

Json linear_regression_options(const LinearRegressionFlags& flags) {
  Json options;
  options["target"] = flags.target;
  options["ridge"] = flags.penalties.empty() ? Json() : Json(flags.penalties);
  options["fit_intercept"] = !flags.no_intercept;
  options["test_fraction"] = flags.test_fraction;
  options["seed"] = flags.seed;
  return options;
}

}  // namespace tilelearn::cli
