// Kernels of the grid: unions of the cells whose core rows are within eps of each other.
#pragma once

#include <cmath>

#include "dbscan/dbscan_grid_geometry.cuh"
#include "dbscan/dbscan_grid_threads.cuh"
#include "dbscan/dbscan_union_find.cuh"

namespace tilelearn::dbscan::cuda {

/// Pairs of cells with more pairs of rows than this are left to whole warps.
inline constexpr std::int64_t heavy_pairs = 1024;

/// Pairs of cells that wait for a warp, because they are heavy or T does not decide them. Where `count` grows beyond
/// `capacity` the pairs beyond are lost, and all pairs are gone through once more.
struct PairQueue {
  int2* pair;
  std::int32_t* count;
  std::int32_t capacity;
};

/// Whether two cells hold core rows within eps of each other, exactly.
template <typename T, int d>
__noinline__ __device__ bool cells_touch_exactly(const GridView<T, d>& grid, Range a, Range b) {
  for (std::int32_t p = a.begin; p < a.end; ++p)
    if (!isnan(grid.points[p].x[0]) && count_near_exactly(grid, grid.points[p], b, 1) > 0) return true;
  return false;
}

/// The same as far as T decides: near, far or open.
template <typename T, int d>
__device__ Nearness cells_touch(const GridView<T, d>& grid, Range a, Range b) {
  Nearness result = Nearness::far;
  for (std::int32_t p = a.begin; p < a.end; ++p) {
    const Point<T, d> point = grid.points[p];
    if (isnan(point.x[0])) continue;
    for (std::int32_t q = b.begin; q < b.end; ++q) {
      const Nearness seen = nearness(grid, point, grid.points[q]);
      if (seen == Nearness::near) return Nearness::near;
      if (seen == Nearness::open) result = Nearness::open;
    }
  }
  return result;
}

/// The place of a cell's low corner. (The first row of a cell may be masked along axis 0.)
template <typename T, int d>
__device__ Place<d> place_of_cell(const GridView<T, d>& grid, std::int32_t cell) {
  Place<d> place = place_of(grid.shape, grid.points[grid.cell_start[cell]]);
  place.cell[0] = grid.cell_x[cell];
  return place;
}

inline __device__ std::int64_t pairs_of(Range a, Range b) { return std::int64_t{a.end - a.begin} * (b.end - b.begin); }

/// Cells that touch the one before them in their grid row belong together: parent is 0 for these and the cell's own
/// number for the others, so that a running maximum makes it the first cell of each such run.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    start_runs(const __grid_constant__ GridView<T, d> grid, const std::int32_t* first_row, std::int32_t* parent) {
  if (thread_index() >= grid.n) return;
  const auto cell = static_cast<std::int32_t>(thread_index());
  parent[cell] = cell;
  if (cell == 0 || cell >= *grid.cell_count || first_row[cell] == no_row || first_row[cell - 1] == no_row) return;
  const Place<d> place = place_of_cell(grid, cell);
  const Place<d> before = place_of_cell(grid, cell - 1);
  bool same_row = true;
#pragma unroll
  for (int a = 1; a < d; ++a) same_row = same_row && place.cell[a] == before.cell[a];
  if (!same_row || place.cell[0] - before.cell[0] > static_cast<int>(1.0f + grid.shape.reach + cell_margin)) return;
  const Range own = rows_of_cell(grid, cell);
  const Range theirs = rows_of_cell(grid, cell - 1);
  if (pairs_of(own, theirs) <= heavy_pairs && cells_touch(grid, own, theirs) == Nearness::near) parent[cell] = 0;
}

/// Shorter ways to the roots.
__global__ void shorten_ways(std::int32_t* parent, const std::int32_t* cell_count) {
  const std::int64_t cell = thread_index();
  if (cell < *cell_count) parent[cell] = find_root(parent, static_cast<std::int32_t>(cell));
}

