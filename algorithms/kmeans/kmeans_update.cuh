// Cluster sums on a CUDA device, kept from iteration to iteration: exact integers, so that rows which change their
// label are taken from one cluster and added to another, and the sums are those of a fresh start to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda_support.cuh"
#include "kmeans/kmeans_loop.cuh"
#include "kmeans/kmeans_rows.cuh"
#include "kmeans/kmeans_statistics.cuh"

namespace tilelearn::kmeans::cuda {

/// Fixed-point words (core/fixed_point.hpp) as the kernels see them.
struct Sums {
  std::int64_t* high;         ///< k x d
  std::int64_t* low;          ///< k x d, null where every column is narrow
  std::int64_t* weight_high;  ///< k; without weights the rows of the cluster
  std::int64_t* weight_low;   ///< k; 0 without weights
  const double* factor;       ///< d grid factors
  const double* low_factor;   ///< d; 0 for a narrow column
};

/// A row of the data that goes to an empty cluster.
struct Relocation {
  std::int64_t row;
  std::int32_t from;
  std::int32_t to;
};

template <typename T>
class ClusterSums {
 public:
  ClusterSums(const Rows<T>& rows, std::int64_t k, const Statistics& statistics, const Device& device);

  /// No rows in any cluster. Stream-ordered.
  void clear();

  /// Rows whose new label differs move; labels become the new ones; state->changed grows by the rows that moved.
  /// Stream-ordered.
  void move_rows(std::int32_t* labels, const std::int32_t* new_labels, LoopState* state);

  /// Moves single rows, in order. Stream-ordered.
  void relocate(const std::vector<Relocation>& rows, LoopState* state);

  /// Centres from the sums (an empty cluster keeps its old one) and the squared shift of each; counts empty clusters in
  /// state->empty. Stream-ordered.
  void centres(const T* old_centers, T* new_centers, LoopState* state);

  /// Ends the iteration in `state`: converged, or has_empty unless empty clusters are allowed. Stream-ordered.
  void decide(double tolerance, bool allow_empty, LoopState* state);

  /// Which clusters have no row of positive weight. Synchronises.
  [[nodiscard]] std::vector<std::int32_t> empty_clusters() const;

 private:
  [[nodiscard]] Sums sums() const;
  [[nodiscard]] bool fits_shared_memory() const;

  Rows<T> rows_;
  std::int64_t k_;
  Device device_;
  bool narrow_ = true;  ///< every column; factors fit float32
  tilelearn::cuda::Buffer<std::int64_t> words_;
  tilelearn::cuda::Buffer<double> factors_;
  tilelearn::cuda::Buffer<double> shifts_;
  std::int64_t words_size_ = 0;
};

}  // namespace tilelearn::kmeans::cuda
