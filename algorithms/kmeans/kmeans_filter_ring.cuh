// The prepared centres on their way through shared memory to the tensor cores.
#pragma once

#include "kmeans/kmeans_filter_loader.cuh"
#include "kmeans/kmeans_wgmma.cuh"

namespace tilelearn::kmeans::cuda {

#if TILELEARN_HOPPER_DEVICE

/// Starts the accumulators of a tile with -|c~|^2 / 2.
template <int columns>
__device__ inline void start_with_norms(float (&acc)[columns / 2], const float* norms) {
#pragma unroll
  for (int i = 0; i < columns / 8; ++i) {
    const float2 norm = __ldg(reinterpret_cast<const float2*>(norms + 8 * i + 2 * (threadIdx.x % 4)));
    acc[4 * i] = acc[4 * i + 2] = norm.x;
    acc[4 * i + 1] = acc[4 * i + 3] = norm.y;
  }
}

/// The stages of B in shared memory: one thread fills them with bulk copies, the warpgroups read and free them.
struct Ring {
  std::uint64_t* full;
  std::uint64_t* empty;
  unsigned char* data;
  std::uint32_t stage_bytes;
  int slot;
  std::uint32_t parity;

  __device__ void advance(int stages) {
    if (++slot < stages) return;
    slot = 0;
    parity ^= 1;
  }
};

/// The producer's whole life: all stages of B, once if they stay resident, else once for each round of row tiles.
template <int columns>
__device__ void fill_ring(Ring ring, const __half* B, const FilterShape& shape, std::int64_t rounds) {
  using namespace hopper;
  ring.parity = 1;
  const int group_bytes = columns * group_slots * 2;
  const auto* from = reinterpret_cast<const unsigned char*>(B);
  for (std::int64_t round = 0; round < (shape.resident ? 1 : rounds); ++round) {
    const unsigned char* source = from;
    for (int tile = 0; tile < shape.tiles; ++tile) {
      for (int left = shape.groups; left > 0; left -= shape.stage_groups) {
        const std::uint32_t bytes = min(shape.stage_groups, left) * group_bytes;
        if (!shape.resident) barrier_wait(ring.empty + ring.slot, ring.parity);
        barrier_expect(ring.full + ring.slot, bytes);
        bulk_copy(ring.data + ring.slot * ring.stage_bytes, source, bytes, ring.full + ring.slot);
        ring.advance(shape.stages);
        source += bytes;
      }
    }
  }
}

/// acc = or += groups [0, count) of A times those of B, both in shared memory; count is even. Asynchronous.
template <int columns>
__device__ __forceinline__ void multiply_stage(float (&acc)[columns / 2], std::uint32_t a_address, int a_group_bytes,
                                               std::uint32_t b_address, int count, bool accumulate) {
  using namespace hopper;
  constexpr int full = 8;  // the usual width of a stage, unrolled
  const auto a_step = static_cast<std::uint64_t>(2 * a_group_bytes >> 4);
  constexpr std::uint64_t b_step = 2 * columns * group_slots * 2 >> 4;
  std::uint64_t a = descriptor(a_address, a_group_bytes, 128);
  std::uint64_t b = descriptor(b_address, columns * group_slots * 2, 128);
  if (count == full) {
#pragma unroll
    for (int g = 0; g < full / 2; ++g)
      Wgmma<columns>::multiply(acc, a + g * a_step, b + g * b_step, accumulate || g > 0);
    return;
  }
#pragma unroll 1
  for (int g = 0; g < count / 2; ++g) {
    Wgmma<columns>::multiply(acc, a, b, accumulate || g > 0);
    a += a_step;
    b += b_step;
  }
}

/// acc = or += four K steps of A in registers, from `first_step`, times a full stage of B. Asynchronous.
template <typename T>
__device__ __forceinline__ void multiply_registers(float (&acc)[64], const Fragments<T>& fragments, int first_step,
                                                   std::uint32_t b_address) {
  using namespace hopper;
  constexpr std::uint64_t b_step = 2 * 128 * group_slots * 2 >> 4;
  const std::uint64_t b = descriptor(b_address, 128 * group_slots * 2, 128);
#pragma unroll
  for (int g = 0; g < 4; ++g) Wgmma<128>::multiply(acc, fragments.a[first_step + g], b + g * b_step, 1);
}

#endif

}  // namespace tilelearn::kmeans::cuda
