// Kernels of the silhouette. Members of clusters lie in blocks of lane_count slots; a cluster begins with a block of
// its own, slots beyond its last member are empty. values[(block d + column) lane_count + lane], float64.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/cuda_support.cuh"
#include "metrics/metrics_backend.hpp"

namespace tilelearn::metrics::cuda {

inline constexpr int threads_per_block = 128;
/// A tile: member blocks (64 slots) by columns, of the rows of a thread block or of the members they meet.
inline constexpr int tile_blocks = 8;
inline constexpr int tile_slots = tile_blocks * lane_count;
inline constexpr int tile_columns = 32;
/// Keeps the columns of a tile, which are written lane by lane, on different banks.
inline constexpr int tile_stride = tile_slots + lane_count;
/// Rows of one thread: lane_count threads share them, each with one lane of the members.
inline constexpr int rows_per_thread = tile_slots * lane_count / threads_per_block;

using Tile = double[tile_columns][tile_stride];

/// max |x| as the bits of a double: ordered as the double, and a NaN is above infinity.
template <typename T>
__global__ void largest_bits(const T* X, std::int64_t size, unsigned long long* result) {
  unsigned long long bits = 0;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step)
    bits = max(bits, static_cast<unsigned long long>(__double_as_longlong(fabs(static_cast<double>(X[i])))));
  for (int offset = 16; offset > 0; offset /= 2) bits = max(bits, __shfl_xor_sync(0xFFFFFFFF, bits, offset));
  if (threadIdx.x % 32 == 0) atomicMax(result, bits);
}

/// values from X (n x d) by slot_rows (the row of each slot, -1 if empty).
template <typename T>
__global__ void gather_members(const T* X, std::int64_t d, const std::int64_t* slot_rows, std::int64_t slots,
                               double factor, double* values) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < slots * d; i += step) {
    const std::int64_t block = i / (d * lane_count);
    const std::int64_t rest = i - block * d * lane_count;
    const std::int64_t row = slot_rows[block * lane_count + rest % lane_count];
    values[i] = row < 0 ? 0.0 : static_cast<double>(X[row * d + rest / lane_count]) * factor;
  }
}

struct Members {
  const double* values;
  const std::int64_t* slot_rows;       ///< row of each slot, -1 if empty
  const std::int64_t* block_clusters;  ///< cluster of each block
  const std::int64_t* block_starts;    ///< k + 1 block numbers
  const std::int64_t* sizes;           ///< k
  std::int64_t clusters;
  std::int64_t blocks;
  std::int64_t d;
};

/// Columns first_column .. of `count` blocks from `block` on; the rest of the tile is zeros.
__device__ inline void load_tile(const Members& in, std::int64_t block, std::int64_t count, std::int64_t first_column,
                                 Tile& tile) {
  for (int i = threadIdx.x; i < tile_columns * tile_slots; i += threads_per_block) {
    const int b = i / (tile_columns * lane_count);
    const int j = i / lane_count % tile_columns;
    const int lane = i % lane_count;
    const bool inside = b < count && first_column + j < in.d;
    tile[j][b * lane_count + lane] =
        inside ? in.values[((block + b) * in.d + first_column + j) * lane_count + lane] : 0.0;
  }
}

/// What one row has seen of the clusters so far.
struct RowState {
  std::int64_t own_cluster;
  std::int64_t own_size = 0;
  double own_mean = 0.0;
  double least_other_mean = INFINITY;

  __device__ void add(std::int64_t cluster, std::int64_t size, double sum) {
    if (cluster != own_cluster) {
      const double mean = sum / static_cast<double>(size);
      least_other_mean = mean < least_other_mean ? mean : least_other_mean;
      return;
    }
    own_size = size;
    own_mean = size > 1 ? sum / static_cast<double>(size - 1) : 0.0;
  }
};

