#include "eps_suggestion.hpp"

#include <algorithm>
#include <numeric>

#include "commands.hpp"
#include "distance_curve.hpp"
#include "fit_outputs.hpp"
#include "json_report.hpp"
#include "k_distances.hpp"
#include "positions.hpp"
#include "report.hpp"
#include "sampling.hpp"
#include "standard_streams.hpp"
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

struct Suggestion {
  std::int64_t rows = 0;
  std::int64_t file_rows = 0;
  std::vector<std::string> features{};
  std::vector<std::string> warnings{};
  DistanceCurve curve{};
  double read_ms = 0.0;
  double search_ms = 0.0;
};

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
  check_directions(input, request, data);
  Suggestion suggestion{outcome.rows, outcome.file_rows, outcome.features, outcome.warnings};
  if (input.weights) suggestion.warnings.emplace_back("--suggest-eps counts rows, whatever their weights");
  suggestion.read_ms = watch.milliseconds();
  watch = Stopwatch();
  const Device cpu = flags.device.threads > 0 ? Device::cpu(flags.device.threads) : Device::cpu();
  suggestion.curve = distance_curve(measure(data, request, cpu.threads(), console));
  suggestion.search_ms = watch.milliseconds();
  if (!suggestion.curve.eps)
    suggestion.warnings.push_back("every row is equal to " + std::to_string(flags.min_samples - 1) +
                                  " others or more: any eps will do");
  return suggestion;
}

/// Of how many rows the distances are.
std::string measured_text(const Suggestion& suggestion) {
  const auto measured = static_cast<std::int64_t>(suggestion.curve.distances.size());
  if (measured == suggestion.rows) return "all " + count(measured, "row");
  return std::to_string(measured) + " rows, drawn with the seed, among all " + std::to_string(suggestion.rows);
}

std::string distances_text(const DBSCANFlags& flags) {
  return "distance within which a row has " + count(flags.min_samples, "row") + ", itself included" +
         (flags.metric == DBSCANMetric::haversine ? " (km)" : "");
}

std::string summary(const DBSCANFlags& flags, const Suggestion& suggestion) {
  constexpr double percent = 100.0;
  std::string text = name_of_input(flags.file) + ": " + rows_text(suggestion.rows, suggestion.file_rows) + ", " +
                     count(static_cast<std::int64_t>(suggestion.features.size()), "column") + "\n";
  text += positions_line(flags, suggestion.features);
  text += "measured    " + measured_text(suggestion) + "; " + name_of(flags.metric) + "; min_samples " +
          std::to_string(flags.min_samples) + "\n";
  text += "time        read " + duration(suggestion.read_ms) + ", search " + duration(suggestion.search_ms) + "\n\n";
  text += distances_text(flags) + "; rows in ascending order\n" + text_picture(suggestion.curve) + "\n";
  if (!suggestion.curve.eps) return text + "proposal    none: the distances are all 0\n";
  const double eps = *suggestion.curve.eps;
  return text + "proposal    --eps " + exact(eps) +
         ", the knee of the curve (o): " + brief(share_within(suggestion.curve, eps) * percent, 3) +
         " % of the rows would be core rows\n";
}

std::string json(const DBSCANFlags& flags, const Suggestion& suggestion) {
  const DistanceCurve& curve = suggestion.curve;
  Json result;
  result["estimator"] = "dbscan";
  result["device"] = "cpu";
  result["rows"] = suggestion.rows;
  result["columns"] = suggestion.features;
  result["options"] = with_shared_options(dbscan_options(flags), flags);
  result["timings_ms"] = {{"read", suggestion.read_ms}, {"search", suggestion.search_ms}};
  result["warnings"] = suggestion.warnings;
  result["suggestion"] = {{"eps", curve.eps ? Json(*curve.eps) : Json()},
                          {"core_share", curve.eps ? Json(share_within(curve, *curve.eps)) : Json()},
                          {"knee", curve.knee},
                          {"k_distances", curve.distances}};
  return one_line_a_key(result);
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
  for (const std::string& warning : suggestion.warnings) console.warn(warning);
  const auto picture = [&] {
    return svg_picture(suggestion.curve, name_of_input(flags.file) + ": distances of rows from their neighbours",
                       measured_text(suggestion) + "; " + name_of(flags.metric), distances_text(flags));
  };
  write_text(flags.output.plot, picture, console);
  write_text(
      flags.output.json_file, [&] { return json(flags, suggestion); }, console);
  if (flags.output.json)
    print(json(flags, suggestion));
  else if (!flags.quiet)
    print(summary(flags, suggestion));
}

}  // namespace tilelearn::cli
