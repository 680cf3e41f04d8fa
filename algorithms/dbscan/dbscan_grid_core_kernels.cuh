// Kernels of the grid: core rows. The grid rows beside a row show most of them; the rest is listed, so that whole warps
// have work with the other grid rows; and what T does not decide is decided exactly by a kernel of its own.
#pragma once

#include <cmath>

#include "dbscan/dbscan_grid_geometry.cuh"
#include "dbscan/dbscan_grid_threads.cuh"

namespace tilelearn::dbscan::cuda {

/// Grid rows that are looked at first: the point's own and those beside it.
template <int d>
inline constexpr int first_grid_rows = d == 1   ? 1
                                       : d == 2 ? 3
                                                : 5;

/// The first of them by number, and whether a grid row is one of them.
__device__ inline int2 beside(int i) {
  const int step = i % 2 == 0 ? -1 : 1;
  return i == 0 ? make_int2(0, 0) : i <= 2 ? make_int2(step, 0) : make_int2(0, step);
}

__device__ inline bool is_beside(int offset1, int offset2) { return abs(offset1) + abs(offset2) <= 1; }

/// What counting the rows within eps of a point goes by.
template <typename T, int d>
struct Counter {
  const GridView<T, d>& grid;
  Point<T, d> point;
  Place<d> place;
  Range own;           ///< rows of the point's cell, all of them within eps
  std::int32_t count;  ///< so far
  bool open = false;   ///< a pair was left open

  __device__ Counter(const GridView<T, d>& the_grid, std::int32_t i)
      : grid(the_grid), point(grid.points[i]), place(place_of(grid.shape, point)) {
    const std::int32_t cell = grid.cell_of[i];
    own = {grid.cell_start[cell], grid.cell_start[cell + 1]};
    count = own.end - own.begin;
  }

  /// Adds the rows of the grid row (offset1, offset2) away, up to `needed` in all. Whole warps call.
  __device__ void add(int offset1, int offset2, bool active, std::int32_t needed) {
    const Range cells = active ? cells_near(grid, place, offset1, offset2) : Range{0, 0};
    Range rows{0, 0};
    if (cells.begin < cells.end) rows = {grid.cell_start[cells.begin], grid.cell_start[cells.end]};
    if (offset1 == 0 && offset2 == 0) {  // the own cell is counted already
      const Range before{rows.begin, active ? own.begin : rows.begin};
      count += count_near(grid, point, before, needed - count, open);
      rows.begin = active ? own.end : rows.end;
    }
    count += count_near(grid, point, rows, needed - count, open);
  }
};

/// A row is core: its bit, and the first core row of its cell.
template <typename T, int d>
__device__ void note_core(const GridView<T, d>& grid, std::int32_t i, Range own, bool cell_is_full,
                          std::int32_t* first_row) {
  // Rows of a cell ascend, so the first of a cell in which all are core is its first core row.
  if (!cell_is_full)
    atomicMin(first_row + grid.cell_of[i], grid.row_of[i]);
  else if (i == own.begin)
    first_row[grid.cell_of[i]] = grid.row_of[i];
}

/// Core rows of data without weights, as far as the grid rows beside each row show: a bit each, and the first one of
/// each cell. The others are appended to `list`, with what was counted, and a place in `open` for a pair that T does
/// not decide.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, std::uint32_t* core,
              std::int32_t* first_row, std::int32_t* list, std::int32_t* list_size, std::int32_t* counted,
              OpenRows open) {
  const std::int64_t index = thread_index();
  const auto i = static_cast<std::int32_t>(min(index, std::int64_t{grid.n} - 1));
  Counter<T, d> counter(grid, i);
  const bool is_full = counter.count >= min_samples;
  for (int k = 0; k < first_grid_rows<d>; ++k) {
    const bool active = index < grid.n && counter.count < min_samples;
    if (!__any_sync(0xFFFFFFFF, active)) break;
    const int2 offset = beside(k);
    counter.add(offset.x, offset.y, active, min_samples);
  }
  const bool is_core = index < grid.n && counter.count >= min_samples;
  const std::uint32_t word = __ballot_sync(0xFFFFFFFF, is_core);
  if (threadIdx.x % 32 == 0 && index < grid.n) core[index / 32] = word;
  if (is_core) note_core(grid, i, counter.own, is_full, first_row);
  const bool is_left = index < grid.n && !is_core;
  if (is_left) counted[i] = counter.count;
  if (is_left && counter.open) open.add(i);
  append(is_left, i, list, list_size);
}

