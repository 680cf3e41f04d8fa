// One k-means fit from a table to everything that a report may tell, whatever its precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/kmeans.hpp>
#include <tilelearn/pipeline.hpp>

#include "console.hpp"
#include "device_choice.hpp"
#include "input.hpp"
#include "scatter.hpp"

namespace tilelearn::cli {

/// What the user asked of the fit.
struct KMeansRequest {
  KMeansOptions options{};
  /// First centres, k x features in the file's units.
  std::optional<Matrix<double>> init_centers{};
  bool standardize = false;
  MissingPolicy missing = MissingPolicy::error;
  int repeat = 1;
  bool wants_silhouette = false;
  bool wants_plot = false;
  /// Two columns of the table, or none for principal directions.
  std::vector<std::string> plot_columns{};
  /// What is odd about the request itself.
  std::vector<std::string> warnings{};
};

struct Timings {
  double read_ms = 0.0;
  double copy_ms = 0.0;
  double fit_ms = 0.0;
  double predict_ms = 0.0;
};

struct KMeansOutcome {
  DeviceChoice device;
  std::int64_t rows = 0;  ///< that were fitted
  std::int64_t file_rows = 0;
  std::vector<std::string> features{};
  Timings timings{};
  std::vector<std::string> warnings{};
  double inertia = 0.0;
  std::int32_t n_iter = 0;
  bool converged = false;
  std::vector<std::int64_t> sizes{};   ///< rows of positive weight
  Matrix<double> centers{};            ///< k x features, in the file's units
  std::vector<std::int32_t> labels{};  ///< one for each row of the file, left_out where it was dropped
  std::optional<double> silhouette{};
  std::string silhouette_note{};  ///< of how many rows, or why there is none
  std::optional<Scatter> scatter{};
  std::optional<Pipeline> pipeline{};
};

/// T is float or double.
template <typename T>
KMeansOutcome run_kmeans(const Input& input, const TableEncoder& encoder, const KMeansRequest& request,
                         const DeviceFlags& device, Console& console);

}  // namespace tilelearn::cli
