// The flags of `tilelearn dbscan`, in the user's units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/dbscan.hpp>

#include "fit_flags.hpp"
#include "json_report.hpp"

namespace tilelearn::cli {

struct DBSCANFlags : FitFlags {
  std::optional<std::string> eps_text{};  ///< of --eps
  std::optional<double> eps{};            ///< kilometres for haversine
  std::int64_t min_samples = DBSCANOptions{}.min_samples;
  DBSCANMetric metric = DBSCANMetric::euclidean;
  bool suggest_eps = false;
  std::uint64_t seed = 0;
};
void add_dbscan_flags(CLI::App& command, DBSCANFlags& flags);

inline bool is_on_earth(const DBSCANFlags& flags) { return flags.metric == DBSCANMetric::haversine; }

/// The value of --eps, once metric and precision are known. @throws UsageError for one that the precision cannot hold
double read_eps(const DBSCANFlags& flags);

/// Whether eps is above 0 and finite when it is rounded to the precision, in the units of the fit.
bool is_held(const DBSCANFlags& flags, double eps);

/// "float32, whose largest number is 3.4028235e+38"
std::string largest_text(Precision precision);

const char* name_of(DBSCANMetric metric);

/// The estimator's own options, in the order of the JSON.
Json dbscan_options(const DBSCANFlags& flags);

/// A distance as people read it: "100 km", "0.5 (of standardized columns)".
std::string distance_text(const DBSCANFlags& flags, double distance);

/// Which columns are latitude and longitude: a line of a summary; empty for metrics that are not of the Earth.
std::string positions_line(const DBSCANFlags& flags, const std::vector<std::string>& columns);

}  // namespace tilelearn::cli
