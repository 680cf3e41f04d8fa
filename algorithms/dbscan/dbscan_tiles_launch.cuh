// Launches of kernels that take one strip a warp, for each norm and arithmetic.
#pragma once

#include <type_traits>

#include "dbscan/dbscan_tiles_walk.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr int strip_threads = 32 * strips_a_tile;
/// Blocks of a multiprocessor at a time: as many as leave registers for the sums.
template <typename A>
inline constexpr int blocks_together = sizeof(A) == sizeof(float) ? 4 : 3;
inline constexpr int slot_threads = 256;
inline constexpr std::int64_t most_slot_blocks = 1 << 16;

/// Values of rows brought into the order of their slots.
template <typename Value>
__global__ void gather_slots(const std::int32_t* order, std::int64_t slots, const Value* values, Value padding,
                             Value* gathered) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < slots; i += tilelearn::cuda::thread_count())
    gathered[i] = order[i] >= 0 ? values[order[i]] : padding;
}

/// The strip of this warp: a block has a tile of its own.
__device__ inline std::int32_t own_strip() {
  return static_cast<std::int32_t>(blockIdx.x * strips_a_tile + threadIdx.x / 32);
}

/// Bits of the strip's rows that are not padding.
template <typename T>
__device__ unsigned real_rows(const Tiles<T>& tiles, std::int32_t strip) {
  const std::int64_t left = tiles.tree.rows - std::int64_t{strip} * strip_rows;
  return left >= strip_rows ? all_strip_rows : left <= 0 ? 0 : (1u << left) - 1;
}

/// A ball with the band of an arithmetic.
template <typename A>
struct Measure {
  Ball ball;
  TileBand<A> band;
};

template <Norm norm, typename T, typename Function>
void with_arithmetic(const Ball& ball, const Function& function) {
  constexpr std::integral_constant<Norm, norm> constant{};
  if constexpr (sizeof(T) == sizeof(float)) {
    if (float_evaluates(ball)) return function(constant, Measure<float>{ball, make_tile_band<float>(ball)});
  }
  function(constant, Measure<double>{ball, make_tile_band<double>(ball)});
}

/// function(std::integral_constant of the norm, Measure<float or double>)
template <typename T, typename Function>
void with_measure(const Ball& ball, const Function& function) {
  switch (ball.norm) {
    case Norm::euclidean:
      return with_arithmetic<Norm::euclidean, T>(ball, function);
    case Norm::manhattan:
      return with_arithmetic<Norm::manhattan, T>(ball, function);
    case Norm::chebyshev:
      return with_arithmetic<Norm::chebyshev, T>(ball, function);
  }
}

}  // namespace tilelearn::dbscan::cuda
