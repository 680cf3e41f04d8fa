// What a regime of the CUDA backend is given, and what it leaves.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_weights.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cuda {

/// Rows to be clustered, on the current device. Values are checked; cosine and haversine are unit vectors already.
template <typename T>
struct Search {
  const T* X = nullptr;  ///< n x ball.d, row-major without gaps
  std::int64_t n = 0;    ///< at most 2^31 - 1
  Ball ball;
  std::int64_t min_samples = 1;
  const int2* weights = nullptr;   ///< n weight_words (x high, y low), null without weights
  fixed_point::Words threshold{};  ///< with weights: core_threshold
  bool stops_early = true;         ///< no weight is negative: a count that has reached min_samples stays there

  /// Whether so many rows, without weights, make a core row.
  [[nodiscard]] __host__ __device__ bool enough(std::int64_t count) const { return count >= min_samples; }
};

/// A row's label and whether it is core, in one word: 2 label + core, so -2 for noise.
__host__ __device__ constexpr std::int32_t coded(std::int32_t label, bool is_core) {
  return label * 2 + (is_core ? 1 : 0);
}
__host__ __device__ constexpr std::int32_t label_of(std::int32_t code) { return code >> 1; }
__host__ __device__ constexpr bool is_core(std::int32_t code) { return (code & 1) != 0; }

}  // namespace tilelearn::dbscan::cuda
