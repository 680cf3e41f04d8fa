// Kernels of the k-d order (J. L. Bentley, Multidimensional binary search trees used for associative searching, CACM
// 1975): halves by number of rows, along the column of largest extent.
//
// A node is a window of 2^shift places. Values are compared by their bits, ordered as integers; a key holds as many
// upper bits of the distance from the node's least value as there is room for, so that a median is near enough.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr int order_threads = 256;
/// Places of a block that finds extents.
inline constexpr int extent_places = 2048;
/// Windows whose last splits one block makes.
inline constexpr int leaf_shift = 10;
inline constexpr int leaf_places = 1 << leaf_shift;
/// Places of the smallest node that is split: halves are strips.
inline constexpr int least_split = 32;

template <typename T>
struct OrderedBits;
template <>
struct OrderedBits<float> {
  using Type = unsigned int;
  __device__ static Type of(float value) {
    const Type bits = __float_as_uint(value);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  }
  __device__ static double value(Type ordered) {
    return __uint_as_float(ordered >> 31 != 0 ? ordered & 0x7FFFFFFFu : ~ordered);
  }
  __device__ static int width(Type range) { return 32 - __clz(static_cast<int>(range)); }
};
template <>
struct OrderedBits<double> {
  using Type = unsigned long long;
  __device__ static Type of(double value) {
    const auto bits = static_cast<Type>(__double_as_longlong(value));
    return bits >> 63 != 0 ? ~bits : bits | 0x8000000000000000u;
  }
  __device__ static double value(Type ordered) {
    const Type bits = ordered >> 63 != 0 ? ordered & 0x7FFFFFFFFFFFFFFFu : ~ordered;
    return __longlong_as_double(static_cast<long long>(bits));
  }
  __device__ static int width(Type range) { return 64 - __clzll(static_cast<long long>(range)); }
};

template <typename T>
using Ordered = typename OrderedBits<T>::Type;

/// Half of an extent (which cannot overflow); -1 where there are no values.
template <typename T>
__device__ double half_extent(Ordered<T> low, Ordered<T> high) {
  return low <= high ? OrderedBits<T>::value(high) * 0.5 - OrderedBits<T>::value(low) * 0.5 : -1.0;
}

/// Extremes of a column over a node.
template <typename T>
struct Extents {
  Ordered<T>* low;   ///< [node][d], all bits set at first
  Ordered<T>* high;  ///< [node][d], zero at first
};

/// Widens the extents of nodes by extent_places rows a block; a thread stays with one column. Bytes: X once.
template <typename T>
__global__ void __launch_bounds__(order_threads)
    find_extents(const T* X, std::int64_t n, int d, const std::int32_t* order, int shift, Extents<T> extents) {
  __shared__ Ordered<T> lows[order_threads];
  __shared__ Ordered<T> highs[order_threads];
  const std::int64_t begin = std::int64_t{blockIdx.x} * extent_places;
  const std::int64_t end = min(begin + extent_places, n);
  const std::int64_t node = begin >> shift;
  for (int first_column = 0; first_column < d; first_column += order_threads) {
    const int columns = min(d - first_column, order_threads);
    const int rows_at_once = order_threads / columns;
    const int column = static_cast<int>(threadIdx.x) % columns;
    const int row = static_cast<int>(threadIdx.x) / columns;
    Ordered<T> low = ~Ordered<T>{0};
    Ordered<T> high = 0;
    if (row < rows_at_once) {
#pragma unroll 4
      for (std::int64_t place = begin + row; place < end; place += rows_at_once) {
        const Ordered<T> value = OrderedBits<T>::of(X[std::int64_t{order[place]} * d + first_column + column]);
        low = min(low, value);
        high = max(high, value);
      }
    }
    lows[threadIdx.x] = low;
    highs[threadIdx.x] = high;
    __syncthreads();
    if (row == 0) {
      for (int r = 1; r < rows_at_once; ++r) {
        low = min(low, lows[r * columns + column]);
        high = max(high, highs[r * columns + column]);
      }
      atomicMin(extents.low + node * d + first_column + column, low);
      atomicMax(extents.high + node * d + first_column + column, high);
    }
    __syncthreads();
  }
}

/// How the rows of a node are split.
template <typename T>
struct Split {
  Ordered<T> low;
  int column;
  int dropped_bits;  ///< of the distance from `low`
};

/// The larger extent, then the lower column, of two lanes `offset` apart.
__device__ inline void take_wider(double& extent, int& column, int offset) {
  const double other = __shfl_xor_sync(0xFFFFFFFF, extent, offset);
  const int other_column = __shfl_xor_sync(0xFFFFFFFF, column, offset);
  if (other > extent || (other == extent && other_column < column)) {
    extent = other;
    column = other_column;
  }
}

