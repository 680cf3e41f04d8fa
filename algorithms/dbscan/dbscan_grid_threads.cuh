// What the kernels of the grid share: thread numbers, bits of rows, lists.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr int grid_threads = 256;
/// Blocks that fill a multiprocessor: kernels that wait for memory keep to the registers that allow them.
inline constexpr int full_blocks = 8;

using tilelearn::cuda::thread_index;

__device__ inline bool has_bit(const std::uint32_t* bits, std::int64_t i) { return (bits[i / 32] >> i % 32 & 1) != 0; }

__device__ inline void set_bit(std::uint32_t* bits, std::int64_t i) { atomicOr(bits + i / 32, 1u << i % 32); }

/// Rows that an evaluation in T left open.
struct OpenRows {
  std::uint32_t* bits;
  std::uint32_t* any;  ///< not 0 where there is one

  __device__ void add(std::int64_t i) const {
    set_bit(bits, i);
    *any = 1;
  }
  [[nodiscard]] __device__ bool has(std::int64_t i) const { return *any != 0 && has_bit(bits, i); }
};

/// Appends the rows of those threads of a block that ask for it. All threads call.
__device__ inline void append(bool wanted, std::int32_t row, std::int32_t* list, std::int32_t* size) {
  __shared__ std::int32_t warp_place[grid_threads / 32];
  const int warp = threadIdx.x / 32;
  const unsigned mask = __ballot_sync(0xFFFFFFFF, wanted);
  if (threadIdx.x % 32 == 0) warp_place[warp] = __popc(mask);
  __syncthreads();
  if (threadIdx.x == 0) {
    std::int32_t total = 0;
    for (int w = 0; w < grid_threads / 32; ++w) total += warp_place[w];
    std::int32_t place = total > 0 ? atomicAdd(size, total) : 0;
    for (int w = 0; w < grid_threads / 32; ++w) {
      const std::int32_t count = warp_place[w];
      warp_place[w] = place;
      place += count;
    }
  }
  __syncthreads();
  if (wanted) list[warp_place[warp] + __popc(mask & ((1u << threadIdx.x % 32) - 1))] = row;
}

}  // namespace tilelearn::dbscan::cuda
