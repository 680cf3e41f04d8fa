// What DBSCAN found, for people and for programs.
#pragma once

#include <string>

#include "dbscan_flags.hpp"
#include "dbscan_run.hpp"

namespace tilelearn::cli {

/// Several lines for standard output; numbers are rounded for reading (the JSON has all digits).
std::string dbscan_summary(const DBSCANFlags& flags, const DBSCANOutcome& outcome);

std::string dbscan_json(const DBSCANFlags& flags, const DBSCANOutcome& outcome);

/// "5 clusters and 48 rows of noise"
std::string clusters_text(const DBSCANOutcome& outcome);

}  // namespace tilelearn::cli
