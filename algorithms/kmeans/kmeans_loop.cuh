// The state of the Lloyd loop in device memory: kernels read it, so that the host can run ahead of them.
#pragma once

#include <cstdint>

namespace tilelearn::kmeans::cuda {

enum class LoopStatus : std::int32_t {
  running,
  converged,
  /// A cluster lost its last row: the host moves rows into empty clusters, then the loop goes on.
  has_empty,
};

struct LoopState {
  LoopStatus status;
  std::int32_t iteration;      ///< iterations done
  std::int32_t strict;         ///< 1: converged because no label changed
  std::int32_t relocated;      ///< rows moved into empty clusters in this iteration
  unsigned long long changed;  ///< labels that changed in this iteration
  unsigned long long empty;    ///< clusters without a row in this iteration
  double shift;                ///< sum of squared centre shifts of the last iteration
};

/// Whether a kernel of the loop has something to do; kernels outside a loop have no state.
__device__ inline bool is_running(const LoopState* state) {
  return state == nullptr || state->status == LoopStatus::running;
}

}  // namespace tilelearn::kmeans::cuda
