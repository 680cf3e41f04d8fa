// One k-means fit from a table to everything that a report may tell, whatever its precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/kmeans.hpp>

#include "cluster_run.hpp"
#include "console.hpp"

namespace tilelearn::cli {

struct KMeansRequest : ClusterRequest {
  KMeansOptions options{};
  /// First centres, k x features in the file's units.
  std::optional<Matrix<double>> init_centers{};
  bool wants_silhouette = false;
};

struct KMeansOutcome : ClusterOutcome {  ///< sizes: rows of positive weight
  double inertia = 0.0;
  std::int32_t n_iter = 0;
  bool converged = false;
  Matrix<double> centers{};  ///< k x features, in the file's units
  std::optional<double> silhouette{};
  std::string silhouette_note{};  ///< of how many rows, or why there is none
};

/// T is float or double.
template <typename T>
KMeansOutcome run_kmeans(const Input& input, const TableEncoder& encoder, const KMeansRequest& request,
                         const DeviceFlags& device, Console& console);

}  // namespace tilelearn::cli
