// Kernels of the grid: labels of core rows, of the rows beside them, and of rows from elsewhere.
#pragma once

#include <cmath>

#include "dbscan/dbscan_grid_geometry.cuh"
#include "dbscan/dbscan_grid_threads.cuh"

namespace tilelearn::dbscan::cuda {

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
/// go to `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads, full_blocks)
    label_other_rows(const __grid_constant__ GridView<T, d> grid, const T* X, const std::int32_t* list,
                     const std::int32_t* list_size, const std::int32_t* cluster_of, std::int32_t* labels,
                     OpenRows open) {
  const std::int32_t size = *list_size;
  if (std::int64_t{blockIdx.x} * blockDim.x >= size) return;
  const std::int64_t index = thread_index();
  const std::int32_t i = list[min(index, std::int64_t{size} - 1)];
  const Point<T, d> point = unmasked(grid, X, i);
  bool is_open = false;
  const std::int32_t label = least_cluster(grid, cluster_of, point, place_of(grid.shape, point), index < size, is_open);
  if (index >= size) return;
  labels[grid.row_of[i]] = coded(label, false);
  if (is_open) open.add(i);
}

template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_other_rows(const __grid_constant__ GridView<T, d> grid, const T* X, const std::int32_t* list,
                      const std::int32_t* list_size, const std::int32_t* cluster_of, OpenRows open,
                      std::int32_t* labels) {
  if (thread_index() >= *list_size) return;
  const std::int32_t i = list[thread_index()];
  if (open.has(i)) labels[grid.row_of[i]] = coded(least_cluster_exactly(grid, cluster_of, unmasked(grid, X, i)), false);
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

/// Least label within eps of rows from elsewhere. Those that T does not decide go to `open`.
template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    label_queries(const __grid_constant__ GridView<T, d> grid, const T* queries, std::int64_t m,
                  const std::int32_t* cluster_of, std::int32_t* labels, OpenRows open) {
  const std::int64_t index = thread_index();
  Point<T, d> point;
  const bool active = query_point(grid, queries + min(index, m - 1) * d, point) && index < m;
  Place<d> place{};
  if (active) place = place_of(grid.shape, point);
  bool is_open = false;
  const std::int32_t label = least_cluster(grid, cluster_of, point, place, active, is_open);
  if (index >= m) return;
  labels[index] = label;
  if (is_open) open.add(index);
}

template <typename T, int d>
__global__ void __launch_bounds__(grid_threads)
    decide_queries(const __grid_constant__ GridView<T, d> grid, const T* queries, std::int64_t m,
                   const std::int32_t* cluster_of, OpenRows open, std::int32_t* labels) {
  const std::int64_t index = thread_index();
  if (index >= m || !open.has(index)) return;
  Point<T, d> point;
  (void)query_point(grid, queries + index * d, point);
  labels[index] = least_cluster_exactly(grid, cluster_of, point);
}

}  // namespace tilelearn::dbscan::cuda
