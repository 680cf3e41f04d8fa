// The result as JSON: every number reads back as the same bits.
#pragma once

#include <string>

#include "common_options.hpp"
#include "kmeans_run.hpp"

namespace tilelearn::cli {

/// What the command line asked for, beyond the request itself.
struct JsonOptions {
  std::string init{};  ///< a name, or the file of the first centres
  FeatureFlags features{};
  DeviceFlags device{};
};

std::string json_report(const JsonOptions& options, const KMeansRequest& request, const KMeansOutcome& outcome);

}  // namespace tilelearn::cli