/// Joins two cells, not in one set, if their core rows are within eps; returns whether they are in one set now.
template <bool exactly, typename T, int d>
__device__ bool join_cells(const GridView<T, d>& grid, std::int32_t cell, Range own, std::int32_t other,
                           std::int32_t* parent, const PairQueue& queue) {
  const Range theirs = rows_of_cell(grid, other);
  Nearness seen = Nearness::open;
  if constexpr (exactly)
    seen = cells_touch_exactly(grid, own, theirs) ? Nearness::near : Nearness::far;
  else if (pairs_of(own, theirs) <= heavy_pairs)
    seen = cells_touch(grid, own, theirs);
  if (seen == Nearness::near) unite(parent, cell, other);
  if (seen == Nearness::open) {
    const std::int32_t place = atomicAdd(queue.count, 1);
    if (place < queue.capacity) queue.pair[place] = make_int2(cell, other);
  }
  return seen == Nearness::near;
}

/// Which cells a launch looks at: the next ones along one axis, or all that can touch.
enum class Neighbours : std::uint8_t { next_along_1, next_along_2, all };

/// Joins a cell with the cells of a grid row that it touches. `known` is a parent that was seen in the cell's own set:
/// equal parents at any time mean one set for ever, so that an old value from a cache does no harm.
template <bool exactly, typename T, int d>
__device__ void join_row(const GridView<T, d>& grid, std::int32_t cell, Range own, Range others,
                         const std::int32_t* first_row, std::int32_t* parent, std::int32_t own_parent,
                         std::int32_t& known, const PairQueue& queue) {
  for (std::int32_t other = others.begin; other < others.end; ++other) {
    if (first_row[other] == no_row) continue;
    const std::int32_t their_parent = parent[other];
    if (their_parent == own_parent || their_parent == known) continue;
    if (find_root(parent, cell) == find_root(parent, other) ||
        join_cells<exactly>(grid, cell, own, other, parent, queue))
      known = their_parent;
  }
}

/// Unions of cells whose core rows are within eps: a thread a cell, against the cells after it. Launches for the next
/// cells along each axis come first: after them most of the others share a parent already. `exactly` is for a queue
/// that was too small, and does nothing otherwise.
template <bool exactly, typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    unite_neighbours(const __grid_constant__ GridView<T, d> grid, const std::int32_t* first_row, std::int32_t* parent,
                     Neighbours which, PairQueue queue) {
  if (thread_index() >= *grid.cell_count || (exactly && *queue.count <= queue.capacity)) return;
  const auto cell = static_cast<std::int32_t>(thread_index());
  if (first_row[cell] == no_row) return;
  const Range own = rows_of_cell(grid, cell);
  const Place<d> place = place_of_cell(grid, cell);
  const std::int32_t y = d > 1 ? place.cell[d > 1 ? 1 : 0] : 0;
  const std::int32_t z = d > 2 ? place.cell[d > 2 ? 2 : 0] : 0;
  const std::int32_t own_parent = parent[cell];
  std::int32_t known = own_parent;
  if (which != Neighbours::all) {
    const int along1 = which == Neighbours::next_along_1 ? 1 : 0;
    const Range next = cells_between(grid, y + along1, z + 1 - along1, place.cell[0] - 1, place.cell[0] + 1);
    join_row<exactly>(grid, cell, own, next, first_row, parent, own_parent, known, queue);
    return;
  }
  const int most = grid.shape.most_offset;
  for (int offset2 = 0; offset2 <= (d > 2 ? most : 0); ++offset2)
    for (int offset1 = offset2 == 0 || d < 2 ? 0 : -most; offset1 <= (d > 1 ? most : 0); ++offset1) {
      const float gap1 = static_cast<float>(max(abs(offset1) - 1, 0));
      const float gap2 = static_cast<float>(max(offset2 - 1, 0));
      const float reach = reach_beside(grid.ball.norm, grid.shape.reach + cell_margin, gap1, gap2);
      if (reach < 0.0f) continue;
      const int width = static_cast<int>(1.0f + reach);
      const bool same_row = offset1 == 0 && offset2 == 0;
      const Range cells =
          cells_between(grid, y + offset1, z + offset2, place.cell[0] + (same_row ? 1 : -width), place.cell[0] + width);
      join_row<exactly>(grid, cell, own, cells, first_row, parent, own_parent, known, queue);
    }
}

