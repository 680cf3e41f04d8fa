// How much work a search for neighbours is expected to be, for the choice of a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilelearn::cli {

/// Multiply-adds of finding, for `rows` rows of `columns` columns, their neighbours among `others` rows. A guess: what
/// eps prunes is known after the work alone.
inline double dbscan_work(std::int64_t rows, std::int64_t others, std::int64_t columns) {
  constexpr std::int64_t grid_columns = 3;    // searched by a grid of cells
  constexpr double grid_work_a_row = 2000.0;  // sorting into cells, neighbours, joining
  constexpr double pruned_share = 0.1;        // of all pairs that are looked at otherwise
  const auto n = static_cast<double>(rows);
  if (columns <= grid_columns) return n * grid_work_a_row;
  return n * std::max(grid_work_a_row, pruned_share * static_cast<double>(others) * static_cast<double>(columns));
}

}  // namespace tilelearn::cli
