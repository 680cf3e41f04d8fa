// Kernels of the grid: sorting rows into cells, core rows, unions of cells, labels.
#pragma once

#include <cmath>

#include "dbscan/dbscan_grid_geometry.cuh"
#include "dbscan/dbscan_union_find.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr int grid_threads = 256;

__device__ inline std::int64_t thread_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// Cell keys and row numbers. Bytes: X, a key and a number for each row.
template <typename T, int d, typename Key>
__global__ void make_keys(const T* X, std::int32_t n, GridShape shape, Key* keys, std::int32_t* rows) {
  if (thread_index() >= n) return;
  const auto i = static_cast<std::int32_t>(thread_index());
  Key key = 0;
#pragma unroll
  for (int a = d - 1; a >= 0; --a) {
    const double coordinate = cell_coordinate(shape, a, X[std::int64_t{i} * d + shape.column[a]]);
    key = key * static_cast<Key>(shape.cells[a]) + static_cast<Key>(coordinate);
  }
  keys[i] = key;
  rows[i] = i;
}

template <typename T, int d>
__global__ void gather_points(const T* X, std::int32_t n, GridShape shape, const std::int32_t* row_of,
                              Point<T, d>* points) {
  if (thread_index() >= n) return;
  const auto i = static_cast<std::int32_t>(thread_index());
  const T* row = X + std::int64_t{row_of[i]} * d;
  Point<T, d> point;
#pragma unroll
  for (int a = 0; a < d; ++a) point.x[a] = row[shape.column[a]];
  points[i] = point;
}

/// 1 at the first sorted row of each cell but the first: an inclusive sum numbers the cells from 0.
template <typename Key>
struct StartsCell {
  const Key* keys;
  __host__ __device__ std::int32_t operator()(std::int32_t i) const { return i > 0 && keys[i] != keys[i - 1] ? 1 : 0; }
};

/// What is known of each cell from its first row. row_end gets the end of each grid row that holds cells, the others
/// take the running maximum afterwards.
template <typename Key>
__global__ void describe_cells(const Key* keys, const std::int32_t* cell_of, std::int32_t n, GridShape shape,
                               std::int32_t* cell_start, std::int32_t* cell_x, std::int32_t* row_end,
                               std::int32_t* cell_count) {
  if (thread_index() >= n) return;
  const auto i = static_cast<std::int32_t>(thread_index());
  const auto line = static_cast<Key>(shape.cells[0]);
  const Key key = keys[i];
  const std::int32_t cell = cell_of[i];
  if (i == 0 || keys[i - 1] != key) {
    cell_start[cell] = i;
    cell_x[cell] = static_cast<std::int32_t>(key % line);
    if (i > 0 && keys[i - 1] / line != key / line) row_end[keys[i - 1] / line] = cell;
  }
  if (i == n - 1) {
    cell_start[cell + 1] = n;
    row_end[key / line] = cell + 1;
    *cell_count = cell + 1;
  }
}

/// Core rows of data without weights: a bit each, and the first one of each cell. Whole warps.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core(GridView<T, d> grid, std::int32_t min_samples, std::uint32_t* core, std::int32_t* first_row) {
  const std::int64_t index = thread_index();
  const auto i = static_cast<std::int32_t>(min(index, std::int64_t{grid.n} - 1));
  const Point<T, d> point = grid.points[i];
  const std::int32_t cell = grid.cell_of[i];
  const Range own{grid.cell_start[cell], grid.cell_start[cell + 1]};
  const Place<d> place = place_of(grid.shape, point);
  std::int32_t count = own.end - own.begin;
  const bool is_full = count >= min_samples;
  const int offsets = 2 * grid.shape.most_offset + 1;
  const auto add_rows = [&](Range rows) { count += count_near(grid, point, rows, min_samples - count); };
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1); ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1); ++k1) {
      const bool open = index < grid.n && count < min_samples;
      if (!__any_sync(0xFFFFFFFF, open)) break;
      const Range cells = open ? cells_near(grid, place, offset_at(k1), offset_at(k2)) : Range{0, 0};
      const Range rows = cells.begin < cells.end
                             ? Range{grid.cell_start[cells.begin], grid.cell_start[cells.end]}
                             : Range{0, 0};
      if (k1 == 0 && k2 == 0) {  // rows of the point's own cell are counted already
        add_rows({rows.begin, open ? own.begin : rows.begin});
        add_rows({open ? own.end : rows.end, rows.end});
      } else {
        add_rows(rows);
      }
    }
  const bool is_core = index < grid.n && count >= min_samples;
  const std::uint32_t word = __ballot_sync(0xFFFFFFFF, is_core);
  if (threadIdx.x % 32 == 0 && index < grid.n) core[index / 32] = word;
  if (!is_core) return;
  // Rows of a cell ascend, so the first of a cell in which all are core is its first core row.
  if (!is_full)
    atomicMin(first_row + cell, grid.row_of[i]);
  else if (i == own.begin)
    first_row[cell] = grid.row_of[i];
}

