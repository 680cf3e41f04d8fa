// The summary that people read.
#pragma once

#include <string>

#include "kmeans_run.hpp"

namespace tilelearn::cli {

/// Several lines for standard output; numbers are rounded for reading (the JSON has all digits).
std::string summary(const std::string& file, const KMeansRequest& request, const KMeansOutcome& outcome);

}  // namespace tilelearn::cli
