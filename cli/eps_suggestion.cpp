#include "eps_suggestion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "commands.hpp"
#include "eps_suggestion_report.hpp"
#include "fit_outputs.hpp"
#include "k_distances.hpp"
#include "positions.hpp"
#include "sampling.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

/// Fewer rows are measured where the many columns leave the search nothing to prune and it would take long.
std::int64_t most_rows_measured(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most = 10000;
  constexpr std::int64_t least = 1000;
  constexpr std::int64_t pruned_columns = 8;
  constexpr double most_differences = 1e10;
  if (columns <= pruned_columns) return most;
  const double affordable = most_differences / (static_cast<double>(rows) * static_cast<double>(columns));
  return std::clamp(static_cast<std::int64_t>(affordable), least, most);
}

template <typename T>
std::vector<double> measure(const FitData<T>& data, const DBSCANRequest& request, int threads, Console& console) {
  const std::optional<StandardScaler<T>> scaler = make_scaler(request, data.X());
  const Matrix<T> scaled = scaler ? scaler->transform(data.X()) : Matrix<T>();
  const Matrix<T>& X = scaler ? scaled : data.features().X;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(X.rows()));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  rows = sample_rows(rows, most_rows_measured(X.rows(), X.columns()), request.seed, SampleUse::distances);
  const auto progress = [&](std::int64_t done) {
    console.progress(std::to_string(done) + " of " + count(static_cast<std::int64_t>(rows.size()), "row") +
                     " measured");
  };
  std::vector<double> distances =
      k_distances(X, request.options.metric, request.options.min_samples, rows, threads, progress);
  console.end_progress();
  if (request.options.metric == DBSCANMetric::haversine)
    for (double& distance : distances) distance *= earth_radius_km;
  return distances;
}

template <typename T>
Suggestion run_suggestion(const DBSCANFlags& flags, const Input& input, const TableEncoder& encoder,
                          const DBSCANRequest& request, Console& console) {
  Stopwatch watch;
  FitOutcome outcome;
  const FitData<T> data(input, encoder, outcome);
  if (flags.min_samples > outcome.rows)
    throw UsageError("--min-samples is " + std::to_string(flags.min_samples) + ", but there " +
                     (outcome.rows == 1 ? "is 1 row" : "are " + std::to_string(outcome.rows) + " rows") +
                     ": no eps makes a cluster");
  check_rows_of_metric(input, encoder, request, data);
  Suggestion suggestion{outcome.rows, outcome.file_rows, outcome.features, outcome.warnings};
  if (input.weights) suggestion.warnings.emplace_back("--suggest-eps counts rows, whatever their weights");
  suggestion.read_ms = watch.milliseconds();
  watch = Stopwatch();
  const Device cpu = flags.device.threads > 0 ? Device::cpu(flags.device.threads) : Device::cpu();
  std::vector<double> distances = measure(data, request, cpu.threads(), console);
  if (!std::isfinite(distances.front()))
    throw UsageError(
        "--suggest-eps: no row has " + count(flags.min_samples, "row") + " within " +
        exact(std::numeric_limits<double>::max()) +
        ", the largest number of float64; lower --min-samples, use --standardize, or give the file another "
        "unit");
  suggestion.curve = distance_curve(std::move(distances), [&flags](double eps) { return is_held(flags, eps); });
  suggestion.search_ms = watch.milliseconds();
  for (std::string& warning : curve_warnings(flags, suggestion.curve))
    suggestion.warnings.push_back(std::move(warning));
  return suggestion;
}

}  // namespace

void check_suggestion_flags(const DBSCANFlags& flags) {
  if (flags.eps_text) throw UsageError("--suggest-eps proposes an eps; leave out --eps, or --suggest-eps to fit");
  const auto refuse = [](const std::string& flag, const std::string& value) {
    if (!value.empty()) throw UsageError(flag + ": there is no fit with --suggest-eps; give --eps in place of it");
  };
  refuse("--labels", flags.output.labels);
  refuse("--model", flags.output.model);
  refuse("--plot-columns", flags.output.plot_columns);
}

void suggest_eps(const DBSCANFlags& flags, const Input& input, const TableEncoder& encoder,
                 const DBSCANRequest& request, double read_ms, Console& console) {
  Suggestion suggestion = flags.features.precision == Precision::float32
                              ? run_suggestion<float>(flags, input, encoder, request, console)
                              : run_suggestion<double>(flags, input, encoder, request, console);
  suggestion.read_ms += read_ms;
  if (flags.device.device != "auto" && flags.device.device != "cpu")
    suggestion.warnings.push_back("--suggest-eps works on the CPU; --device " + flags.device.device +
                                  " has no effect on it");
  console.report(input.notes, suggestion.warnings);
  write_text(
      flags.output.plot, [&] { return suggestion_svg(flags, suggestion); }, console);
  write_text(
      flags.output.json_file, [&] { return suggestion_json(flags, suggestion); }, console);
  if (flags.output.json)
    print(suggestion_json(flags, suggestion));
  else if (!flags.quiet)
    print(suggestion_summary(flags, suggestion));
}

}  // namespace tilelearn::cli
