// tilelearn dbscan: from a CSV file to clusters of dense rows, noise, a picture and a model file.
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "dbscan_flags.hpp"
#include "dbscan_report.hpp"
#include "dbscan_run.hpp"
#include "eps_suggestion.hpp"
#include "fit_outputs.hpp"
#include "input.hpp"
#include "outputs.hpp"
#include "positions.hpp"
#include "standard_streams.hpp"
#include "svg_plot.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

void check_flags(const DBSCANFlags& flags) {
  if (is_on_earth(flags) && flags.features.standardize)
    throw UsageError("--standardize would move positions on the Earth; leave it out for --metric haversine");
  if (is_on_earth(flags) && flags.features.missing == MissingPolicy::mean)
    throw UsageError(
        "--missing mean would put rows where the mean of all positions is, which is no position of theirs; for "
        "--metric "
        "haversine leave such rows out with --missing drop");
  if (flags.suggest_eps) return check_suggestion_flags(flags);
  if (!flags.eps_text)
    throw UsageError("--eps is missing, and the clusters depend on it; --suggest-eps proposes one from the data");
}

Input read_rows(const DBSCANFlags& flags) {
  InputRules rules;
  rules.takes_negative_weights = true;
  rules.takes_means = !is_on_earth(flags);
  if (is_on_earth(flags)) rules.default_columns = find_position_columns;
  Input input = read_input(flags.file, flags.csv, flags.features, flags.device.threads, rules);
  if (is_on_earth(flags)) {
    check_position_columns(input.name, input.table, input.columns);
    check_degrees(input.name, input.table, input.columns);
  }
  return input;
}

DBSCANRequest make_request(const DBSCANFlags& flags, const Input& input) {
  DBSCANRequest request;
  request.options.min_samples = flags.min_samples;
  request.options.metric = flags.metric;
  if (flags.eps) request.options.eps = is_on_earth(flags) ? *flags.eps / earth_radius_km : *flags.eps;
  request.standardize = flags.features.standardize;
  request.repeat = flags.output.repeat;
  request.wants_plot = !flags.output.plot.empty();
  request.plot_columns = plot_columns(flags, input.table);
  if (request.plot_columns.empty() && is_on_earth(flags)) request.plot_columns = {input.columns[1], input.columns[0]};
  request.seed = flags.seed;
  return request;
}

void run(DBSCANFlags& flags) {
  Console console(flags.quiet);
  check_flags(flags);
  if (flags.eps_text) flags.eps = read_eps(flags);
  check_files(flags);
  const Stopwatch watch;
  const Input input = read_rows(flags);
  const TableEncoder encoder = naming_file(input.name, [&] {
    return TableEncoder::fit(input.table, {.columns = input.columns, .missing = flags.features.missing});
  });
  check_names(flags, encoder.feature_names());
  const DBSCANRequest request = make_request(flags, input);
  const double read_ms = watch.milliseconds();
  if (flags.suggest_eps) return suggest_eps(flags, input, encoder, request, read_ms, console);

  DBSCANOutcome outcome = flags.features.precision == Precision::float32
                              ? run_dbscan<float>(input, encoder, request, flags.device)
                              : run_dbscan<double>(input, encoder, request, flags.device);
  outcome.timings.read_ms += read_ms;
  const std::string title = name_of_input(flags.file) + ": " + clusters_text(outcome);
  console.report(input.notes, outcome.warnings);
  write_outputs(flags, outcome,
                {.pictures = {{flags.output.plot, [&] { return svg_plot(*outcome.scatter, title); }}},
                 .labels =
                     [&] {
                       return integers_csv({{"label", outcome.labels}, {"core", outcome.core}});
                     },
                 .json = [&] { return dbscan_json(flags, outcome); },
                 .summary = [&] { return dbscan_summary(flags, outcome); }},
                console);
}

}  // namespace

void add_dbscan_command(CLI::App& program) {
  auto* command = program.add_subcommand("dbscan", "Find clusters of dense rows, and noise, in a CSV file");
  auto flags = std::make_shared<DBSCANFlags>();
  add_data_flags(*command, *flags, number_columns_help);
  add_dbscan_flags(*command, *flags);
  add_cluster_output_flags(*command, flags->output, "columns 'label' (-1: noise) and 'core' (0 or 1)");
  add_run_flags(*command, *flags);
  command->callback([command, flags] {
    if (is_on_earth(*flags) && command->count("--precision") == 0) flags->features.precision = Precision::float64;
    run(*flags);
  });
}

}  // namespace tilelearn::cli
