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
  std::optional<double> eps{};  ///< kilometres for haversine
  std::int64_t min_samples = DBSCANOptions{}.min_samples;
  DBSCANMetric metric = DBSCANMetric::euclidean;
  bool suggest_eps = false;
  std::uint64_t seed = 0;
};
void add_dbscan_flags(CLI::App& command, DBSCANFlags& flags);

const char* name_of(DBSCANMetric metric);

/// The estimator's own options, in the order of the JSON.
Json dbscan_options(const DBSCANFlags& flags);

/// A distance as people read it: "100 km", "0.5 (of standardized columns)".
std::string distance_text(const DBSCANFlags& flags, double distance);

/// Which columns are latitude and longitude: a line of a summary; empty for metrics that are not of the Earth.
std::string positions_line(const DBSCANFlags& flags, const std::vector<std::string>& columns);

}  // namespace tilelearn::cli
