// The Gram matrix of many augmented columns: one leaf of one pair of panels of 128 columns a block, 128 x 128 sums in
// the registers of sixteen warps. Bound by float64 tensor arithmetic.
#pragma once

#include "linear/gram_stages.cuh"
#include "linear/gram_tiles.cuh"

namespace tilelearn::linear::cuda {

inline constexpr int wide_columns = 128;
inline constexpr int wide_groups = wide_columns / group_columns;
inline constexpr int wide_warps = 16;
/// One warp more copies rows, so that the others have their registers for sums.
inline constexpr int wide_threads = 32 * (wide_warps + 1);
/// Rows of a chunk, and chunks on their way.
inline constexpr int wide_rows = 16;
inline constexpr int wide_stages = 4;
inline constexpr int wide_stride = panel_stride(wide_columns);
inline constexpr std::int64_t wide_leaf_rows = 8192;
inline constexpr int wide_elements = wide_columns * wide_columns;
/// Warps share the tiles of a pair: 4 by 4, each with 4 x 4 groups.
inline constexpr int warp_groups = 4;

/// One panel's chunk as it came: [row][128], or [column][apart] where X or Y is not row-major.
template <typename T>
struct WideStage {
  static constexpr int apart = stage_column<T, wide_rows>;
  static constexpr int values = wide_columns * apart;
};

template <typename T>
__device__ inline bool come_by_rows(const DeviceRows<T>& rows) {
  return rows.X.by_rows() && rows.Y.by_rows();
}

/// Starts the copy of the columns of a panel.
template <typename T>
__device__ inline void start_panel(const DeviceRows<T>& rows, int panel, std::int64_t first, int count, T* stage) {
  const int begin = panel * wide_columns;
  const auto start_part = [&](const DeviceBlock<T>& block, int offset) {
    const int from = max(begin, offset);
    const int columns = min(begin + wide_columns, offset + block.columns) - from;
    if (columns <= 0) return;
    const bool by_rows = come_by_rows(rows);
    start_copy<wide_rows>(block, by_rows, first, count, from - offset, columns, wide_columns,
                          {static_cast<int>(threadIdx.x % 32), 32},
                          stage + (from - begin) * (by_rows ? 1 : WideStage<T>::apart));
  };
  start_part(rows.X, 0);
  start_part(rows.Y, rows.X.columns);
}

/// result[leaf][pair] = panel_row^T W panel_column of a leaf: [8][16] tiles. grid: pairs (upper), leaves.
template <typename T>
__global__ void __launch_bounds__(wide_threads, 1)
    gram_wide(const __grid_constant__ DeviceRows<T> rows, const ColumnUnit* units, int panels, std::int64_t first_leaf,
              double* result) {
  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int panel_size = wide_rows * wide_stride;
  auto* panel = reinterpret_cast<double*>(memory);  // [2][left, right][row][column]
  auto* stages = reinterpret_cast<T*>(panel + 4 * panel_size);
  const PanelPair pair = panel_pair(panels, static_cast<int>(blockIdx.x));
  const bool diagonal = pair.row == pair.column;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t begin = (first_leaf + blockIdx.y) * wide_leaf_rows;
  const int leaf = static_cast<int>(min(wide_leaf_rows, rows.n - begin));
  if (thread / 32 == wide_warps) {
    ChunkCopies<wide_rows, wide_stages> copies(leaf);
    const auto start = [&](int first, int count, int stage) {
      T* to = stages + stage * 2 * WideStage<T>::values;
      start_panel(rows, pair.row, begin + first, count, to);
      if (!diagonal) start_panel(rows, pair.column, begin + first, count, to + WideStage<T>::values);
    };
    copies.begin(start);
    for (int first = 0; first < leaf; first += wide_rows) copies.next(start);
    return;
  }
  const int lane = thread % 32;
  const int warp_row = thread / 32 / 4 * warp_groups;
  const int warp_column = thread / 32 % 4 * warp_groups;

  // Each thread brings half of the rows of one column of one panel into units. The left panel takes the weights.
  const int side = thread / wide_columns % 2;
  const int half = thread / wide_columns / 2;
  const int own = thread % wide_columns;
  const int column = (side == 0 ? pair.row : pair.column) * wide_columns + own;
  const ColumnUnit unit = units[column];
  const bool is_read = column < rows.X.columns + rows.Y.columns;
  const bool weighted = side == 0 && rows.weights != nullptr;
  const bool by_rows = come_by_rows(rows);
  const int read_step = by_rows ? wide_columns : 1;
  constexpr int steps = wide_rows / step_rows;
  constexpr int part_rows = wide_rows / 2 / steps;
  const int own_row = half * steps * part_rows;
  const int read_place = by_rows ? own : own * WideStage<T>::apart;
  const T* read_begin = stages + read_place + own_row * read_step;
  if (side == 1 && !diagonal) read_begin += WideStage<T>::values;
  double* write_begin = panel + side * panel_size + own + own_row * wide_stride;
  /// The thread's rows of a part of the chunk from `first` on: read, then written to a panel in units.
  const auto read = [&](int first, int stage, int part, T(&values)[part_rows]) {
    const T* from = read_begin + stage * 2 * WideStage<T>::values + part * part_rows * read_step;
#pragma unroll
    for (int r = 0; r < part_rows; ++r)
      values[r] = is_read && first + own_row + part * part_rows + r < leaf ? from[r * read_step] : T{0};
  };
  const auto write = [&](int first, int buffer, int part, const T(&values)[part_rows]) {
    double* to = write_begin + 2 * buffer * panel_size + part * part_rows * wide_stride;
#pragma unroll
    for (int r = 0; r < part_rows; ++r) {
      const int row = first + own_row + part * part_rows + r;
      double value = row < leaf ? in_units(static_cast<double>(values[r]), unit) : 0.0;
      if (weighted && row < leaf) value *= rows.weight(begin + row);
      to[r * wide_stride] = value;
    }
  };

  double sums[warp_groups / 2][warp_groups][4] = {};
  __syncthreads();
  for (int part = 0; part < steps; ++part) {
    T values[part_rows];
    read(0, 0, part, values);
    write(0, 0, part, values);
  }
  int stage = 0;
  int buffer = 0;
#pragma unroll 1
  for (int first = 0; first < leaf; first += wide_rows) {
    stage = stage + 1 == wide_stages ? 0 : stage + 1;
    __syncthreads();
    const double* left = panel + 2 * buffer * panel_size + warp_row * group_columns + lane / step_rows;
    const double* right = panel + (2 * buffer + 1) * panel_size + warp_column * group_columns + lane / step_rows;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      T values[part_rows];
      read(first + wide_rows, stage, step, values);
      const int at = (step * step_rows + lane % step_rows) * wide_stride;
      double a[warp_groups];
      double b[warp_groups];
#pragma unroll
      for (int g = 0; g < warp_groups; ++g) a[g] = left[at + g * group_columns];
#pragma unroll
      for (int h = 0; h < warp_groups; ++h) b[h] = right[at + h * group_columns];
#pragma unroll
      for (int g = 0; g < warp_groups / 2; ++g) {
        // the next panels are filled while the tensor cores are at work
        if (g == warp_groups / 4) write(first + wide_rows, buffer ^ 1, step, values);
#pragma unroll
        for (int h = 0; h < warp_groups; ++h) multiply_add(sums[g][h], a[2 * g], a[2 * g + 1], b[h]);
      }
    }
    buffer ^= 1;
  }
  double* out = result + (std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * wide_elements;
#pragma unroll
  for (int g = 0; g < warp_groups / 2; ++g)
#pragma unroll
    for (int h = 0; h < warp_groups; ++h)
      store_tile(out + ((warp_row / 2 + g) * wide_groups + warp_column + h) * tile_size, sums[g][h]);
}

template <typename T>
constexpr int wide_shared_bytes() {
  return 4 * wide_rows * wide_stride * static_cast<int>(sizeof(double)) +
         wide_stages * 2 * WideStage<T>::values * static_cast<int>(sizeof(T));
}

/// matrix[p][p], upper triangle, from pairs of panels.
inline __global__ void unpack_wide(const double* pairs, int p, int panels, double* matrix) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < std::int64_t{p} * p;
       i += tilelearn::cuda::thread_count()) {
    const int row = static_cast<int>(i / p);
    const int column = static_cast<int>(i % p);
    const int g = row / wide_columns;
    const int h = column / wide_columns;
    if (g > h) {
      matrix[i] = 0.0;
      continue;
    }
    const int tile = row % wide_columns / (2 * group_columns) * wide_groups + column % wide_columns / group_columns;
    matrix[i] = pairs[number_of_pair(panels, g, h) * wide_elements + tile * tile_size + place_in_tile(row, column)];
  }
}

}  // namespace tilelearn::linear::cuda
