// Preparing the centres for the filter: float16 operands, norms, and what the bound needs of them.
#pragma once

#include "kmeans/kmeans_filter.cuh"

namespace tilelearn::kmeans::cuda {

/// Score of the columns that pad k to whole tiles. Rows whose best score is not above it are compared in full.
inline constexpr float padding_score = -60000.0f;
/// |c~| after scaling is under 2^7, so that |c~|^2 / 2 fits float16.
inline constexpr int norm_bits = 7;

/// c - m of the formulas, as both operands see it.
__device__ inline float centred(float value, float mean, double /*data_scale*/) { return value - mean; }
__device__ inline float centred(double value, double mean, double data_scale) {
  return static_cast<float>(value * data_scale - mean * data_scale);
}

__device__ inline double block_sum(double value) {
  __shared__ double part[32];
  for (int h = 16; h > 0; h /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, h);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) value += part[i];
  return value;
}

__device__ inline void atomic_max(double* address, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(address),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// scale->largest_norm = max over centres of |c - m|. One block a centre; scale is zero before.
template <typename T>
__global__ void largest_centre_norm(const T* centers, int d, const T* mean, double data_scale, FilterScale* scale,
                                    const LoopState* state) {
  if (!is_running(state)) return;
  double sum = 0;
  for (int j = threadIdx.x; j < d; j += blockDim.x) {
    const double c = centred(centers[std::int64_t{blockIdx.x} * d + j], mean[j], data_scale);
    sum = fma(c, c, sum);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomic_max(&scale->largest_norm, sqrt(sum));
}

/// Power of two g with |c~| < 2^norm_bits for all centres.
__device__ inline float filter_factor(double largest_norm) {
  if (!(largest_norm > 0.0)) return 1.0f;
  const int exponent = norm_bits - 1 - ilogb(largest_norm);
  return static_cast<float>(scalbn(1.0, min(max(exponent, -120), 120)));
}

/// The slots of one centre (or of a padding column) into B, -|c~|^2 / 2 into norms, its rounding error into
/// scale->largest_error, and -m g into shift. One block a column of B.
template <typename T>
__global__ void prepare_centres(const T* centers, int k, int d, const T* mean, double data_scale, int tile_columns,
                                int groups, bool norms_in_slots, __half* B, float* norms, float* shift,
                                FilterScale* scale, const LoopState* state) {
  if (!is_running(state)) return;
  const int column = blockIdx.x;
  const float factor = filter_factor(scale->largest_norm);
  __half* slots =
      B + (std::int64_t{column / tile_columns} * groups * tile_columns + column % tile_columns) * group_slots;
  const auto slot = [&](int s) -> __half& {
    return slots[std::int64_t{s / group_slots} * tile_columns * group_slots + s % group_slots];
  };
  for (int j = threadIdx.x; j < d && column == 0; j += blockDim.x)
    shift[j] = -static_cast<float>(mean[j] * data_scale) * factor;
  double norm = 0;
  double error = 0;
  for (int s = threadIdx.x; s < groups * group_slots; s += blockDim.x) slot(s) = __half(0.0f);
  __syncthreads();
  for (int j = threadIdx.x; j < d && column < k; j += blockDim.x) {
    const float c = centred(centers[std::int64_t{column} * d + j], mean[j], data_scale) * factor;
    const __half high = __float2half_rn(c);
    const float rest = c - __half2float(high);
    norm = fma(double{c}, double{c}, norm);
    error = fma(double{rest}, double{rest}, error);
    slot(j) = high;
  }
  norm = block_sum(norm);
  error = block_sum(error);
  if (threadIdx.x != 0) return;
  float rest = column < k ? static_cast<float>(-0.5 * norm) : padding_score;
  norms[column] = rest;
  for (int i = 0; i < norm_slots && norms_in_slots; ++i) {
    const __half part = __float2half_rn(rest);
    slot(d + i) = part;
    rest -= __half2float(part);
  }
  if (column < k) atomic_max(&scale->largest_error, sqrt(error));
  if (column == 0) scale->factor = factor;
}

}  // namespace tilelearn::kmeans::cuda
