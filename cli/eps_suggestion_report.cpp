#include "eps_suggestion_report.hpp"

#include "json_report.hpp"
#include "report.hpp"
#include "standard_streams.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

/// Why there is no proposal, where there is none.
std::string none_because(const DBSCANFlags& flags, const DistanceCurve& curve) {
  if (curve.distances.back() == 0.0) return "the distances are all 0";
  return std::string("the distances are ") + (curve.distances[curve.knee] > 1.0 ? "beyond what " : "below what ") +
         name_of(flags.features.precision) + " holds";
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

}  // namespace

std::vector<std::string> curve_warnings(const DBSCANFlags& flags, const DistanceCurve& curve) {
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

std::string suggestion_summary(const DBSCANFlags& flags, const Suggestion& suggestion) {
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

std::string suggestion_json(const DBSCANFlags& flags, const Suggestion& suggestion) {
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

std::string suggestion_svg(const DBSCANFlags& flags, const Suggestion& suggestion) {
  return svg_picture(suggestion.curve, name_of_input(flags.file) + ": distances of rows from their neighbours",
                     measured_text(suggestion) + "; " + name_of(flags.metric), distances_text(flags));
}

}  // namespace tilelearn::cli