/// Whether a point may be within eps of something in a cell of the grid.
template <typename T, int d>
__device__ bool may_reach_cell(const GridView<T, d>& grid, const Point<T, d>& point, const Place<d>& cell) {
  float gap[most_grid_columns] = {};
#pragma unroll
  for (int a = 0; a < d; ++a) {
    const double from = cell_coordinate(grid.shape, a, point.x[a]) - cell.cell[a];
    gap[a] = fmaxf(static_cast<float>(fmax(-from, from - 1.0)) - cell_margin, 0.0f);
  }
  return reach_beside(grid.ball.norm, grid.shape.reach + cell_margin, gap[1], gap[2]) >= gap[0];
}

/// cells_touch_exactly for a whole warp: rows of either cell that cannot reach the other cell's square are passed over.
template <typename T, int d>
__device__ bool cells_touch_by_warp(const GridView<T, d>& grid, std::int32_t first, std::int32_t second) {
  const std::int32_t lane = threadIdx.x % 32;
  const Place<d> first_place = place_of_cell(grid, first);
  const Place<d> second_place = place_of_cell(grid, second);
  const Range a = rows_of_cell(grid, first);
  const Range b = rows_of_cell(grid, second);
  for (std::int32_t p = a.begin; p < a.end; p += 32) {
    const Point<T, d> mine = grid.points[min(p + lane, a.end - 1)];
    const bool reaches_b = p + lane < a.end && !isnan(mine.x[0]) && may_reach_cell(grid, mine, second_place);
    if (!__any_sync(0xFFFFFFFF, reaches_b)) continue;
    for (std::int32_t q = b.begin; q < b.end; q += 32) {
      const Point<T, d> theirs = grid.points[min(q + lane, b.end - 1)];
      const bool reaches_a = q + lane < b.end && !isnan(theirs.x[0]) && may_reach_cell(grid, theirs, first_place);
      bool near = false;
      for (unsigned open = __ballot_sync(0xFFFFFFFF, reaches_a); open != 0; open &= open - 1) {
        const int owner = __ffs(static_cast<int>(open)) - 1;
        Point<T, d> other;
#pragma unroll
        for (int j = 0; j < d; ++j) other.x[j] = __shfl_sync(0xFFFFFFFF, theirs.x[j], owner);
        near = near || (reaches_b && is_near(grid, mine, other));
      }
      if (__any_sync(0xFFFFFFFF, near)) return true;
    }
  }
  return false;
}

/// A warp a pair of the queue.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    unite_queued(const __grid_constant__ GridView<T, d> grid, std::int32_t* parent, PairQueue queue) {
  const std::int32_t pairs = min(*queue.count, queue.capacity);
  const auto warps = static_cast<std::int32_t>(gridDim.x * blockDim.x / 32);
  for (auto i = static_cast<std::int32_t>(thread_index() / 32); i < pairs; i += warps) {
    const int2 pair = queue.pair[i];
    // One lane looks, so that the warp goes one way.
    bool apart = false;
    if (threadIdx.x % 32 == 0) apart = find_root(parent, pair.x) != find_root(parent, pair.y);
    if (!__any_sync(0xFFFFFFFF, apart)) continue;
    if (cells_touch_by_warp(grid, pair.x, pair.y) && threadIdx.x % 32 == 0) unite(parent, pair.x, pair.y);
  }
}

}  // namespace tilelearn::dbscan::cuda
