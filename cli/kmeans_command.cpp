// tilelearn kmeans: from a CSV file to clusters, a picture and a model file.
#include <limits>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fit_flags.hpp"
#include "fit_outputs.hpp"
#include "init_centers.hpp"
#include "input.hpp"
#include "kmeans_report.hpp"
#include "kmeans_run.hpp"
#include "number_options.hpp"
#include "outputs.hpp"
#include "standard_streams.hpp"
#include "stopwatch.hpp"
#include "svg_plot.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int32_t no_ceiling = std::numeric_limits<std::int32_t>::max();

struct Flags : FitFlags {
  std::string init = "k-means++";
  std::int32_t n_clusters = 0;  ///< 0: not given
  KMeansOptions options{};
};

std::string init_file(const Flags& flags) { return init_method(flags.init) ? "" : flags.init; }

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

KMeansRequest make_request(const Flags& flags, const Input& input, const TableEncoder& encoder) {
  KMeansRequest request;
  request.options = flags.options;
  request.standardize = flags.features.standardize;
  request.repeat = flags.output.repeat;
  request.wants_silhouette = !flags.output.json && !flags.quiet;
  request.wants_plot = !flags.output.plot.empty();
  request.plot_columns = plot_columns(flags, input.table);
  set_centers(flags, encoder.feature_names(), request);
  return request;
}

void run(const Flags& flags) {
  Console console(flags.quiet);
  check_files(flags, {{"--init", init_file(flags)}});
  const Stopwatch watch;
  const Input input = read_input(flags.file, flags.csv, flags.features, flags.device.threads);
  const TableEncoder encoder = naming_file(input.name, [&] {
    return TableEncoder::fit(
        input.table, {.columns = input.columns, .missing = flags.features.missing, .sample_weight = input.weights});
  });
  check_names(flags, encoder.feature_names());
  const KMeansRequest request = make_request(flags, input, encoder);
  const double read_ms = watch.milliseconds();

  KMeansOutcome outcome = flags.features.precision == Precision::float32
                              ? run_kmeans<float>(input, encoder, request, flags.device, console)
                              : run_kmeans<double>(input, encoder, request, flags.device, console);
  outcome.timings.read_ms += read_ms;
  const std::string title = name_of_input(flags.file) + ": " + count(outcome.centers.rows(), "cluster");
  console.report(input.notes, outcome.warnings);
  write_outputs(flags, outcome,
                {.pictures = {{flags.output.plot, [&] { return svg_plot(*outcome.scatter, title); }}},
                 .labels =
                     [&] {
                       return integers_csv({{"label", outcome.labels}});
                     },
                 .json = [&] { return kmeans_json(flags, flags.init, request.options, outcome); },
                 .summary = [&] { return kmeans_summary(flags, outcome); }},
                console);
}

void add_fit_flags(CLI::App& command, Flags& flags) {
  add_integer(command, "--n-clusters", flags.n_clusters, "Number of clusters [8, or the rows of the --init file]");
  command.add_option("--init", flags.init,
                     "First centres: k-means++, k-means|| (much faster for many clusters on a GPU), random, or a CSV "
                     "file of centres in the file's units [k-means++]");
  add_integer(command, "--n-init", flags.options.n_init,
              "Starts to try, the best is kept [10 for random, else 1]; one with an --init file");
  add_integer(command, "--max-iter", flags.options.max_iter, "Iterations of a start at most [300]");
  add_real(command, "--tol", flags.options.tol,
           "Stop when the squared movement of the centres is at most so much, times the mean variance of the columns");
  add_seed(
      command, flags.options.seed,
      "Of the first centres, and of the rows that are drawn or that the silhouette is measured on; equal seeds give "
      "equal results");
}

}  // namespace

void add_kmeans_command(CLI::App& program) {
  auto* command = program.add_subcommand("kmeans", "Find clusters in a CSV file");
  auto flags = std::make_shared<Flags>();
  add_data_flags(*command, *flags, number_columns_help);
  add_fit_flags(*command, *flags);
  add_cluster_output_flags(*command, flags->output, "column 'label'");
  add_run_flags(*command, *flags);
  command->callback([flags] { run(*flags); });
}

}  // namespace tilelearn::cli
