#include "json_report.hpp"

namespace tilelearn::cli {

Json with_shared_options(Json options, const FitFlags& flags) {
  const FeatureFlags& features = flags.features;
  options["standardize"] = features.standardize;
  options["weights"] = features.weights.empty() ? Json() : Json(features.weights);
  options["missing"] = name_of(features.missing);
  options["precision"] = name_of(features.precision);
  options["device"] = flags.device.device;
  options["threads"] = flags.device.threads > 0 ? Json(flags.device.threads) : Json();
  options["workspace_limit"] = flags.device.workspace_limit >= 0 ? Json(flags.device.workspace_limit) : Json();
  options["repeat"] = flags.output.repeat;
  return options;
}

std::string one_line_a_key(const Json& json) {
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    // JSON is UTF-8; a name in another encoding gets replacement characters.
    text.append(text.size() > 1 ? ",\n  \"" : "\n  \"").append(key).append("\": ");
    text.append(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return text + "\n}\n";
}

std::string json_report(const std::string& estimator, const FitFlags& flags, const FitOutcome& outcome, Json options,
                        const Json& result) {
  Json json;
  json["estimator"] = estimator;
  json["device"] = outcome.device.device.name();
  json["rows"] = outcome.rows;
  json["columns"] = outcome.features;
  json["options"] = with_shared_options(std::move(options), flags);
  json["timings_ms"] = {{"read", outcome.timings.read_ms},
                        {"copy", outcome.timings.copy_ms},
                        {"fit", outcome.timings.fit_ms},
                        {"predict", outcome.timings.predict_ms}};
  json["warnings"] = outcome.warnings;
  json["result"] = result;
  return one_line_a_key(json);
}

}  // namespace tilelearn::cli