/// The widest column of each node, one node a warp.
template <typename T>
__global__ void choose_splits(Extents<T> extents, std::int32_t nodes, int d, int value_bits, Split<T>* splits) {
  const std::int64_t node = tilelearn::cuda::thread_index() / 32;
  if (node >= nodes) return;
  const Ordered<T>* low = extents.low + node * d;
  const Ordered<T>* high = extents.high + node * d;
  double widest = -1.0;
  int column = 0;
  for (int j = static_cast<int>(threadIdx.x % 32); j < d; j += 32) {
    const double extent = half_extent<T>(low[j], high[j]);
    if (extent > widest) {
      widest = extent;
      column = j;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) take_wider(widest, column, offset);
  if (threadIdx.x % 32 == 0)
    splits[node] = {low[column], column, max(OrderedBits<T>::width(high[column] - low[column]) - value_bits, 0)};
}

/// Keys (node, value along its column); the values are rows.
template <typename T>
__global__ void make_keys(const T* X, std::int64_t n, int d, const std::int32_t* order, int shift, int value_bits,
                          const Split<T>* splits, std::uint32_t* keys) {
  for (std::int64_t place = tilelearn::cuda::thread_index(); place < n; place += tilelearn::cuda::thread_count()) {
    const Split<T> split = splits[place >> shift];
    const Ordered<T> value = OrderedBits<T>::of(X[std::int64_t{order[place]} * d + split.column]);
    const auto node = static_cast<std::uint32_t>(place >> shift);
    const auto part = static_cast<std::uint32_t>((value - split.low) >> split.dropped_bits);
    keys[place] = (value_bits < 32 ? node << value_bits : 0) | part;
  }
}

/// One window of the leaf kernel in shared memory.
template <typename T>
struct LeafWindow {
  static constexpr int columns = 32;
  Ordered<T> key[leaf_places];
  std::int32_t row[leaf_places];
  Ordered<T> low[leaf_places / least_split][columns];
  Ordered<T> high[leaf_places / least_split][columns];
  double widest[leaf_places / least_split];
  int column[leaf_places / least_split];
};

/// The widest column of every node of `size` places; each warp looks at 32 places. -1 is no row.
template <typename T>
__device__ void choose_leaf_splits(const T* X, int d, int size, LeafWindow<T>& window) {
  constexpr int width = LeafWindow<T>::columns;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int node = warp * 32 / size;
  for (int first_column = 0; first_column < d; first_column += width) {
    window.low[warp][lane] = ~Ordered<T>{0};
    window.high[warp][lane] = 0;
    __syncthreads();
    const int columns = min(d - first_column, width);
    int lanes_a_row = 1;
    while (lanes_a_row < columns) lanes_a_row *= 2;
    const int column = lane % lanes_a_row;
    Ordered<T> low = ~Ordered<T>{0};
    Ordered<T> high = 0;
    for (int i = lane / lanes_a_row; i < 32; i += 32 / lanes_a_row) {
      const std::int32_t row = window.row[warp * 32 + i];
      if (row < 0 || column >= columns) continue;
      const Ordered<T> value = OrderedBits<T>::of(X[std::int64_t{row} * d + first_column + column]);
      low = min(low, value);
      high = max(high, value);
    }
    if (column < columns && low <= high) {
      atomicMin(&window.low[node][column], low);
      atomicMax(&window.high[node][column], high);
    }
    __syncthreads();
    if (warp < leaf_places / size) {
      double extent = lane < columns ? half_extent<T>(window.low[warp][lane], window.high[warp][lane]) : -1.0;
      int widest = first_column + lane;
      for (int offset = 16; offset > 0; offset /= 2) take_wider(extent, widest, offset);
      if (lane == 0 && (first_column == 0 || extent > window.widest[warp])) {
        window.widest[warp] = extent;
        window.column[warp] = widest;
      }
    }
    __syncthreads();
  }
}

/// Sorts the places of every node of `size` places by key: a bitonic network, exchanges within a warp by shuffles.
template <typename T>
__device__ void sort_nodes(Ordered<T> key, std::int32_t row, int size, LeafWindow<T>& window) {
  const int place = static_cast<int>(threadIdx.x);
  for (int run = 2; run <= size; run *= 2) {
    const bool ascending = run == size || (place & run) == 0;
    for (int distance = run / 2; distance > 0; distance /= 2) {
      Ordered<T> other_key;
      std::int32_t other_row;
      if (distance >= 32) {
        window.key[place] = key;
        window.row[place] = row;
        __syncthreads();
        other_key = window.key[place ^ distance];
        other_row = window.row[place ^ distance];
        __syncthreads();
      } else {
        other_key = __shfl_xor_sync(0xFFFFFFFF, key, distance);
        other_row = __shfl_xor_sync(0xFFFFFFFF, row, distance);
      }
      const bool keeps_smaller = ((place & distance) == 0) == ascending;
      if (keeps_smaller ? other_key < key : other_key > key) {
        key = other_key;
        row = other_row;
      }
    }
  }
  window.row[place] = row;
  __syncthreads();
}

/// The splits of windows of leaf_places down to strips, one window a block, one place a thread.
template <typename T>
__global__ void __launch_bounds__(leaf_places) split_leaves(const T* X, std::int64_t n, int d, std::int32_t* order) {
  __shared__ LeafWindow<T> window;
  const std::int64_t place = std::int64_t{blockIdx.x} * leaf_places + threadIdx.x;
  window.row[threadIdx.x] = place < n ? order[place] : -1;
  __syncthreads();
  for (int size = leaf_places; size >= least_split; size /= 2) {
    choose_leaf_splits(X, d, size, window);
    const std::int32_t row = window.row[threadIdx.x];
    const int column = window.column[threadIdx.x / size];
    // Places without a row are the last ones and stay so.
    const Ordered<T> key = row < 0 ? ~Ordered<T>{0} : OrderedBits<T>::of(X[std::int64_t{row} * d + column]);
    __syncthreads();
    sort_nodes<T>(key, row, size, window);
  }
  if (place < n) order[place] = window.row[threadIdx.x];
}

}  // namespace tilelearn::dbscan::cuda
