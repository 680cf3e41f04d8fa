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

/// The block of a cell key.
template <typename Key>
__device__ std::int32_t block_of(Key key, const GridShape& shape) {
  const auto line = static_cast<Key>(shape.cells[0]);
  return static_cast<std::int32_t>(key / line) * shape.row_blocks +
         (static_cast<std::int32_t>(key % line) >> shape.block_shift);
}

/// What is known of each cell from its first row. block_end gets the end of each block that holds cells, the others
/// take the running maximum afterwards.
template <typename Key>
__global__ void describe_cells(const Key* keys, const std::int32_t* cell_of, std::int32_t n, GridShape shape,
                               std::int32_t* cell_start, std::int32_t* cell_x, std::int32_t* block_end,
                               std::int32_t* cell_count) {
  if (thread_index() >= n) return;
  const auto i = static_cast<std::int32_t>(thread_index());
  const Key key = keys[i];
  const std::int32_t cell = cell_of[i];
  if (i == 0 || keys[i - 1] != key) {
    cell_start[cell] = i;
    cell_x[cell] = static_cast<std::int32_t>(key % static_cast<Key>(shape.cells[0]));
    if (i > 0 && block_of(keys[i - 1], shape) != block_of(key, shape)) block_end[block_of(keys[i - 1], shape)] = cell;
  }
  if (i == n - 1) {
    cell_start[cell + 1] = n;
    block_end[block_of(key, shape)] = cell + 1;
    *cell_count = cell + 1;
  }
}

/// Appends the rows of those threads of a block that ask for it. All threads call.
__device__ inline void append(bool wanted, std::int32_t row, std::int32_t* list, std::int32_t* size) {
  __shared__ std::int32_t warp_place[grid_threads / 32];
  const int warp = threadIdx.x / 32;
  const unsigned mask = __ballot_sync(0xFFFFFFFF, wanted);
  if (threadIdx.x % 32 == 0) warp_place[warp] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    std::int32_t total = 0;
    for (int w = 0; w < grid_threads / 32; ++w) total += warp_place[w];
    std::int32_t place = total > 0 ? atomicAdd(size, total) : 0;
    for (int w = 0; w < grid_threads / 32; ++w) {
      const std::int32_t count = warp_place[w];
      warp_place[w] = place;
      place += count;
    }
  }
  __syncthreads();
  if (wanted) list[warp_place[warp] + __popc(mask & ((1u << threadIdx.x % 32) - 1))] = row;
}

__device__ inline bool has_bit(const std::uint32_t* bits, std::int64_t i) { return (bits[i / 32] >> i % 32 & 1) != 0; }

__device__ inline void set_bit(std::uint32_t* bits, std::int64_t i) { atomicOr(bits + i / 32, 1u << i % 32); }

/// Grid rows that are looked at first: the point's own and those beside it.
template <int d>
inline constexpr int first_grid_rows = d == 1   ? 1
                                       : d == 2 ? 3
                                                : 5;

/// Offsets of the grid rows beside a point's own.
__device__ inline int2 beside(int i) {
  const int step = i % 2 == 0 ? -1 : 1;
  return i == 0 ? make_int2(0, 0) : i <= 2 ? make_int2(step, 0) : make_int2(0, step);
}

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
/// each cell. The others are appended to `list`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, std::uint32_t* core,
              std::int32_t* first_row, std::int32_t* list, std::int32_t* list_size) {
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
  append(index < grid.n && !is_core, i, list, list_size);
}

/// The rows of the list, with all grid rows within eps. Those that T does not decide get a bit in `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    mark_core_of_list(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, const std::int32_t* list,
                      const std::int32_t* list_size, std::uint32_t* core, std::int32_t* first_row,
                      std::uint32_t* open) {
  const std::int32_t size = *list_size;
  if (std::int64_t{blockIdx.x} * blockDim.x >= size) return;
  const std::int64_t index = thread_index();
  const std::int32_t i = list[min(index, std::int64_t{size} - 1)];
  Counter<T, d> counter(grid, i);
  const int offsets = 2 * grid.shape.most_offset + 1;
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1); ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1); ++k1) {
      const bool active = index < size && counter.count < min_samples;
      if (!__any_sync(0xFFFFFFFF, active)) break;
      counter.add(offset_at(k1), offset_at(k2), active, min_samples);
    }
  if (index >= size) return;
  if (counter.count >= min_samples) {
    set_bit(core, i);
    note_core(grid, i, counter.own, false, first_row);
  } else if (counter.open) {
    set_bit(open, i);
  }
}

