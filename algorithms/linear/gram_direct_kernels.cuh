// The Gram matrix of up to 32 augmented columns: every warp sums rows of its own in its registers, straight from chunks
// in shared memory. Bound by reading X.
#pragma once

#include "linear/gram_stages.cuh"
#include "linear/gram_tiles.cuh"

namespace tilelearn::linear::cuda {

/// How a block is made up for so many groups of 8 columns.
template <int groups_>
struct DirectShape {
  static constexpr int groups = groups_;
  static constexpr int columns = groups * group_columns;
  static constexpr int tiles = UpperTiles{groups}.count();
  static constexpr int warps = 8;
  static constexpr int threads = 32 * warps;
  /// Rows of a chunk, and chunks of a warp on their way.
  static constexpr int rows = groups <= 2 ? 32 : 16;
  static constexpr int stages = 4;
  static constexpr std::int64_t warp_rows = 2048;
  static constexpr std::int64_t leaf_rows = warps * warp_rows;
  static constexpr int elements = tiles * tile_size;
};

/// What a lane holds of the columns: one of each group.
template <typename T, int groups>
struct LaneColumns {
  int begin[groups];
  int step[groups];
  ColumnUnit unit[groups];

  __device__ LaneColumns(const DeviceRows<T>& rows, const StageLayout<T, DirectShape<groups>::rows>& layout,
                         const ColumnUnit* units) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const int column = g * group_columns + lane / step_rows;
      const StageColumn place(rows, layout, column);
      begin[g] = place.begin + lane % step_rows * place.step;
      step[g] = place.step * step_rows;
      unit[g] = units[column];
    }
  }
};

/// All steps of a chunk; rows from `count` on are 0.
template <typename T, int groups, bool weighted, bool whole>
__device__ inline void add_chunk(const LaneColumns<T, groups>& columns, const T* stage, const T* weights,
                                 double weight_scale, int count, double (&sums)[DirectShape<groups>::tiles][4]) {
  const int row = static_cast<int>(threadIdx.x % step_rows);
  int at[groups];
#pragma unroll
  for (int g = 0; g < groups; ++g) at[g] = columns.begin[g];
#pragma unroll 4
  for (int step = 0; step < DirectShape<groups>::rows / step_rows; ++step) {
    const int r = step * step_rows + row;
    const bool real = whole || r < count;
    double right[groups];
    double left[groups];
    double weight = 1.0;
    if constexpr (weighted) weight = real ? static_cast<double>(weights[r]) * weight_scale : 0.0;
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      right[g] = real ? in_units(static_cast<double>(stage[at[g]]), columns.unit[g]) : 0.0;
      left[g] = weighted ? right[g] * weight : right[g];
      at[g] += columns.step[g];
    }
    add_step<groups, 0, DirectShape<groups>::tiles>(left, right, sums);
  }
}

/// result[block] = the upper tiles of leaf first_leaf + block.
template <typename T, int groups, bool weighted>
__global__ void __launch_bounds__(DirectShape<groups>::threads)
    gram_direct(const __grid_constant__ DeviceRows<T> rows, const ColumnUnit* units, std::int64_t first_leaf,
                double* result) {
  using Shape = DirectShape<groups>;
  extern __shared__ __align__(16) unsigned char memory[];
  const StageLayout<T, Shape::rows> layout(rows);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const Team team{static_cast<int>(threadIdx.x % 32), 32};
  T* stages = reinterpret_cast<T*>(memory) + warp * Shape::stages * layout.size;
  if (team.thread < Shape::stages) stages[team.thread * layout.size + layout.zero] = T{0};
  const LaneColumns<T, groups> columns(rows, layout, units);
  const std::int64_t begin = (first_leaf + blockIdx.x) * Shape::leaf_rows + warp * Shape::warp_rows;
  const std::int64_t end = min(begin + Shape::warp_rows, rows.n);
  std::int64_t next = begin;
  int next_stage = 0;
  const auto start_next = [&] {
    if (next < end) {
      const int count = static_cast<int>(min(std::int64_t{Shape::rows}, end - next));
      start_chunk(rows, layout, next, count, team, stages + next_stage * layout.size);
    }
    __pipeline_commit();
    next += Shape::rows;
    next_stage = next_stage + 1 == Shape::stages ? 0 : next_stage + 1;
  };
  for (int s = 0; s < Shape::stages - 1; ++s) start_next();

  double sums[Shape::tiles][4] = {};
  int stage = 0;
  for (std::int64_t first = begin; first < end; first += Shape::rows) {
    __pipeline_wait_prior(Shape::stages - 2);
    __syncwarp();
    start_next();  // into the stage of the chunk before, which all lanes have left
    const T* chunk = stages + stage * layout.size;
    const T* weights = chunk + layout.weight_begin;
    if (end - first >= Shape::rows)
      add_chunk<T, groups, weighted, true>(columns, chunk, weights, rows.weight_scale, Shape::rows, sums);
    else
      add_chunk<T, groups, weighted, false>(columns, chunk, weights, rows.weight_scale, static_cast<int>(end - first),
                                            sums);
    stage = stage + 1 == Shape::stages ? 0 : stage + 1;
  }

  // The warps' sums are added in their order.
  __pipeline_wait_prior(0);
  __syncthreads();
  auto* shared_sums = reinterpret_cast<double*>(memory);
#pragma unroll
  for (int tile = 0; tile < Shape::tiles; ++tile)
    store_tile(shared_sums + warp * Shape::elements + tile * tile_size, sums[tile]);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < Shape::elements; i += Shape::threads) {
    double sum = shared_sums[i];
#pragma unroll
    for (int w = 1; w < Shape::warps; ++w) sum += shared_sums[w * Shape::elements + i];
    result[std::int64_t{blockIdx.x} * Shape::elements + i] = sum;
  }
}

/// Bytes of shared memory of a block.
template <typename T, int groups>
int direct_shared_bytes(const DeviceRows<T>& rows) {
  using Shape = DirectShape<groups>;
  const int work = Shape::warps * Shape::stages * StageLayout<T, Shape::rows>(rows).size * static_cast<int>(sizeof(T));
  const int end = Shape::warps * Shape::elements * static_cast<int>(sizeof(double));
  return work > end ? work : end;
}

}  // namespace tilelearn::linear::cuda
