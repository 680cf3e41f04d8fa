#include "dbscan_flags.hpp"

#include <array>

#include "text.hpp"

namespace tilelearn::cli {

namespace {

const std::array<const char*, 5> metric_names = {"euclidean", "manhattan", "chebyshev", "cosine", "haversine"};

}  // namespace

void add_dbscan_flags(CLI::App& command, DBSCANFlags& flags) {
  add_real(command, "--eps", flags.eps,
           "Largest distance between neighbours, itself included; in the file's units, for haversine in kilometres");
  command
      .add_option("--min-samples", flags.min_samples,
                  "Rows within eps, the row itself included, that make it a core row of a cluster; with --weights, the "
                  "sum of their weights [5]")
      ->check(at_least_one());
  add_choice(command, "--metric", flags.metric, metric_names,
             "What distance is; haversine is that on the Earth between two columns, latitude and longitude in degrees "
             "(those of --columns in this order, else found by name), in float64 unless --precision is given");
  command.add_flag(
      "--suggest-eps", flags.suggest_eps,
      "In place of a fit, draw how far rows are from their nearest --min-samples rows, and propose an eps");
  add_seed(command, flags.seed);
}

const char* name_of(DBSCANMetric metric) { return metric_names.at(static_cast<std::size_t>(metric)); }

Json dbscan_options(const DBSCANFlags& flags) {
  Json options;
  options["eps"] = flags.eps ? Json(*flags.eps) : Json();
  options["eps_unit"] = flags.metric == DBSCANMetric::haversine ? Json("km") : Json();
  options["min_samples"] = flags.min_samples;
  options["metric"] = name_of(flags.metric);
  options["seed"] = flags.seed;
  return options;
}

std::string distance_text(const DBSCANFlags& flags, double distance) {
  if (flags.metric == DBSCANMetric::haversine) return brief(distance) + " km";
  return brief(distance) + (flags.features.standardize ? " (of standardized columns)" : "");
}

std::string positions_line(const DBSCANFlags& flags, const std::vector<std::string>& columns) {
  if (flags.metric != DBSCANMetric::haversine) return "";
  return "positions   latitude " + columns[0] + ", longitude " + columns[1] + " (degrees)\n";
}

}  // namespace tilelearn::cli
