// Kernels of the grid: sorting rows into cells.
#pragma once

#include "dbscan/dbscan_grid_geometry.cuh"
#include "dbscan/dbscan_grid_threads.cuh"

namespace tilelearn::dbscan::cuda {

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

}  // namespace tilelearn::dbscan::cuda
