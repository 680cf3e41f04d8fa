// tilelearn kmeans: from a CSV file to clusters, a picture and a model file.
#include <chrono>
#include <limits>
#include <memory>

#include "commands.hpp"
#include "common_options.hpp"
#include "console.hpp"
#include "core/atomic_file.hpp"
#include "init_centers.hpp"
#include "input.hpp"
#include "json_report.hpp"
#include "kmeans_run.hpp"
#include "outputs.hpp"
#include "report.hpp"
#include "standard_streams.hpp"
#include "svg_plot.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int32_t no_ceiling = std::numeric_limits<std::int32_t>::max();

struct Flags {
  std::string file{};
  std::string init = "k-means++";
  std::int32_t n_clusters = 0;  ///< 0: not given
  KMeansOptions options{};
  CsvFlags csv{};
  FeatureFlags features{};
  DeviceFlags device{};
  OutputFlags output{};
  bool quiet = false;
};

std::string init_file(const Flags& flags) { return init_method(flags.init) ? "" : flags.init; }

std::string printed(const Flags& flags) {
  if (flags.output.json) return "the JSON of --json; name another file";
  return flags.quiet ? "" : "the summary; name another file, or add --quiet";
}

void check_files(const Flags& flags) {
  check_outputs({{"FILE", flags.file}, {"--init", init_file(flags)}},
                {{"--labels", flags.output.labels},
                 {"--model", flags.output.model},
                 {"--plot", flags.output.plot},
                 {"--json-file", flags.output.json_file}},
                printed(flags));
}

std::vector<std::string> plot_columns(const Flags& flags, const Table& table) {
  if (flags.output.plot_columns.empty()) return {};
  std::vector<std::string> columns = split_names(flags.output.plot_columns);
  if (columns.size() != 2)
    throw UsageError("--plot-columns names " + count(static_cast<std::int64_t>(columns.size()), "column") +
                     "; name two, as in --plot-columns a,b");
  check_columns(table, columns, "--plot-columns");
  for (const std::string& column : columns)
    if (table.kind(column) == ColumnKind::category)
      throw UsageError("--plot-columns: column '" + column + "' is text; choose a column of numbers");
  return columns;
}

void set_centers(const Flags& flags, const std::vector<std::string>& features, KMeansRequest& request) {
  if (const auto method = init_method(flags.init)) {
    request.options.init = *method;
    if (flags.n_clusters > 0) request.options.n_clusters = flags.n_clusters;
    return;
  }
  request.init_centers = read_init_centers(flags.init, flags.csv, features);
  const std::int64_t centers = request.init_centers->rows();
  if (flags.n_clusters > 0 && flags.n_clusters != centers)
    throw UsageError("--n-clusters is " + std::to_string(flags.n_clusters) + ", but --init " + flags.init + " holds " +
                     count(centers, "centre") + "; leave --n-clusters out");
  request.options.n_clusters = static_cast<std::int32_t>(std::min<std::int64_t>(centers, no_ceiling));
  if (request.options.n_init > 1)
    request.warnings.push_back("--n-init is " + std::to_string(request.options.n_init) + ", but --init " + flags.init +
                               " gives the first centres: there is one start");
  request.options.n_init = 1;
}

/// Model files are UTF-8; better said now than after a long fit.
void check_names(const Flags& flags, const std::vector<std::string>& features) {
  if (flags.output.model.empty()) return;
  for (const std::string& name : features)
    if (utf8(name) != name)
      throw UsageError("--model: '" + utf8(name) + "' in " + name_of_input(flags.file) +
                       " is not UTF-8; convert the file, for example with iconv -f latin1 -t utf8");
}

KMeansRequest make_request(const Flags& flags, const Input& input, const TableEncoder& encoder) {
  KMeansRequest request;
  request.options = flags.options;
  request.standardize = flags.features.standardize;
  request.missing = flags.features.missing;
  request.repeat = flags.output.repeat;
  request.wants_silhouette = !flags.output.json && !flags.quiet;
  request.wants_plot = !flags.output.plot.empty();
  request.plot_columns = plot_columns(flags, input.table);
  set_centers(flags, encoder.feature_names(), request);
  return request;
}

void write_outputs(const Flags& flags, const KMeansRequest& request, const KMeansOutcome& outcome, Console& console) {
  const auto write = [&console](const std::string& path, const auto& text_of) {
    if (path.empty()) return;
    detail::write_file(path, text_of());
    console.note("wrote " + path);
  };
  const std::string name = name_of_input(flags.file);
  const auto json = [&] { return json_report({flags.init, flags.features, flags.device}, request, outcome); };
  write(flags.output.labels, [&] { return one_column_csv("label", outcome.labels); });
  if (!flags.output.model.empty()) {
    outcome.pipeline->save(flags.output.model);
    console.note("wrote " + flags.output.model);
  }
  write(flags.output.plot,
        [&] { return svg_plot(*outcome.scatter, name + ": " + count(outcome.centers.rows(), "cluster")); });
  write(flags.output.json_file, json);
  if (flags.output.json)
    print(json());
  else if (!flags.quiet)
    print(summary(name, request, outcome));
}

void run(const Flags& flags) {
  Console console(flags.quiet);
  check_files(flags);
  const auto start = std::chrono::steady_clock::now();
  const Input input = read_input(flags.file, flags.csv, flags.features, flags.device.threads, console);
  const TableEncoder encoder = TableEncoder::fit(
      input.table, {.columns = input.columns, .missing = flags.features.missing, .sample_weight = input.weights});
  check_names(flags, encoder.feature_names());
  const KMeansRequest request = make_request(flags, input, encoder);
  const double read_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  KMeansOutcome outcome = flags.features.precision == Precision::float32
                              ? run_kmeans<float>(input, encoder, request, flags.device, console)
                              : run_kmeans<double>(input, encoder, request, flags.device, console);
  outcome.timings.read_ms += read_ms;
  for (const std::string& warning : outcome.warnings) console.warn(warning);
  write_outputs(flags, request, outcome, console);
}

void add_fit_flags(CLI::App& command, Flags& flags) {
  command.add_option("--n-clusters", flags.n_clusters, "Number of clusters [8, or the rows of the --init file]")
      ->check(at_least_one());
  command.add_option("--init", flags.init,
                     "First centres: k-means++, k-means|| (much faster for many clusters on a GPU), random, or a CSV "
                     "file of centres in the file's units [k-means++]");
  command
      .add_option("--n-init", flags.options.n_init,
                  "Starts to try, the best is kept [10 for random, else 1]; one with an --init file")
      ->check(at_least_one());
  command.add_option("--max-iter", flags.options.max_iter, "Iterations of a start at most [300]")
      ->check(at_least_one());
  add_real(command, "--tol", flags.options.tol,
           "Stop when the squared movement of the centres is at most so much, times the mean variance of the columns");
  add_seed(command, flags.options.seed);
}

}  // namespace

void add_kmeans_command(CLI::App& program) {
  auto* command = program.add_subcommand("kmeans", "Find clusters in a CSV file");
  auto flags = std::make_shared<Flags>();
  add_input_file(*command, flags->file, "CSV file: a row for each sample, columns with or without names");
  add_feature_flags(*command, flags->features);
  add_fit_flags(*command, *flags);
  add_output_flags(*command, flags->output);
  add_device_flags(*command, flags->device);
  add_csv_flags(*command, flags->csv);
  add_quiet_flag(*command, flags->quiet);
  command->callback([flags] { run(*flags); });
}

}  // namespace tilelearn::cli
