// What k-means found, for people and for programs.
#pragma once

#include <string>

#include "fit_flags.hpp"
#include "kmeans_run.hpp"

namespace tilelearn::cli {

/// Several lines for standard output; numbers are rounded for reading (the JSON has all digits).
std::string kmeans_summary(const FitFlags& flags, const KMeansOutcome& outcome);

/// `init` is a name, or the file of the first centres.
std::string kmeans_json(const FitFlags& flags, const std::string& init, const KMeansOptions& options,
                        const KMeansOutcome& outcome);

}  // namespace tilelearn::cli
