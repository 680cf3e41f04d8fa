// How much work a search for neighbours is expected to be, for the choice of a device.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tilelearn::cli {

/// Multiply-adds of finding, for `rows` rows of `columns` columns, their neighbours among `others` rows. A guess, since
/// what eps prunes is known after the work alone: of the pairs that more than three columns leave, clusters far from
/// each other took 0.2 %, one normal cloud 15 %.
inline double dbscan_work(std::int64_t rows, std::int64_t others, std::int64_t columns) {
  constexpr std::int64_t grid_columns = 3;
  constexpr double grid_work_a_row = 2000.0;
  constexpr double share_of_pairs = 0.02;
  const auto n = static_cast<double>(rows);
  if (columns <= grid_columns) return n * grid_work_a_row;
  return n * std::max(grid_work_a_row, share_of_pairs * static_cast<double>(others) * static_cast<double>(columns));
}

}  // namespace tilelearn::cli