/// The same with weights. A thread a row.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core_weighted(GridView<T, d> grid, const int2* weights, fixed_point::Words threshold, bool stops_early,
                       std::uint32_t* core, std::int32_t* first_row) {
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

/// Rows that are not core leave the searches that follow.
template <typename T, int d>
__global__ void mask_points(Point<T, d>* points, std::int32_t n, const std::uint32_t* core) {
  const std::int64_t i = thread_index();
  if (i < n && (core[i / 32] >> i % 32 & 1) == 0) points[i].x[0] = static_cast<T>(NAN);
}

/// Every cell a set of its own.
__global__ void start_unions(std::int32_t* parent, std::int32_t* first_row, std::int32_t n) {
  if (thread_index() >= n) return;
  const auto i = static_cast<std::int32_t>(thread_index());
  parent[i] = i;
  first_row[i] = no_row;
}

/// Pairs of cells with more pairs of rows than this are left to whole warps.
inline constexpr std::int64_t heavy_pairs = 1024;

/// Pairs of cells that wait for a warp. `count` may grow beyond `capacity`; pairs beyond are decided on the spot.
struct HeavyPairs {
  int2* pair;
  std::int32_t* count;
  std::int32_t capacity;
};

/// Whether two cells hold core rows within eps of each other.
template <typename T, int d>
__device__ bool cells_touch(const GridView<T, d>& grid, Range a, Range b) {
  for (std::int32_t p = a.begin; p < a.end; ++p) {
    const Point<T, d> point = grid.points[p];
    if (isnan(point.x[0])) continue;
    for (std::int32_t q = b.begin; q < b.end; ++q)
      if (is_near(grid, point, grid.points[q])) return true;
  }
  return false;
}

/// Unions of cells whose core rows are within eps: a thread a cell, against the cells after it. Pairs of cells side by
/// side (adjacent) and pairs farther away are two launches: after the first most of the others share a root already.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    unite_neighbours(GridView<T, d> grid, const std::int32_t* first_row, std::int32_t* parent, bool adjacent,
                     HeavyPairs heavy) {
  if (thread_index() >= *grid.cell_count) return;
  const auto cell = static_cast<std::int32_t>(thread_index());
  if (first_row[cell] == no_row) return;
  const Range own{grid.cell_start[cell], grid.cell_start[cell + 1]};
  Place<d> place = place_of(grid.shape, grid.points[own.begin]);
  place.cell[0] = grid.cell_x[cell];  // the first row may be masked
  const int most = adjacent ? 1 : grid.shape.most_offset;
  std::int32_t root = find_root(parent, cell);
  for (int offset2 = 0; offset2 <= (d > 2 ? most : 0); ++offset2)
    for (int offset1 = offset2 == 0 || d < 2 ? 0 : -most; offset1 <= (d > 1 ? most : 0); ++offset1) {
      const float gap1 = static_cast<float>(max(abs(offset1) - 1, 0));
      const float gap2 = static_cast<float>(max(offset2 - 1, 0));
      const float reach = reach_beside(grid.ball.norm, grid.shape.reach + cell_margin, gap1, gap2);
      if (reach < 0.0f) continue;
      const int width = adjacent ? 1 : static_cast<int>(1.0f + reach);
      const bool same_row = offset1 == 0 && offset2 == 0;
      const Range cells =
          cells_between(grid, d > 1 ? place.cell[d > 1 ? 1 : 0] + offset1 : 0,
                        d > 2 ? place.cell[d > 2 ? 2 : 0] + offset2 : 0,
                        place.cell[0] + (same_row ? 1 : -width), place.cell[0] + width);
      const bool row_is_adjacent = abs(offset1) <= 1 && offset2 <= 1;
      for (std::int32_t other = cells.begin; other < cells.end; ++other) {
        if (!adjacent && row_is_adjacent && abs(grid.cell_x[other] - place.cell[0]) <= 1) continue;
        if (first_row[other] == no_row || find_root(parent, other) == root) continue;
        root = find_root(parent, cell);
        if (find_root(parent, other) == root) continue;
        const Range theirs{grid.cell_start[other], grid.cell_start[other + 1]};
        if (std::int64_t{own.end - own.begin} * (theirs.end - theirs.begin) > heavy_pairs) {
          const std::int32_t place_in_queue = atomicAdd(heavy.count, 1);
          if (place_in_queue < heavy.capacity) {
            heavy.pair[place_in_queue] = make_int2(cell, other);
            continue;
          }
        }
        if (cells_touch(grid, own, theirs)) root = unite(parent, cell, other);
      }
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

template <typename T, int d>
__device__ Place<d> place_of_cell(const GridView<T, d>& grid, std::int32_t cell) {
  Place<d> place = place_of(grid.shape, grid.points[grid.cell_start[cell]]);
  place.cell[0] = grid.cell_x[cell];
  return place;
}

/// The same for a whole warp: rows of either cell that cannot reach the other cell's square are passed over.
template <typename T, int d>
__device__ bool heavy_cells_touch(const GridView<T, d>& grid, std::int32_t first, std::int32_t second) {
  const std::int32_t lane = threadIdx.x % 32;
  const Place<d> first_place = place_of_cell(grid, first);
  const Place<d> second_place = place_of_cell(grid, second);
  const Range a{grid.cell_start[first], grid.cell_start[first + 1]};
  const Range b{grid.cell_start[second], grid.cell_start[second + 1]};
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
    unite_heavy(GridView<T, d> grid, std::int32_t* parent, HeavyPairs heavy) {
  const std::int32_t pairs = min(*heavy.count, heavy.capacity);
  const auto warps = static_cast<std::int32_t>(gridDim.x * blockDim.x / 32);
  for (auto i = static_cast<std::int32_t>(thread_index() / 32); i < pairs; i += warps) {
    const int2 pair = heavy.pair[i];
    // One lane looks, so that the warp goes one way.
    bool apart = false;
    if (threadIdx.x % 32 == 0) apart = find_root(parent, pair.x) != find_root(parent, pair.y);
    if (!__any_sync(0xFFFFFFFF, apart)) continue;
    if (heavy_cells_touch(grid, pair.x, pair.y) && threadIdx.x % 32 == 0) unite(parent, pair.x, pair.y);
  }
}

/// The least cluster of the cells with a core row within eps of each lane's point, or noise. Whole warps call.
template <typename T, int d>
__device__ std::int32_t least_cluster(const GridView<T, d>& grid, const std::int32_t* cluster_of,
                                      const Point<T, d>& point, const Place<d>& place, bool open) {
  std::int32_t best = INT32_MAX;
  const int offsets = 2 * grid.shape.most_offset + 1;
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1); ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1); ++k1) {
      Range cells = open ? cells_near(grid, place, offset_at(k1), offset_at(k2)) : Range{0, 0};
      for (; __any_sync(0xFFFFFFFF, cells.begin < cells.end); ++cells.begin) {
        Range rows{0, 0};
        std::int32_t cluster = noise;
        if (cells.begin < cells.end) cluster = cluster_of[cells.begin];
        if (cluster >= 0 && cluster < best) rows = {grid.cell_start[cells.begin], grid.cell_start[cells.begin + 1]};
        if (count_near(grid, point, rows, 1) > 0) best = cluster;
      }
    }
  return best == INT32_MAX ? noise : best;
}

