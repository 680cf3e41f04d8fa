// Nearest centres of rows on a CUDA device: cells in few columns, the tensor-core filter where it pays, float64 for
// the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda_support.cuh"
#include "kmeans/kmeans_cells.cuh"
#include "kmeans/kmeans_filter.cuh"
#include "kmeans/kmeans_rows.cuh"

namespace tilelearn::kmeans::cuda {

template <typename T>
class Assigner {
 public:
  /// For up to `k` centres; the statistics are those of the rows.
  Assigner(const Rows<T>& rows, std::int64_t k, const Statistics& statistics, const Device& device);

  /// Labels of all rows for k x d centres. Does nothing where `state` says that the loop is over. Stream-ordered.
  void assign(const T* centers, std::int64_t k, std::int32_t* labels, const LoopState* state = nullptr);

 private:
  void assign_block(const T* centers, int k, std::int64_t first, std::int64_t count, std::int32_t* labels,
                    const LoopState* state);

  Rows<T> rows_;
  Device device_;
  bool cells_ = false;
  bool filter_ = false;
  CellIndex<T> index_;
  std::int64_t block_rows_ = 0;
  tilelearn::cuda::Buffer<T> mean_;
  tilelearn::cuda::Buffer<float> shift_;
  tilelearn::cuda::Buffer<float> norms_;
  tilelearn::cuda::Buffer<__half> operand_;
  tilelearn::cuda::Buffer<FilterScale> scale_;
  tilelearn::cuda::Buffer<std::uint32_t> queue_;  ///< count, rows
  tilelearn::cuda::Buffer<float> thresholds_;
  tilelearn::cuda::Buffer<std::uint32_t> candidates_;  ///< counts, candidates
  std::uint32_t candidate_capacity_ = 0;
};

/// values[i] = w (squared distance of row i to its centre) / s / s, the terms of the inertia; w as given (null: 1),
/// 0 where w' is 0. Stream-ordered.
template <typename T>
void inertia_terms(const Rows<T>& rows, const T* given_weights, const T* centers, const std::int32_t* labels,
                   double* values, cudaStream_t stream);

/// values[i] = squared distance of row i (scaled by s) to its centre; -1 where w' is 0. Stream-ordered.
template <typename T>
void distances_to_own_centre(const Rows<T>& rows, const T* centers, const std::int32_t* labels, double* values,
                             cudaStream_t stream);

/// distances[i][c] = T(sqrt(squared distance) / s). Stream-ordered.
template <typename T>
void all_distances(const Rows<T>& rows, const T* centers, std::int64_t k, T* distances, cudaStream_t stream);

}  // namespace tilelearn::kmeans::cuda
