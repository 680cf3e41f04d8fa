// Kernels of StandardScaler: sums of chunks of rows, the tree over chunks, the maps. X is n x d, row-major.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/cuda_support.cuh"
#include "preprocessing/standard_scaler_backend.hpp"

namespace tilelearn::standard_scaler::cuda {

inline constexpr int threads_per_block = 256;
inline constexpr int rows_per_map_thread = 16;
/// Columns of one tile of the tree: 256 rows of 16 doubles are 32 KiB of shared memory.
inline constexpr int tree_columns = 16;
inline constexpr int tree_threads = threads_per_block / tree_columns;

/// Column sums of a pass; see Pass for the meaning, standard_scaler_backend.hpp for the order. weights may be null.
template <typename T>
struct SumArguments {
  const T* X;
  const T* weights;
  const double* scale;
  const double* shift;
  double weight_factor;
  std::int64_t n;
  std::int64_t d;
};

/// Row c of `partials` (3 d + 1 values): d first, d second, the weight, d largest of chunk c. One thread for a column
/// of a chunk; neighbours in a warp read neighbouring columns. Bytes: X once, partials 24 / 256 a value.
template <typename T>
__global__ void __launch_bounds__(threads_per_block) sum_chunks(SumArguments<T> in, double* partials) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t chunk = index / in.d;
  const std::int64_t j = index - chunk * in.d;
  const std::int64_t begin = chunk * chunk_rows;
  if (begin >= in.n) return;
  const int count = static_cast<int>(min(chunk_rows, in.n - begin));
  const T* x = in.X + begin * in.d + j;
  const double scale = in.scale[j];
  const double shift = in.shift[j];
  double first = 0.0;
  double second = 0.0;
  double weight = 0.0;
  double largest = 0.0;
#pragma unroll 8
  for (int i = 0; i < count; ++i) {
    const double value = static_cast<double>(x[i * in.d]);
    const double w = in.weights == nullptr ? 1.0 : static_cast<double>(in.weights[begin + i]) * in.weight_factor;
    const double t = value * scale - shift;
    const double u = w * t;
    first += u;
    second = fma(u, t, second);
    weight += w;
    const double size = w > 0.0 ? fabs(value) : 0.0;
    largest = size > largest ? size : largest;
  }
  double* row = partials + chunk * (3 * in.d + 1);
  row[j] = first;
  row[in.d + j] = second;
  if (j == 0) row[2 * in.d] = weight;
  row[2 * in.d + 1 + j] = largest;
}

/// One level of tree_sum: rows 256 g .. 256 g + 255 of `from` become row g of `to`. The first `sums` of `width` columns
/// are added, the others joined by maximum. Grid: (groups, tiles of columns); block: (tree_columns, tree_threads).
__global__ void __launch_bounds__(threads_per_block)
    tree_level(const double* from, std::int64_t rows, std::int64_t sums, std::int64_t width, double* to) {
  __shared__ double tile[tree_width][tree_columns];
  const std::int64_t begin = std::int64_t{blockIdx.x} * tree_width;
  const std::int64_t column = std::int64_t{blockIdx.y} * tree_columns + threadIdx.x;
  for (int i = threadIdx.y; i < tree_width; i += tree_threads)
    tile[i][threadIdx.x] = begin + i < rows && column < width ? from[(begin + i) * width + column] : 0.0;
  for (int half = tree_width / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = threadIdx.y; i < half; i += tree_threads) {
      const double a = tile[i][threadIdx.x];
      const double b = tile[i + half][threadIdx.x];
      tile[i][threadIdx.x] = column < sums ? a + b : (b > a ? b : a);
    }
  }
  if (threadIdx.y == 0 && column < width) to[blockIdx.x * width + column] = tile[0][threadIdx.x];
}

struct ApplyFormula {
  __device__ double operator()(double x, double mean, double scale) const { return (x - mean) / scale; }
};

struct UndoFormula {
  __device__ double operator()(double z, double mean, double scale) const { return fma(z, scale, mean); }
};

/// out = formula(in, mean_j, scale_j), rounded to T; *not_finite becomes 1 where a NaN or infinity is read. One thread
/// for a column of rows_per_map_thread rows. Bytes: in read once, out written once.
template <typename T, typename Formula>
__global__ void __launch_bounds__(threads_per_block)
    map_rows(const T* in, std::int64_t n, std::int64_t d, const double* mean, const double* scale, T* out,
             int* not_finite) {
  const std::int64_t groups = (n + rows_per_map_thread - 1) / rows_per_map_thread;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  bool finite = true;
  for (std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < groups * d; index += step) {
    const std::int64_t group = index / d;
    const std::int64_t j = index - group * d;
    const double m = mean[j];
    const double s = scale[j];
    const std::int64_t begin = group * rows_per_map_thread;
    const std::int64_t end = min(n, begin + rows_per_map_thread);
#pragma unroll 4
    for (std::int64_t i = begin; i < end; ++i) {
      const T value = in[i * d + j];
      finite = finite && isfinite(value);
      out[i * d + j] = static_cast<T>(Formula{}(static_cast<double>(value), m, s));
    }
  }
  if (!finite) atomicOr(not_finite, 1);
}

/// WeightFacts as words that integer atomics can join in any order; -1 is the largest unsigned value.
struct WeightWords {
  unsigned long long first_invalid;
  unsigned long long first_positive;
  unsigned long long largest_bits;  ///< of a double that is not negative: ordered as the double
};

__device__ inline unsigned long long warp_min(unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2) value = min(value, __shfl_xor_sync(0xFFFFFFFF, value, offset));
  return value;
}

__device__ inline unsigned long long warp_max(unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2) value = max(value, __shfl_xor_sync(0xFFFFFFFF, value, offset));
  return value;
}

template <typename T>
__global__ void __launch_bounds__(threads_per_block)
    inspect_weights(const T* weights, std::int64_t n, WeightWords* words) {
  constexpr unsigned long long none = ~0ULL;
  unsigned long long invalid = none;
  unsigned long long positive = none;
  double largest = 0.0;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const double w = static_cast<double>(weights[i]);
    const auto row = static_cast<unsigned long long>(i);
    if (!(w >= 0.0) || isinf(w)) invalid = min(invalid, row);
    if (w > 0.0) positive = min(positive, row);
    largest = w > largest ? w : largest;
  }
  invalid = warp_min(invalid);
  positive = warp_min(positive);
  const unsigned long long bits = warp_max(static_cast<unsigned long long>(__double_as_longlong(largest)));
  if (threadIdx.x % 32 != 0) return;
  atomicMin(&words->first_invalid, invalid);
  atomicMin(&words->first_positive, positive);
  atomicMax(&words->largest_bits, bits);
}

}  // namespace tilelearn::standard_scaler::cuda
