// What the fits of clusters share beyond those of all estimators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fit_run.hpp"
#include "scatter.hpp"

namespace tilelearn::cli {

struct ClusterRequest : FitRequest {
  /// Two columns of the table, or none for principal directions.
  std::vector<std::string> plot_columns{};
};

struct ClusterOutcome : FitOutcome {
  std::vector<std::int64_t> sizes{};   ///< rows of each cluster
  std::vector<std::int32_t> labels{};  ///< one for each row of the file, left_out where it was dropped
  std::optional<Scatter> scatter{};
};

/// Values of the fitted rows, brought to the rows of the file; left_out for the others.
std::vector<std::int32_t> for_file_rows(const Input& input, const std::vector<std::int64_t>& fitted_rows,
                                        const std::vector<std::int32_t>& values);

}  // namespace tilelearn::cli