/// The rows of the list that are open, exactly.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_core(const __grid_constant__ GridView<T, d> grid, std::int32_t min_samples, const std::int32_t* list,
                const std::int32_t* list_size, const std::uint32_t* open, std::uint32_t* core,
                std::int32_t* first_row) {
  if (thread_index() >= *list_size) return;
  const std::int32_t i = list[thread_index()];
  if (!has_bit(open, i) || count_all_exactly(grid, grid.points[i], min_samples) < min_samples) return;
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

template <typename T, int d>
__device__ Range rows_of_cell(const GridView<T, d>& grid, std::int32_t cell) {
  return {grid.cell_start[cell], grid.cell_start[cell + 1]};
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

/// Joins two cells if their core rows are within eps and they are not in one set already.
template <bool exactly, typename T, int d>
__device__ void join_cells(const GridView<T, d>& grid, std::int32_t cell, Range own, std::int32_t other,
                           std::int32_t* parent, const PairQueue& queue) {
  // Equal parents at any time mean one set for ever, so that an old value from a cache does no harm.
  if (parent[cell] == parent[other] || find_root(parent, cell) == find_root(parent, other)) return;
  const Range theirs = rows_of_cell(grid, other);
  if constexpr (exactly) {
    if (cells_touch_exactly(grid, own, theirs)) unite(parent, cell, other);
    return;
  }
  const bool is_heavy = pairs_of(own, theirs) > heavy_pairs;
  const Nearness seen = is_heavy ? Nearness::open : cells_touch(grid, own, theirs);
  if (seen == Nearness::near) unite(parent, cell, other);
  if (seen != Nearness::open) return;
  const std::int32_t place = atomicAdd(queue.count, 1);
  if (place < queue.capacity) queue.pair[place] = make_int2(cell, other);
}

/// Unions of cells whose core rows are within eps: a thread a cell, against the cells after it. The cells that touch
/// side by side (adjacent) come first, so that most of the others share a root already. `exactly` is for a queue that
/// was too small, and does nothing otherwise.
template <bool exactly, typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    unite_neighbours(const __grid_constant__ GridView<T, d> grid, const std::int32_t* first_row, std::int32_t* parent,
                     bool adjacent, PairQueue queue) {
  if (thread_index() >= *grid.cell_count || (exactly && *queue.count <= queue.capacity)) return;
  const auto cell = static_cast<std::int32_t>(thread_index());
  if (first_row[cell] == no_row) return;
  const Range own = rows_of_cell(grid, cell);
  const Place<d> place = place_of_cell(grid, cell);
  const int most = adjacent ? 1 : grid.shape.most_offset;
  for (int offset2 = 0; offset2 <= (d > 2 ? most : 0); ++offset2)
    for (int offset1 = offset2 == 0 || d < 2 ? 0 : -most; offset1 <= (d > 1 ? most : 0); ++offset1) {
      const float gap1 = static_cast<float>(max(abs(offset1) - 1, 0));
      const float gap2 = static_cast<float>(max(offset2 - 1, 0));
      const float reach = reach_beside(grid.ball.norm, grid.shape.reach + cell_margin, gap1, gap2);
      if (reach < 0.0f) continue;
      const int width = adjacent ? 1 : static_cast<int>(1.0f + reach);
      const bool same_row = offset1 == 0 && offset2 == 0;
      const Range cells = cells_between(grid, d > 1 ? place.cell[d > 1 ? 1 : 0] + offset1 : 0,
                                        d > 2 ? place.cell[d > 2 ? 2 : 0] + offset2 : 0,
                                        place.cell[0] + (same_row ? 1 : -width), place.cell[0] + width);
      for (std::int32_t other = cells.begin; other < cells.end; ++other)
        if (first_row[other] != no_row) join_cells<exactly>(grid, cell, own, other, parent, queue);
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

/// The least cluster of the cells with a core row within eps of each lane's point, or noise, as far as T decides;
/// `open` is set where it does not. Whole warps call.
template <typename T, int d>
__device__ std::int32_t least_cluster(const GridView<T, d>& grid, const std::int32_t* cluster_of,
                                      const Point<T, d>& point, const Place<d>& place, bool active, bool& open) {
  std::int32_t best = INT32_MAX;
  const int offsets = 2 * grid.shape.most_offset + 1;
  for (int k2 = 0; k2 < (d > 2 ? offsets : 1); ++k2)
    for (int k1 = 0; k1 < (d > 1 ? offsets : 1); ++k1) {
      Range cells = active ? cells_near(grid, place, offset_at(k1), offset_at(k2)) : Range{0, 0};
      for (; __any_sync(0xFFFFFFFF, cells.begin < cells.end); ++cells.begin) {
        Range rows{0, 0};
        std::int32_t cluster = noise;
        if (cells.begin < cells.end) cluster = cluster_of[cells.begin];
        if (cluster >= 0 && cluster < best) rows = rows_of_cell(grid, cells.begin);
        bool open_here = false;
        if (count_near(grid, point, rows, 1, open_here) > 0)
          best = cluster;
        else
          open = open || open_here;
      }
    }
  return best == INT32_MAX ? noise : best;
}

/// The same, exactly, by one thread.
template <typename T, int d>
__device__ std::int32_t least_cluster_exactly(const GridView<T, d>& grid, const std::int32_t* cluster_of,
                                              const Point<T, d>& point) {
  const Place<d> place = place_of(grid.shape, point);
  const int most = grid.shape.most_offset;
  std::int32_t best = INT32_MAX;
  for (int offset2 = d > 2 ? -most : 0; offset2 <= (d > 2 ? most : 0); ++offset2)
    for (int offset1 = d > 1 ? -most : 0; offset1 <= (d > 1 ? most : 0); ++offset1) {
      const Range cells = cells_near(grid, place, offset1, offset2);
      for (std::int32_t cell = cells.begin; cell < cells.end; ++cell)
        if (cluster_of[cell] >= 0 && cluster_of[cell] < best &&
            count_near_exactly(grid, point, rows_of_cell(grid, cell), 1) > 0)
          best = cluster_of[cell];
    }
  return best == INT32_MAX ? noise : best;
}

/// Coded labels of core rows, as given: the cluster of their cell.
template <typename T, int d>
__global__ void label_core_rows(const __grid_constant__ GridView<T, d> grid, const std::int32_t* cluster_of,
                                std::int32_t* labels) {
  const std::int64_t i = thread_index();
  if (i < grid.n && !isnan(grid.points[i].x[0])) labels[grid.row_of[i]] = coded(cluster_of[grid.cell_of[i]], true);
}

/// The point of a row that is masked.
template <typename T, int d>
__device__ Point<T, d> unmasked(const GridView<T, d>& grid, const T* X, std::int32_t i) {
  Point<T, d> point = grid.points[i];
  point.x[0] = X[std::int64_t{grid.row_of[i]} * d + grid.shape.column[0]];
  return point;
}

/// Coded labels of the rows of a list, none of them core: the least cluster within eps. Those that T does not decide
/// get a bit in `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    label_other_rows(const __grid_constant__ GridView<T, d> grid, const T* X, const std::int32_t* list,
                     const std::int32_t* list_size, const std::int32_t* cluster_of, std::int32_t* labels,
                     std::uint32_t* open) {
  const std::int32_t size = *list_size;
  if (std::int64_t{blockIdx.x} * blockDim.x >= size) return;
  const std::int64_t index = thread_index();
  const std::int32_t i = list[min(index, std::int64_t{size} - 1)];
  const Point<T, d> point = unmasked(grid, X, i);
  bool is_open = false;
  const std::int32_t label = least_cluster(grid, cluster_of, point, place_of(grid.shape, point), index < size, is_open);
  if (index >= size) return;
  labels[grid.row_of[i]] = coded(label, false);
  if (is_open) set_bit(open, i);
}

template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_other_rows(const __grid_constant__ GridView<T, d> grid, const T* X, const std::int32_t* list,
                      const std::int32_t* list_size, const std::int32_t* cluster_of, const std::uint32_t* open,
                      std::int32_t* labels) {
  if (thread_index() >= *list_size) return;
  const std::int32_t i = list[thread_index()];
  if (has_bit(open, i))
    labels[grid.row_of[i]] = coded(least_cluster_exactly(grid, cluster_of, unmasked(grid, X, i)), false);
}

/// Labels of cells whose rows all have the same one.
__global__ void label_cells(const std::int32_t* cell_start, const std::int32_t* cell_count, const std::int32_t* row_of,
                            const std::int32_t* labels, std::int32_t* cluster_of) {
  const std::int64_t cell = thread_index();
  if (cell < *cell_count) cluster_of[cell] = labels[row_of[cell_start[cell]]];
}

/// A row from elsewhere; false where it is too far outside the grid to be near anything.
template <typename T, int d>
__device__ bool query_point(const GridView<T, d>& grid, const T* row, Point<T, d>& point) {
  const double beyond = grid.shape.most_offset + 1;
  bool inside = true;
#pragma unroll
  for (int a = 0; a < d; ++a) {
    point.x[a] = row[grid.shape.column[a]];
    const double coordinate = cell_coordinate(grid.shape, a, point.x[a]);
    inside = inside && coordinate >= -beyond && coordinate <= grid.shape.cells[a] + beyond;
  }
  return inside;
}

/// Least label within eps of rows from elsewhere. Those that T does not decide get a bit in `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    label_queries(const __grid_constant__ GridView<T, d> grid, const T* queries, std::int64_t m,
                  const std::int32_t* cluster_of, std::int32_t* labels, std::uint32_t* open) {
  const std::int64_t index = thread_index();
  Point<T, d> point;
  const bool active = query_point(grid, queries + min(index, m - 1) * d, point) && index < m;
  Place<d> place{};
  if (active) place = place_of(grid.shape, point);
  bool is_open = false;
  const std::int32_t label = least_cluster(grid, cluster_of, point, place, active, is_open);
  if (index >= m) return;
  labels[index] = label;
  if (is_open) set_bit(open, index);
}

template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_queries(const __grid_constant__ GridView<T, d> grid, const T* queries, std::int64_t m,
                   const std::int32_t* cluster_of, const std::uint32_t* open, std::int32_t* labels) {
  const std::int64_t index = thread_index();
  if (index >= m || !has_bit(open, index)) return;
  Point<T, d> point;
  (void)query_point(grid, queries + index * d, point);
  labels[index] = least_cluster_exactly(grid, cluster_of, point);
}

}  // namespace tilelearn::dbscan::cuda
