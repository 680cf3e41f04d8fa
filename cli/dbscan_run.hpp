// One DBSCAN fit from a table to everything that a report may tell, whatever its precision.
#pragma once

#include <cstdint>
#include <vector>

#include <tilelearn/dbscan.hpp>

#include "cluster_run.hpp"

namespace tilelearn::cli {

struct DBSCANRequest : ClusterRequest {
  /// eps is in the units that the fit works in: radians for haversine.
  DBSCANOptions options{};
  std::uint64_t seed = 0;  ///< of the rows that are drawn or measured
};

struct DBSCANOutcome : ClusterOutcome {
  std::int64_t n_noise = 0;
  std::int64_t n_core = 0;
  std::vector<std::int64_t> core_sizes{};  ///< core rows of each cluster
  std::vector<std::int32_t> core{};        ///< 0 or 1 for each row of the file, left_out where it was dropped
};

/// What brings rows from the file's units to those of the fit: the columns' own scale, degrees to radians, or nothing.
template <typename T>
std::optional<StandardScaler<T>> make_scaler(const DBSCANRequest& request, const MatrixView<const T>& X);

/// @throws UsageError that names a row that the metric cannot measure: for cosine one of zeros
template <typename T>
void check_rows_of_metric(const Input& input, const TableEncoder& encoder, const DBSCANRequest& request,
                          const FitData<T>& data);

/// T is float or double.
template <typename T>
DBSCANOutcome run_dbscan(const Input& input, const TableEncoder& encoder, const DBSCANRequest& request,
                         const DeviceFlags& device);

}  // namespace tilelearn::cli
