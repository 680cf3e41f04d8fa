// tilelearn linear-regression: from a CSV file to a table of coefficients, pictures and a model file.
#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fit_outputs.hpp"
#include "input.hpp"
#include "linear_regression_flags.hpp"
#include "linear_regression_pictures.hpp"
#include "linear_regression_report.hpp"
#include "linear_regression_run.hpp"
#include "standard_streams.hpp"
#include "stopwatch.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

/// A text with more values than so is rather a name of the row; it is used where --columns names it.
constexpr std::int64_t most_values = 1000;

void check_text_columns(const Input& input) {
  for (const std::string& column : input.columns) {
    if (input.table.kind(column) != ColumnKind::category) continue;
    const auto values = static_cast<std::int64_t>(input.table.categories(column).size());
    if (values > most_values)
      throw UsageError(input.name + ": column '" + column + "' is text of " + std::to_string(values) +
                       " different values, a column of 0 and 1 for each but one; leave it out with --exclude, or name "
                       "it with --columns to use it all the same");
  }
}

/// Results name features, so names must tell them apart.
void check_feature_names(const std::string& file, std::vector<std::string> features) {
  std::sort(features.begin(), features.end());
  const auto twice = std::adjacent_find(features.begin(), features.end());
  if (twice == features.end()) return;
  throw UsageError(file + ": both a column and a value of another are called '" + *twice +
                   "'; leave one of the columns out with --exclude");
}

Input read_rows(const LinearRegressionFlags& flags) {
  InputRules rules;
  rules.default_columns = [](const Table& table) { return table.columns(); };
  rules.target = flags.target;
  rules.drops_first = true;
  Input input = read_input(flags.file, flags.csv, flags.features, flags.device.threads, rules);
  if (flags.features.columns.empty()) check_text_columns(input);
  return input;
}

TableEncoder make_encoder(const LinearRegressionFlags& flags, const Input& input) {
  TableEncoder encoder = naming_file(input.name, [&] {
    return TableEncoder::fit(input.table, {.columns = input.columns,
                                           .missing = flags.features.missing,
                                           .sample_weight = input.weights,
                                           .drop_first = true});
  });
  check_names(flags, encoder.feature_names());
  check_feature_names(input.name, encoder.feature_names());
  return encoder;
}

LinearRegressionRequest make_request(const LinearRegressionFlags& flags) {
  LinearRegressionRequest request;
  request.standardize = flags.features.standardize;
  request.repeat = flags.output.repeat;
  request.wants_plot = !flags.output.plot.empty() || !flags.residual_plot.empty();
  request.penalties = flags.penalties;
  request.fit_intercept = !flags.no_intercept;
  request.test_fraction = flags.test_fraction;
  request.seed = flags.seed;
  return request;
}

/// Of the rows held out, where there are any.
LinearPicture make_picture(const LinearRegressionFlags& flags, const LinearRegressionOutcome& outcome) {
  const Predictions& predictions = outcome.held_out ? *outcome.held_out : *outcome.fitted;
  const auto rows = static_cast<std::int64_t>(predictions.actual.size());
  return {name_of_input(flags.file), flags.target,
          count(rows, "row") + (outcome.held_out ? " held out" : " of the fit"), predictions, flags.seed};
}

void run(const LinearRegressionFlags& flags) {
  Console console(flags.quiet);
  check_flags(flags);
  check_files(flags, {}, {{"--residual-plot", flags.residual_plot}});
  const Stopwatch watch;
  const Input input = read_rows(flags);
  const TableEncoder encoder = make_encoder(flags, input);
  const double read_ms = watch.milliseconds();

  const LinearRegressionRequest request = make_request(flags);
  LinearRegressionOutcome outcome = flags.features.precision == Precision::float32
                                        ? run_linear_regression<float>(input, encoder, request, flags.device)
                                        : run_linear_regression<double>(input, encoder, request, flags.device);
  outcome.timings.read_ms += read_ms;
  console.report(input.notes, outcome.warnings);
  const auto predicted = [&] { return predicted_against_actual(make_picture(flags, outcome)); };
  const auto residuals = [&] { return residuals_against_predicted(make_picture(flags, outcome)); };
  write_outputs(flags, outcome,
                {.pictures = {{flags.output.plot, predicted}, {flags.residual_plot, residuals}},
                 .json = [&] { return linear_regression_json(flags, outcome); },
                 .summary = [&] { return linear_regression_summary(flags, outcome); }},
                console);
}

}  // namespace

void add_linear_regression_command(CLI::App& program) {
  auto* command =
      program.add_subcommand("linear-regression", "Predict a column of a CSV file from the others, by least squares");
  auto flags = std::make_shared<LinearRegressionFlags>();
  flags->features.precision = Precision::float64;
  add_data_flags(*command, *flags,
                 "[all but the target]; a column of text becomes one column of 0 and 1 for each of its values but the "
                 "first, which it is compared with");
  add_linear_regression_flags(*command, *flags);
  add_output_flags(*command, flags->output, ": predicted against actual values");
  add_residual_plot_flag(*command, *flags);
  add_run_flags(*command, *flags);
  command->callback([flags] { run(*flags); });
}

}  // namespace tilelearn::cli
