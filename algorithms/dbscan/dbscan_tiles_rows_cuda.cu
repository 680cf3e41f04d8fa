// Rows into tiles, column by column, and the boxes around strips, tiles and nodes.
#include "dbscan/dbscan_tiles.cuh"

#include <cmath>

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

constexpr int fill_threads = 256;
constexpr int fill_columns = 32;
constexpr std::int64_t most_blocks_of_boxes = 1 << 16;

/// Where a kernel fills in Tiles.
template <typename T>
struct TileTargets {
  std::int32_t* order;
  T* values;
  T* strip_boxes;
  T* boxes;
};

/// One tile a block. `order` null: rows as they came. Bytes: X twice.
template <typename T>
__global__ void __launch_bounds__(fill_threads)
    fill_tiles(const T* X, int d, const __grid_constant__ TileTree tree, const std::int32_t* order,
               const __grid_constant__ TileTargets<T> out) {
  __shared__ std::int32_t rows[tile_rows];
  __shared__ T values[fill_columns][tile_rows + 1];
  __shared__ T lows[strips_a_tile][fill_columns];
  __shared__ T highs[strips_a_tile][fill_columns];
  const int thread = static_cast<int>(threadIdx.x);
  const auto tile = static_cast<std::int32_t>(blockIdx.x);
  const std::int64_t first_slot = std::int64_t{tile} * tile_rows;
  const int real = static_cast<int>(min(std::int64_t{tile_rows}, tree.rows - first_slot));
  if (thread < tile_rows) {
    const std::int64_t slot = first_slot + thread;
    rows[thread] = thread >= real ? -1 : order == nullptr ? static_cast<std::int32_t>(slot) : order[slot];
    out.order[slot] = rows[thread];
  }
  __syncthreads();
  for (int first_column = 0; first_column < d; first_column += fill_columns) {
    const int columns = min(d - first_column, fill_columns);
    for (int i = thread; i < tile_rows * columns; i += fill_threads) {
      const int row = i / columns;
      const int column = i % columns;
      values[column][row] = row < real ? X[std::int64_t{rows[row]} * d + first_column + column] : T{0};
    }
    __syncthreads();
    T* target = out.values + (std::int64_t{tile} * d + first_column) * tile_rows;
    for (int i = thread; i < tile_rows * columns; i += fill_threads) target[i] = values[i / tile_rows][i % tile_rows];
    const int strip = thread / fill_columns;
    const int column = thread % fill_columns;
    if (strip < strips_a_tile && column < columns) {
      T low = INFINITY;
      T high = -INFINITY;
      for (int row = strip * strip_rows; row < min(real, (strip + 1) * strip_rows); ++row) {
        low = min(low, values[column][row]);
        high = max(high, values[column][row]);
      }
      lows[strip][column] = low;
      highs[strip][column] = high;
      T* box = out.strip_boxes + ((std::int64_t{tile} * strips_a_tile + strip) * d + first_column + column) * 2;
      box[0] = low;
      box[1] = high;
    }
    __syncthreads();
    if (thread < columns) {
      T low = lows[0][thread];
      T high = highs[0][thread];
      for (int s = 1; s < strips_a_tile; ++s) {
        low = min(low, lows[s][thread]);
        high = max(high, highs[s][thread]);
      }
      T* box = out.boxes + (std::int64_t{tile / fan} * d + first_column + thread) * 2 * fan + tile % fan;
      box[0] = low;
      box[fan] = high;
    }
    __syncthreads();
  }
}

/// Boxes of a level above the tiles, one column of one node a warp.
template <typename T>
__global__ void box_nodes(const __grid_constant__ TileTree tree, int level, int d, T* boxes) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t step = tilelearn::cuda::thread_count() / 32;
  for (std::int64_t item = tilelearn::cuda::thread_index() / 32; item < std::int64_t{tree.count[level]} * d;
       item += step) {
    const std::int64_t node = item / d;
    const std::int64_t column = item % d;
    const bool real = node * fan + lane < tree.count[level - 1];
    const T* from = boxes + ((tree.first_family[level - 1] + node) * d + column) * 2 * fan + lane;
    T low = real ? from[0] : T{INFINITY};
    T high = real ? from[fan] : T{-INFINITY};
    for (int offset = 16; offset > 0; offset /= 2) {
      low = min(low, __shfl_xor_sync(0xFFFFFFFF, low, offset));
      high = max(high, __shfl_xor_sync(0xFFFFFFFF, high, offset));
    }
    T* to = boxes + ((tree.first_family[level] + node / fan) * d + column) * 2 * fan + node % fan;
    if (lane == 0) to[0] = low;
    if (lane == 1) to[fan] = high;
  }
}

}  // namespace

template <typename T>
TiledRows<T>::TiledRows(const T* X, std::int64_t n, int d, Norm norm, const Device& device, const TiledRows* queried)
    : tree_(make_tile_tree(static_cast<std::int32_t>(n))),
      d_(d),
      X_(X),
      order_(device, tree_.slots()),
      values_(device, tree_.slots() * d),
      strip_boxes_(device, tree_.slots() / strip_rows * d * 2),
      boxes_(device, std::int64_t{tree_.families} * d * 2 * fan) {
  const Buffer<std::int32_t> order = k_d_order(X, n, d, device);
  fill_tiles<T><<<static_cast<unsigned>(tree_.tiles()), fill_threads, 0, device.stream()>>>(
      X, d, tree_, order.data(), {order_.data(), values_.data(), strip_boxes_.data(), boxes_.data()});
  for (int level = 1; level < tree_.levels; ++level)
    box_nodes<<<blocks_for(std::int64_t{tree_.count[level]} * d, fill_threads / 32, most_blocks_of_boxes), fill_threads,
                0, device.stream()>>>(tree_, level, d, boxes_.data());
  check_launch();
  if (OperandRows<T>::serve(norm, d))
    operands_ = OperandRows<T>(tree_, d, values_.data(), boxes_.data(),
                               queried == nullptr ? nullptr : &queried->operands_, device);
}

template <typename T>
Tiles<T> TiledRows<T>::view() const {
  return {tree_, d_, X_, order_.data(), values_.data(), strip_boxes_.data(), boxes_.data(), operands_.view()};
}

template class TiledRows<float>;
template class TiledRows<double>;

}  // namespace tilelearn::dbscan::cuda
