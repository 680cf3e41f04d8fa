// One row against rows in the order of a grid: the filter, and the definition for what the filter leaves open.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dbscan/dbscan_cpu_grid.hpp"
#include "dbscan/dbscan_cpu_ties.hpp"

namespace tilelearn::dbscan::cpu {

/// The values of the row at a position.
template <typename T>
struct Point {
  T x[most_grid_columns];

  Point(const GridRows<T>& grid, int d, std::int32_t position) {
    for (int j = 0; j < d; ++j) x[j] = grid.columns[j][position];
  }
};

/// The rows of ranges of cells; ranges without any are left out. Returns how many are left.
template <typename T>
int rows_of_ranges(const GridRows<T>& grid, const Range* cells, int count, Range* rows) {
  int kept = 0;
  for (int r = 0; r < count; ++r) {
    rows[kept] = {grid.starts[cells[r].first], grid.starts[cells[r].last]};
    kept += rows[kept].first < rows[kept].last ? 1 : 0;
  }
  return kept;
}

template <typename T>
class RowSearch {
 public:
  /// Searches `data`, whose order numbers `rows`.
  RowSearch(const Rows<T>& rows, const GridRows<T>& data, const Ball& ball)
      : rows_(rows),
        data_(data),
        ball_(ball),
        band_(make_band<T>(ball)),
        loops_(grid_loops<T>(static_cast<int>(ball.norm), ball.d)) {}

  /// Rows of the ranges within eps, and rows left open; ends early once `enough` are within.
  [[nodiscard]] Found count(const Point<T>& point, const Range* ranges, int range_count, std::int64_t enough) const {
    return loops_.count(point.x, data_.columns, ranges, range_count, band_, enough);
  }

  /// Bits of the rows of a range of 64 at most that are within eps.
  [[nodiscard]] std::uint64_t mask(const Point<T>& point, const Range& range) const {
    std::uint64_t inside = 0;
    std::uint64_t near = 0;
    loops_.masks(point.x, data_.columns, range.first, range.last - range.first, band_, &inside, &near);
    for (std::uint64_t open = near & ~inside; open != 0; open &= open - 1) {
      const int bit = __builtin_ctzll(open);
      if (within_or_tied(point.x, rows_.row(data_.order[range.first + bit]), ball_)) inside |= 1ULL << bit;
    }
    return inside;
  }

  /// Calls body(first position, mask) for the parts of a range that have rows within eps; body returns whether to go
  /// on.
  template <typename Body>
  void for_masks(const Point<T>& point, const Range& range, const Body& body) const {
    for (std::int32_t first = range.first; first < range.last; first += mask_rows) {
      const std::uint64_t within_eps = mask(point, {first, std::min(first + mask_rows, range.last)});
      if (within_eps != 0 && !body(first, within_eps)) return;
    }
  }

  /// Whether any row of a range is within eps.
  [[nodiscard]] bool any(const Point<T>& point, const Range& range) const {
    bool found = false;
    for_masks(point, range, [&found](std::int32_t /*first*/, std::uint64_t /*mask*/) {
      found = true;
      return false;
    });
    return found;
  }

 private:
  static constexpr std::int32_t mask_rows = 64;

  const Rows<T>& rows_;
  const GridRows<T>& data_;
  const Ball& ball_;
  Band<T> band_;
  const GridLoops<T>& loops_;
};

}  // namespace tilelearn::dbscan::cpu
