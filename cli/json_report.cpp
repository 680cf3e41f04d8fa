#include "json_report.hpp"

#include <nlohmann/json.hpp>

namespace tilelearn::cli {

namespace {

using Json = nlohmann::ordered_json;

Json options_json(const JsonOptions& options, const KMeansRequest& request) {
  const KMeansOptions& fit = request.options;
  Json json;
  json["n_clusters"] = fit.n_clusters;
  json["init"] = options.init;
  json["n_init"] = fit.n_init == 0 ? Json("auto") : Json(fit.n_init);
  json["max_iter"] = fit.max_iter;
  json["tol"] = fit.tol;
  json["seed"] = fit.seed;
  json["standardize"] = request.standardize;
  json["weights"] = options.features.weights.empty() ? Json() : Json(options.features.weights);
  json["missing"] = name_of(request.missing);
  json["precision"] = name_of(options.features.precision);
  json["device"] = options.device.device;
  json["threads"] = options.device.threads > 0 ? Json(options.device.threads) : Json();
  json["workspace_limit"] = options.device.workspace_limit >= 0 ? Json(options.device.workspace_limit) : Json();
  json["repeat"] = request.repeat;
  return json;
}

Json centers_json(const Matrix<double>& centers) {
  Json rows = Json::array();
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    rows.push_back(
        std::vector<double>(centers.data() + c * centers.columns(), centers.data() + (c + 1) * centers.columns()));
  return rows;
}

/// Readable, and still short for thousands of centres.
std::string one_line_a_key(const Json& json) {
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    // JSON is UTF-8; a name in another encoding gets replacement characters.
    text.append(text.size() > 1 ? ",\n  \"" : "\n  \"").append(key).append("\": ");
    text.append(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return text + "\n}\n";
}

}  // namespace

std::string json_report(const JsonOptions& options, const KMeansRequest& request, const KMeansOutcome& outcome) {
  Json json;
  json["estimator"] = "kmeans";
  json["device"] = outcome.device.device.name();
  json["rows"] = outcome.rows;
  json["columns"] = outcome.features;
  json["options"] = options_json(options, request);
  json["timings_ms"] = {{"read", outcome.timings.read_ms},
                        {"copy", outcome.timings.copy_ms},
                        {"fit", outcome.timings.fit_ms},
                        {"predict", outcome.timings.predict_ms}};
  json["warnings"] = outcome.warnings;
  json["result"] = {{"inertia", outcome.inertia},
                    {"n_iter", outcome.n_iter},
                    {"converged", outcome.converged},
                    {"cluster_sizes", outcome.sizes},
                    {"cluster_centers", centers_json(outcome.centers)}};
  return one_line_a_key(json);
}

}  // namespace tilelearn::cli