/// Coded labels of the rows as given: a core row has its cell's cluster, the others the least within eps.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    label_rows(GridView<T, d> grid, const T* X, const std::int32_t* cluster_of, std::int32_t* labels) {
  const std::int64_t index = thread_index();
  const auto i = static_cast<std::int32_t>(min(index, std::int64_t{grid.n} - 1));
  Point<T, d> point = grid.points[i];
  const std::int32_t row = grid.row_of[i];
  const bool core = !isnan(point.x[0]);
  if (!core) point.x[0] = X[std::int64_t{row} * d + grid.shape.column[0]];
  std::int32_t label = noise;
  const bool open = index < grid.n && !core;
  if (__any_sync(0xFFFFFFFF, open)) label = least_cluster(grid, cluster_of, point, place_of(grid.shape, point), open);
  if (core) label = cluster_of[grid.cell_of[i]];
  if (index < grid.n) labels[row] = coded(label, core);
}

/// Labels of cells whose rows all have the same one.
__global__ void label_cells(const std::int32_t* cell_start, const std::int32_t* cell_count,
                                   const std::int32_t* row_of, const std::int32_t* labels, std::int32_t* cluster_of) {
  const std::int64_t cell = thread_index();
  if (cell < *cell_count) cluster_of[cell] = labels[row_of[cell_start[cell]]];
}

/// Least label within eps of rows from elsewhere.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    label_queries(GridView<T, d> grid, const T* queries, std::int64_t m, const std::int32_t* cluster_of,
                  std::int32_t* labels) {
  const std::int64_t index = thread_index();
  const T* row = queries + min(index, m - 1) * d;
  Point<T, d> point;
  bool open = index < m;
#pragma unroll
  for (int a = 0; a < d; ++a) {
    point.x[a] = row[grid.shape.column[a]];
    const double coordinate = cell_coordinate(grid.shape, a, point.x[a]);
    const double beyond = grid.shape.most_offset + 1;
    open = open && coordinate >= -beyond && coordinate <= grid.shape.cells[a] + beyond;
  }
  Place<d> place{};
  if (open) place = place_of(grid.shape, point);
  const std::int32_t label = least_cluster(grid, cluster_of, point, place, open);
  if (index < m) labels[index] = label;
}

}  // namespace tilelearn::dbscan::cuda
