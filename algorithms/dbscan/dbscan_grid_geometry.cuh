// Where a point lies in the grid, which sorted rows are near it, and whether two points are within eps.
#pragma once

#include "dbscan/dbscan_grid.cuh"

namespace tilelearn::dbscan::cuda {

/// Cells by which gaps are taken smaller and reaches larger than computed: above the rounding of cell numbers (2^-20) and
/// of the float arithmetic on parts of cells (2^-21).
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
  return rest < 0.0f ? rest : sqrtf(rest);
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

/// Cells from x `first` to `last` of the grid row at (y, z).
template <typename T, int d>
__device__ Range cells_between(const GridView<T, d>& grid, std::int32_t y, std::int32_t z, std::int32_t first,
                               std::int32_t last) {
  if (y < 0 || y >= grid.shape.cells[1] || z < 0 || z >= grid.shape.cells[2] || last < 0) return {0, 0};
  const std::int32_t row = z * grid.shape.cells[1] + y;
  const std::int32_t row_begin = row == 0 ? 0 : grid.row_end[row - 1];
  const std::int32_t row_end = grid.row_end[row];
  const std::int32_t begin = lower_cell(grid.cell_x, row_begin, row_end, first);
  std::int32_t end = begin;
  while (end < row_end && grid.cell_x[end] <= last) ++end;
  return {begin, end};
}

/// Cells of the grid row (offset1, offset2) away that may hold rows within eps of a point.
template <typename T, int d>
__device__ Range cells_near(const GridView<T, d>& grid, const Place<d>& place, int offset1, int offset2) {
  const float gap1 = d > 1 ? gap_to(offset1, place.part[d > 1 ? 1 : 0]) : 0.0f;
  const float gap2 = d > 2 ? gap_to(offset2, place.part[d > 2 ? 2 : 0]) : 0.0f;
  float reach = reach_beside(grid.ball.norm, grid.shape.reach, gap1, gap2);
  if (reach < 0.0f) return {0, 0};
  reach += cell_margin;
  const int first = place.cell[0] + static_cast<int>(floorf(place.part[0] - reach));
  const int last = place.cell[0] + static_cast<int>(floorf(place.part[0] + reach));
  return cells_between(grid, d > 1 ? place.cell[d > 1 ? 1 : 0] + offset1 : 0,
                       d > 2 ? place.cell[d > 2 ? 2 : 0] + offset2 : 0, first, last);
}

/// 0, 1, -1, 2, -2, ...: near offsets first.
__device__ inline int offset_at(int i) { return i % 2 == 0 ? -(i / 2) : i / 2 + 1; }

/// The exact decision, for the few pairs in a band.
template <typename T, int d>
__noinline__ __device__ bool open_pair_is_near(Point<T, d> a, Point<T, d> b, const Ball& ball) {
  return within(a.x, b.x, ball);
}

/// Whether two points are within eps; false where one is masked by NaN.
template <typename T, int d>
__device__ bool is_near(const GridView<T, d>& grid, const Point<T, d>& a, const Point<T, d>& b) {
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
  if (!(sum < grid.band.outside)) return false;
  return sum <= grid.band.inside || open_pair_is_near(a, b, grid.ball);
}

/// Sorted rows of a range longer than this are looked at by the whole warp.
inline constexpr std::int32_t long_range = 512;

/// How many points of a range are within eps of a lane's point; counting may end at `needed`. Whole warps call.
template <typename T, int d>
__device__ std::int32_t count_near(const GridView<T, d>& grid, const Point<T, d>& point, Range range,
                                   std::int32_t needed) {
  std::int32_t count = 0;
  const bool is_long = range.end - range.begin > long_range;
  if (!is_long)
    for (std::int32_t q = range.begin; q < range.end && count < needed; ++q)
      count += is_near(grid, point, grid.points[q]) ? 1 : 0;
  const std::int32_t lane = threadIdx.x % 32;
  for (unsigned open = __ballot_sync(0xFFFFFFFF, is_long); open != 0; open &= open - 1) {
    const int owner = __ffs(static_cast<int>(open)) - 1;
    Point<T, d> shared;
#pragma unroll
    for (int j = 0; j < d; ++j) shared.x[j] = __shfl_sync(0xFFFFFFFF, point.x[j], owner);
    const std::int32_t begin = __shfl_sync(0xFFFFFFFF, range.begin, owner);
    const std::int32_t end = __shfl_sync(0xFFFFFFFF, range.end, owner);
    const std::int32_t enough = __shfl_sync(0xFFFFFFFF, needed, owner);
    std::int32_t total = 0;
    for (std::int32_t q = begin; q < end && total < enough; q += 32) {
      const bool near = q + lane < end && is_near(grid, shared, grid.points[q + lane]);
      total += __popc(__ballot_sync(0xFFFFFFFF, near));
    }
    if (lane == owner) count = total;
  }
  return count;
}

}  // namespace tilelearn::dbscan::cuda
