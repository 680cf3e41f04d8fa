#include "eps_suggestion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// Why there is no proposal, where there is none.
std::string none_because(const DBSCANFlags& flags, const DistanceCurve& curve) {
  if (curve.distances.back() == 0.0) return "the distances are all 0";
  return std::string("the distances are ") + (curve.distances[curve.knee] > 1.0 ? "beyond what " : "below what ") +
         name_of(flags.features.precision) + " holds";
}

std::vector<std::string> warnings_of(const DBSCANFlags& flags, const DistanceCurve& curve) {
  std::vector<std::string> warnings;
  if (curve.beyond > 0)
    warnings.push_back(count(static_cast<std::int64_t>(curve.beyond), "distance") +
                       (curve.beyond == 1 ? " is" : " are") +
                       " beyond float64: not in the picture, and null in the JSON");
  if (curve.eps) return warnings;
  if (curve.distances.back() > 0.0)
    warnings.push_back("no eps is proposed: " + none_because(flags, curve) + "; use --precision float64");
  else if (flags.min_samples == 1)
    warnings.emplace_back("with --min-samples 1 every row is a core row: any eps will do");
  else
    warnings.push_back("every row measured has " + count(flags.min_samples - 1, "other row") +
                       " or more at distance 0: any eps will do");
  return warnings;
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
  for (std::string& warning : warnings_of(flags, suggestion.curve)) suggestion.warnings.push_back(std::move(warning));
  return suggestion;
}

/// Of how many rows the distances are.
std::string measured_text(const Suggestion& suggestion) {
  const auto measured = static_cast<std::int64_t>(suggestion.curve.size());
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
  if (!suggestion.curve.eps) return text + "proposal    none: " + none_because(flags, suggestion.curve) + "\n";
  const double eps = *suggestion.curve.eps;
  return text + "proposal    --eps " + exact(eps) +
         ", the knee of the curve (o): " + brief(share_within(suggestion.curve, eps) * percent, 3) +
         " % of the rows would be core rows\n";
}

std::string json(const DBSCANFlags& flags, const Suggestion& suggestion) {
  const DistanceCurve& curve = suggestion.curve;
  Json distances = curve.distances;
  for (std::size_t i = 0; i < curve.beyond; ++i) distances.push_back(nullptr);
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
                          {"k_distances", std::move(distances)}};
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
  console.report(input.notes, suggestion.warnings);
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