/// Squared distances of the thread's rows to its lane of each member block of a tile, all columns.
/// squares[r][b] = sum_j (row_r,j - member_b,j)^2. All threads of the block take part (tiles are shared).
__device__ inline void tile_squares(const Members& in, std::int64_t row_block, std::int64_t member_block,
                                    std::int64_t member_blocks, Tile& rows, Tile& members,
                                    double (&squares)[rows_per_thread][tile_blocks]) {
  const int lane = threadIdx.x % lane_count;
  const int first_row = static_cast<int>(threadIdx.x) / lane_count * rows_per_thread;
  for (int r = 0; r < rows_per_thread; ++r)
    for (int b = 0; b < tile_blocks; ++b) squares[r][b] = 0.0;
  for (std::int64_t first_column = 0; first_column < in.d; first_column += tile_columns) {
    __syncthreads();  // the tiles are free: every thread is done with the columns before
    if (in.d > tile_columns)
      load_tile(in, row_block, min(std::int64_t{tile_blocks}, in.blocks - row_block), first_column, rows);
    load_tile(in, member_block, member_blocks, first_column, members);
    __syncthreads();
    const int columns = static_cast<int>(min(std::int64_t{tile_columns}, in.d - first_column));
    for (int j = 0; j < columns; ++j) {
      double x[rows_per_thread];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) x[r] = rows[j][first_row + r];
#pragma unroll
      for (int b = 0; b < tile_blocks; ++b) {
        const double y = members[j][b * lane_count + lane];
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r) {
          const double t = x[r] - y;
          squares[r][b] = fma(t, t, squares[r][b]);
        }
      }
    }
  }
}

/// Coefficients of the 64 rows in tile_blocks member blocks. Eight threads share a row, each sums one lane; the order
/// of sums is that of metrics_backend.hpp. O(n d) float64 reads a thread block, n d / 64 in all from L2.
__global__ void __launch_bounds__(threads_per_block) silhouette(Members in, double* coefficients) {
  __shared__ Tile rows;
  __shared__ Tile members;
  const std::int64_t row_block = std::int64_t{blockIdx.x} * tile_blocks;
  const int lane = threadIdx.x % lane_count;
  const std::int64_t first_slot = row_block * lane_count + static_cast<int>(threadIdx.x) / lane_count * rows_per_thread;
  if (in.d <= tile_columns) load_tile(in, row_block, min(std::int64_t{tile_blocks}, in.blocks - row_block), 0, rows);
  RowState states[rows_per_thread];
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const std::int64_t block = (first_slot + r) / lane_count;
    states[r].own_cluster = block < in.blocks ? in.block_clusters[block] : -1;
  }
  for (std::int64_t c = 0; c < in.clusters; ++c) {
    const std::int64_t size = in.sizes[c];
    double sums[rows_per_thread] = {};
    for (std::int64_t done = 0; done < size; done += tile_slots) {
      double squares[rows_per_thread][tile_blocks];
      const std::int64_t left = size - done;
      const std::int64_t blocks = min(std::int64_t{tile_blocks}, (left + lane_count - 1) / lane_count);
      tile_squares(in, row_block, in.block_starts[c] + done / lane_count, blocks, rows, members, squares);
#pragma unroll
      for (int b = 0; b < tile_blocks; ++b)
#pragma unroll
        for (int r = 0; r < rows_per_thread; ++r)
          if (b * lane_count + lane < left) sums[r] += sqrt(squares[r][b]);
    }
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      for (int half = lane_count / 2; half > 0; half /= 2)
        sums[r] += __shfl_down_sync(0xFFFFFFFF, sums[r], half, lane_count);
      states[r].add(c, size, sums[r]);  // right in lane 0, which alone writes
    }
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const std::int64_t slot = first_slot + r;
    if (lane != 0 || slot >= in.blocks * lane_count || in.slot_rows[slot] < 0) continue;
    coefficients[in.slot_rows[slot]] =
        silhouette_coefficient(states[r].own_mean, states[r].least_other_mean, states[r].own_size);
  }
}

}  // namespace tilelearn::metrics::cuda