/// The rows of the list, with the other grid rows within eps. Those that T does not decide are in `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads, full_blocks)
    mark_core_of_list(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, const std::int32_t* list,
                      const std::int32_t* list_size, const std::int32_t* counted, std::uint32_t* core,
                      std::int32_t* first_row, OpenRows open) {
  const std::int32_t size = *list_size;
  if (std::int64_t{blockIdx.x} * blockDim.x >= size) return;
  const std::int64_t index = thread_index();
  const std::int32_t i = list[min(index, std::int64_t{size} - 1)];
  Counter<T, d> counter(grid, i);
  counter.count = counted[i];
  const int offsets = 2 * grid.shape.most_offset + 1;
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1); ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1); ++k1) {
      if (is_beside(offset_at(k1), offset_at(k2))) continue;
      const bool active = index < size && counter.count < min_samples;
      if (!__any_sync(0xFFFFFFFF, active)) break;
      counter.add(offset_at(k1), offset_at(k2), active, min_samples);
    }
  if (index >= size) return;
  if (counter.count >= min_samples) {
    set_bit(core, i);
    note_core(grid, i, counter.own, false, first_row);
  } else if (counter.open) {
    open.add(i);
  }
}

/// The rows of the list that are open, exactly.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_core(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, const std::int32_t* list,
                const std::int32_t* list_size, OpenRows open, std::uint32_t* core, std::int32_t* first_row) {
  if (thread_index() >= *list_size) return;
  const std::int32_t i = list[thread_index()];
  if (!open.has(i) || count_all_exactly(grid, grid.points[i], min_samples) < min_samples) return;
  set_bit(core, i);
  note_core(grid, i, {i, i}, false, first_row);
}

/// The same with weights. A thread a row.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core_weighted(const __grid_constant__ GridView<T, d> grid, const int2* weights, fixed_point::Words threshold,
                       bool stops_early, std::uint32_t* core, std::int32_t* first_row) {
  const std::int64_t index = thread_index();
  const auto i = static_cast<std::int32_t>(min(index, std::int64_t{grid.n} - 1));
  const Point<T, d> point = grid.points[i];
  const Place<d> place = place_of(grid.shape, point);
  fixed_point::Words sum{0, 0};
  bool done = false;
  const int offsets = 2 * grid.shape.most_offset + 1;
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1) && !done; ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1) && !done; ++k1) {
      const Range cells = cells_near(grid, place, offset_at(k1), offset_at(k2));
      if (cells.begin >= cells.end) continue;
      for (std::int32_t q = grid.cell_start[cells.begin]; q < grid.cell_start[cells.end] && !done; ++q) {
        if (!is_near(grid, point, grid.points[q])) continue;
        const int2 words = weights[grid.row_of[q]];
        sum.high += words.x;
        sum.low += words.y;
        done = stops_early && reaches(sum, threshold);
      }
    }
  const bool is_core = index < grid.n && reaches(sum, threshold);
  const std::uint32_t word = __ballot_sync(0xFFFFFFFF, is_core);
  if (threadIdx.x % 32 == 0 && index < grid.n) core[index / 32] = word;
  if (is_core) atomicMin(first_row + grid.cell_of[i], grid.row_of[i]);
}

/// Rows that are not core leave the searches that follow, and are listed.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mask_points(Point<T, d>* points, std::int32_t n, const std::uint32_t* core, std::int32_t* list,
                std::int32_t* list_size) {
  const std::int64_t i = thread_index();
  const bool masked = i < n && !has_bit(core, i);
  if (masked) points[i].x[0] = static_cast<T>(NAN);
  append(masked, static_cast<std::int32_t>(i), list, list_size);
}

/// No core row in any cell yet.
__global__ void start_cells(std::int32_t* first_row, std::int32_t n) {
  if (thread_index() < n) first_row[thread_index()] = no_row;
}

}  // namespace tilelearn::dbscan::cuda
