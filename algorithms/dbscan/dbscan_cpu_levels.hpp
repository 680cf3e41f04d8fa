// The hot loops of DBSCAN on the CPU, compiled for several x86-64 levels and chosen when first used.
//
// They are filters in the data's own type: what a Band cannot decide is left open and decided by dbscan_within.hpp.
// Objects of one level hold nothing but these loops: no std templates, whose weak symbols another level could take
// over.
#pragma once

#include <cstdint>

#include "core/cpu_levels.hpp"

namespace tilelearn::dbscan::cpu {

/// Rows of one tile, a bit each of a 64-bit word.
inline constexpr int tile_rows = 64;

/// Least and most that the sum of a pair of rows from two boxes comes to, as float64 evaluates it.
struct Span {
  double least;
  double most;
};

/// Limits of an evaluation in T: at or below `inside` a pair is within eps, at or above `outside` it is not. -1 and NaN
/// leave every pair open.
template <typename T>
struct Band {
  T inside;
  T outside;
};

/// Columns that a box has room for: a multiple of every vector's width. Columns beyond d are 0.
inline constexpr int box_step = 8;
constexpr int box_columns(int d) { return (d + box_step - 1) / box_step * box_step; }

/// Loops over one tile, d x tile_rows values, for one norm.
template <typename T>
struct TileLoops {
  /// For each of `count` rows x of d values: bits of the tile's rows that are within eps, and that are or may be.
  void (*masks)(const T* const* x, int count, const T* tile, int d, Band<T> band, std::uint64_t* inside,
                std::uint64_t* near);
  /// Bits of the tile's rows that may be within eps of a row of the box (its box_columns(d) lowest, then
  /// as many highest values).
  std::uint64_t (*near_box)(const T* tile, const T* box, int d, T outside);
  /// Of two boxes, differences multiplied with `scale`. An empty box (lowest infinite, highest minus infinite) is
  /// infinitely far away.
  Span (*span)(const T* a, const T* b, int d, double scale);
};

inline constexpr int most_grid_columns = 3;

/// Positions [first, last) of rows in the order of a grid.
struct Range {
  std::int32_t first;
  std::int32_t last;
};

/// Rows within eps, and rows that may be beside them.
struct Found {
  std::int64_t inside;
  std::int64_t open;
};

/// Loops over rows in the order of a grid, columns[j][position], for one norm and number of columns. Columns have room
/// for a vector beyond the last row.
template <typename T>
struct GridLoops {
  /// Rows of the ranges that are within eps of x; ends early once `enough` are.
  Found (*count)(const T* x, const T* const* columns, const Range* ranges, int count, Band<T> band,
                 std::int64_t enough);
  /// Bits of `count` rows (64 at most) from position `first` that are within eps of x, and that are or may be.
  void (*masks)(const T* x, const T* const* columns, std::int32_t first, int count, Band<T> band, std::uint64_t* inside,
                std::uint64_t* near);
};

/// A walk over ascending keys of cells: for each of `count` windows, moves its cursor on to the first cell whose key is
/// not below `low` and says which cells, up to `high`, lie in it. Keys end with vectors of greatest numbers.
struct Window {
  std::int64_t low;
  std::int64_t high;
  std::int32_t* cursor;
};
using WindowsLoop = void (*)(const std::int64_t* keys, const Window* windows, int count, Range* cells);

/// Indexed by Norm of dbscan_within.hpp.
inline constexpr int norms = 3;

struct Loops {
  TileLoops<float> tile_float[norms];
  TileLoops<double> tile_double[norms];
  GridLoops<float> grid_float[norms][most_grid_columns];
  GridLoops<double> grid_double[norms][most_grid_columns];
  WindowsLoop windows;
};

Loops loops_of(detail::CpuLevel level);

/// The loops for this machine.
const Loops& loops();

template <typename T>
const TileLoops<T>& tile_loops(int norm);
template <typename T>
const GridLoops<T>& grid_loops(int norm, int d);

}  // namespace tilelearn::dbscan::cpu
