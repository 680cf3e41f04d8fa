// Which pairs of a strip and a tile can be within eps, by one warp on the tensor cores: 16 x 64 pairs in float16 with
// float32 sums.
//
// With x^, y^ and g of dbscan_tiles_operands.cuh, l and m their losses, |x - y| g is within l + m of |x^ - y^|. The
// accumulators hold -|x^ - y^|^2 / 2 but for the rounding of their sums, so they prove a pair near or far outside of a
// band around eps; the pairs in the band stay open.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_tiles_operands.cuh"

namespace tilelearn::dbscan::cuda {

/// Of a lane's two tile rows (lane and lane + 32): bits of the strip rows within eps of them.
struct NearRows {
  unsigned of[2];
};

/// Strip rows with a tile row within eps.
__device__ inline unsigned rows_of(const NearRows& near) {
  return __reduce_or_sync(0xFFFFFFFF, near.of[0] | near.of[1]);
}

/// Half squares of scaled distances: at or below `inside` certainly within eps, above `outside` certainly not.
struct TensorBand {
  float inside;
  float outside;
};

/// The band for the rows of a strip and of a tile.
__device__ inline TensorBand make_tensor_band(const TensorOperands& queries, std::int32_t strip,
                                              const TensorOperands& others, std::int32_t tile, double eps) {
  const auto* tile_bounds = reinterpret_cast<const float4*>(others.bounds + std::int64_t{tile} * strips_a_tile);
  const float4 first = tile_bounds[0];
  const float4 second = tile_bounds[1];
  const float2 own = queries.bounds[strip];
  const float loss = (own.x + fmaxf(fmaxf(first.x, first.z), fmaxf(second.x, second.z))) * (1.0F + 0x1p-20F);
  const float norms = own.y + fmaxf(fmaxf(first.y, first.w), fmaxf(second.y, second.w));
  // Each product is added with at most 2^-23 of the largest sum so far, which is below 2 (|x^|^2 + |y^|^2) / 2; an
  // eighth more for the accumulator's own place in each instruction, 32 for the norms and the start.
  const float terms = static_cast<float>(others.steps * step_columns);
  const float rounding = (1.125F * terms + 32.0F) * 0x1p-22F * norms;
  const float scaled_eps = static_cast<float>(eps * *others.scale);
  const float lower = fmaxf(scaled_eps - loss, 0.0F);
  const float upper = scaled_eps + loss;
  return {0.5F * lower * lower * (1.0F - 0x1p-20F) - rounding, 0.5F * upper * upper * (1.0F + 0x1p-20F) + rounding};
}

/// sums (+)= A (16 x 16) B (16 x 8).
__device__ inline void multiply_add(float (&sums)[4], const uint4& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// From the accumulators' layout to NearRows: nibble s of lane 4 g + q holds strip rows 2 q, 2 q + 1, 2 q + 8, 2 q + 9
/// for tile row 8 s + g.
__device__ inline NearRows by_tile_rows(unsigned nibbles) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int shift = lane / 8 * 4;
  NearRows rows{};
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const unsigned word = __shfl_sync(0xFFFFFFFF, nibbles, lane % 8 * 4 + q) >> shift;
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const unsigned nibble = word >> 16 * u;
      rows.of[u] |= (nibble & 3) << 2 * q | (nibble >> 2 & 3) << (8 + 2 * q);
    }
  }
  return rows;
}

/// near: pairs that may be within eps; open: those of them that may be not.
__device__ inline void evaluate_by_tensor(const TensorOperands& queries, std::int32_t strip,
                                          const TensorOperands& others, std::int32_t tile, double eps, NearRows& near,
                                          NearRows& open) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  float sums[strips_a_tile][2][4];
  const float* tile_norms = others.half_norms + std::int64_t{tile} * tile_rows + lane / 4;
  const auto* strip_norms =
      reinterpret_cast<const float2*>(queries.half_norms + std::int64_t{strip} * strip_rows + 2 * (lane % 4));
  const float2 strip_norm[2] = {strip_norms[0], strip_norms[4]};
#pragma unroll
  for (int t = 0; t < strips_a_tile; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float tile_norm = tile_norms[t * strip_rows + 8 * h];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        sums[t][c][2 * h] = -tile_norm - strip_norm[c].x;
        sums[t][c][2 * h + 1] = -tile_norm - strip_norm[c].y;
      }
    }
  const std::int64_t step_lanes = strips_a_tile * 32;
  const uint4* tile_fragments = others.fragments + std::int64_t{tile} * others.steps * step_lanes + lane;
  const uint4* strip_fragments = queries.fragments + std::int64_t{strip / strips_a_tile} * queries.steps * step_lanes +
                                 strip % strips_a_tile * 32 + lane;
#pragma unroll 2
  for (int step = 0; step < others.steps; ++step) {
    const uint4 b = strip_fragments[step * step_lanes];
#pragma unroll
    for (int t = 0; t < strips_a_tile; ++t) {
      const uint4 a = tile_fragments[step * step_lanes + t * 32];
      multiply_add(sums[t][0], a, b.x, b.z);
      multiply_add(sums[t][1], a, b.y, b.w);
    }
  }
  const TensorBand band = make_tensor_band(queries, strip, others, tile, eps);
  near = open = {};
  const auto sums_from = [&](float least) {
    unsigned nibbles = 0;
#pragma unroll
    for (int t = 0; t < strips_a_tile; ++t)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (sums[t][i / 2 % 2][i / 4 * 2 + i % 2] >= least) nibbles |= 1u << (8 * t + i);
    return nibbles;
  };
  const unsigned may_be_near = sums_from(-band.outside);
  if (!__any_sync(0xFFFFFFFF, may_be_near != 0)) return;
  const unsigned certain = sums_from(-band.inside);
  near = by_tile_rows(may_be_near);
  if (__any_sync(0xFFFFFFFF, may_be_near != certain)) open = by_tile_rows(may_be_near & ~certain);
}

}  // namespace tilelearn::dbscan::cuda
