// Where a point lies in the grid, which sorted rows are near it, and whether two points are within eps.
#pragma once

#include "dbscan/dbscan_grid.cuh"

namespace tilelearn::dbscan::cuda {

/// Cells by which gaps are taken smaller and reaches larger than computed: above the rounding of cell numbers (2^-20)
/// and of the float arithmetic on parts of cells (2^-21).
inline constexpr float cell_margin = 0x1p-16f;

/// A range of sorted rows or of cells.
struct Range {
  std::int32_t begin;
  std::int32_t end;
};

/// The cell of a point, and where the point lies in it, from 0 to 1, along each axis.
template <int d>
struct Place {
  std::int32_t cell[d];
  float part[d];
};

template <typename T>
__device__ inline double cell_coordinate(const GridShape& shape, int axis, T x) {
  return (double{x} - shape.low[axis]) * shape.per_unit;
}

/// The place of a point that is not farther outside the grid than the numbers allow.
template <typename T, int d>
__device__ Place<d> place_of(const GridShape& shape, const Point<T, d>& point) {
  Place<d> place;
#pragma unroll
  for (int a = 0; a < d; ++a) {
    const double coordinate = cell_coordinate(shape, a, point.x[a]);
    const double cell = floor(coordinate);
    place.cell[a] = static_cast<std::int32_t>(cell);
    place.part[a] = static_cast<float>(coordinate - cell);
  }
  return place;
}

/// Least distance along an axis, in cells, from a point at `part` of its cell to cells `offset` away.
__device__ inline float gap_to(int offset, float part) {
  const float gap = offset > 0 ? static_cast<float>(offset) - part : static_cast<float>(-offset - 1) + part;
  return offset == 0 ? 0.0f : fmaxf(gap - cell_margin, 0.0f);
}

/// How far a ball reaches along axis 0 where the other axes take up `gap1` and `gap2`; negative for not at all.
__device__ inline float reach_beside(Norm norm, float reach, float gap1, float gap2) {
  if (norm == Norm::manhattan) return reach - gap1 - gap2;
  if (norm == Norm::chebyshev) return fmaxf(gap1, gap2) > reach ? -1.0f : reach;
  const float rest = reach * reach - gap1 * gap1 - gap2 * gap2;
  constexpr float least = 1e-12f;  // its root is below the margin, and it is not zero
  return rest < 0.0f ? rest : fmaxf(rest, least) * rsqrtf(fmaxf(rest, least));
}

/// First cell of [begin, end) at or after x.
__device__ inline std::int32_t lower_cell(const std::int32_t* cell_x, std::int32_t begin, std::int32_t end,
                                          std::int32_t x) {
  while (begin < end) {
    const std::int32_t middle = begin + (end - begin) / 2;
    if (cell_x[middle] < x)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// Cells from x `first` to `last` of the grid row at (y, z): the blocks that hold them, then a search in those.
template <typename T, int d>
__device__ Range cells_between(const GridView<T, d>& grid, std::int32_t y, std::int32_t z, std::int32_t first,
                               std::int32_t last) {
  if (y < 0 || y >= grid.shape.cells[1] || z < 0 || z >= grid.shape.cells[2]) return {0, 0};
  first = max(first, 0);
  last = min(last, grid.shape.cells[0] - 1);
  if (first > last) return {0, 0};
  const std::int32_t row_block = (z * grid.shape.cells[1] + y) * grid.shape.row_blocks;
  const std::int32_t first_block = row_block + (first >> grid.shape.block_shift);
  const std::int32_t last_block = row_block + (last >> grid.shape.block_shift);
  const std::int32_t end = grid.block_end[last_block];
  const std::int32_t begin = first_block == 0 ? 0 : grid.block_end[first_block - 1];
  if (begin == end) return {0, 0};
  const std::int32_t inside = lower_cell(grid.cell_x, begin, end, first);
  const std::int32_t most = min(end, inside + last - first + 1);  // numbers of cells are distinct
  return {inside, lower_cell(grid.cell_x, inside, most, last + 1)};
}

/// Cells of the grid row (offset1, offset2) away that may hold rows within eps of a point.
template <typename T, int d>
__device__ Range cells_near(const GridView<T, d>& grid, const Place<d>& place, int offset1, int offset2) {
  const float gap1 = d > 1 ? gap_to(offset1, place.part[d > 1 ? 1 : 0]) : 0.0f;
  const float gap2 = d > 2 ? gap_to(offset2, place.part[d > 2 ? 2 : 0]) : 0.0f;
  float reach = reach_beside(grid.ball.norm, grid.shape.reach, gap1, gap2);
  if (reach < 0.0f) return {0, 0};
  reach += cell_margin;
  const int first = place.cell[0] + __float2int_rd(place.part[0] - reach);
  const int last = place.cell[0] + __float2int_rd(place.part[0] + reach);
  return cells_between(grid, d > 1 ? place.cell[d > 1 ? 1 : 0] + offset1 : 0,
                       d > 2 ? place.cell[d > 2 ? 2 : 0] + offset2 : 0, first, last);
}

template <typename T, int d>
__device__ Range rows_of_cell(const GridView<T, d>& grid, std::int32_t cell) {
  return {grid.cell_start[cell], grid.cell_start[cell + 1]};
}

/// 0, 1, -1, 2, -2, ...: near offsets first.
__device__ inline int offset_at(int i) { return i % 2 == 0 ? -(i / 2) : i / 2 + 1; }

/// What the evaluation in T says of a pair of points.
enum class Nearness : std::uint8_t { far, near, open };

/// far too where a point is masked by NaN.
template <typename T, int d>
__device__ Nearness nearness(const GridView<T, d>& grid, const Point<T, d>& a, const Point<T, d>& b) {
  const Norm norm = grid.ball.norm;
  const T first = a.x[0] - b.x[0];
  T sum = norm == Norm::euclidean ? first * first : fabs(first);
#pragma unroll
  for (int j = 1; j < d; ++j) {
    const T t = a.x[j] - b.x[j];
    if (norm == Norm::euclidean)
      sum = fma(t, t, sum);
    else
      sum = norm == Norm::manhattan ? sum + fabs(t) : (fabs(t) > sum ? fabs(t) : sum);  // keeps a NaN of the first
  }
  if (!(sum < grid.band.outside)) return Nearness::far;
  return sum <= grid.band.inside ? Nearness::near : Nearness::open;
}

/// The exact decision.
template <typename T, int d>
__device__ bool is_near(const GridView<T, d>& grid, const Point<T, d>& a, const Point<T, d>& b) {
  const Nearness seen = nearness(grid, a, b);
  return seen == Nearness::near || (seen == Nearness::open && within(a.x, b.x, grid.ball));
}

/// Sorted rows of a range longer than this are looked at by the whole warp.
inline constexpr std::int32_t long_range = 512;

/// Points of a range within eps of a lane's point, as far as T decides; `open` is set where it does not. Counting may
/// end at `needed`. Whole warps call.
template <typename T, int d>
__device__ std::int32_t count_near(const GridView<T, d>& grid, const Point<T, d>& point, Range range,
                                   std::int32_t needed, bool& open) {
  std::int32_t count = 0;
  const bool is_long = range.end - range.begin > long_range;
  if (!is_long)
    for (std::int32_t q = range.begin; q < range.end && count < needed; ++q) {
      const Nearness seen = nearness(grid, point, grid.points[q]);
      count += seen == Nearness::near ? 1 : 0;
      open = open || seen == Nearness::open;
    }
  const std::int32_t lane = threadIdx.x % 32;
  for (unsigned waiting = __ballot_sync(0xFFFFFFFF, is_long); waiting != 0; waiting &= waiting - 1) {
    const int owner = __ffs(static_cast<int>(waiting)) - 1;
    Point<T, d> shared;
#pragma unroll
    for (int j = 0; j < d; ++j) shared.x[j] = __shfl_sync(0xFFFFFFFF, point.x[j], owner);
    const std::int32_t begin = __shfl_sync(0xFFFFFFFF, range.begin, owner);
    const std::int32_t end = __shfl_sync(0xFFFFFFFF, range.end, owner);
    const std::int32_t enough = __shfl_sync(0xFFFFFFFF, needed, owner);
    std::int32_t total = 0;
    bool any_open = false;
    for (std::int32_t q = begin; q < end && total < enough; q += 32) {
      const Nearness seen = q + lane < end ? nearness(grid, shared, grid.points[q + lane]) : Nearness::far;
      total += __popc(__ballot_sync(0xFFFFFFFF, seen == Nearness::near));
      any_open = any_open || seen == Nearness::open;
    }
    any_open = __any_sync(0xFFFFFFFF, any_open);
    if (lane == owner) {
      count = total;
      open = open || any_open;
    }
  }
  return count;
}

/// The same, exactly, by one thread: for the few that `open` was set for.
template <typename T, int d>
__noinline__ __device__ std::int32_t count_near_exactly(const GridView<T, d>& grid, Point<T, d> point, Range range,
                                                        std::int32_t needed) {
  std::int32_t count = 0;
  for (std::int32_t q = range.begin; q < range.end && count < needed; ++q)
    count += is_near(grid, point, grid.points[q]) ? 1 : 0;
  return count;
}

/// Points within eps in the whole grid, exactly, up to `needed`.
template <typename T, int d>
__noinline__ __device__ std::int32_t count_all_exactly(const GridView<T, d>& grid, Point<T, d> point,
                                                       std::int32_t needed) {
  const Place<d> place = place_of(grid.shape, point);
  const int most = grid.shape.most_offset;
  std::int32_t count = 0;
  for (int offset2 = d > 2 ? -most : 0; offset2 <= (d > 2 ? most : 0); ++offset2)
    for (int offset1 = d > 1 ? -most : 0; offset1 <= (d > 1 ? most : 0) && count < needed; ++offset1) {
      const Range cells = cells_near(grid, place, offset1, offset2);
      if (cells.begin < cells.end)
        count +=
            count_near_exactly(grid, point, {grid.cell_start[cells.begin], grid.cell_start[cells.end]}, needed - count);
    }
  return count;
}

}  // namespace tilelearn::dbscan::cuda
