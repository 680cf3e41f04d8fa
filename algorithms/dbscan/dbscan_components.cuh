// From sets of nodes to numbered clusters, and from coded labels to a model.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"
#include "dbscan/dbscan_backend.hpp"

namespace tilelearn::dbscan::cuda {

/// A set of rows as bits, with the number of bits before each word: a row's rank in the set is one look-up.
class RankedBits {
 public:
  RankedBits(std::int64_t rows, const Device& device);

  /// ceil(rows / 32) words, zero at first.
  [[nodiscard]] std::uint32_t* bits() const noexcept { return bits_.data(); }
  /// Call when all bits are set. Stream-ordered.
  void rank();
  /// Bits before each word; one more entry holds the number of all bits.
  [[nodiscard]] const std::int32_t* before() const noexcept { return before_.data(); }
  /// Bits that are set. Synchronises.
  [[nodiscard]] std::int32_t count() const;

 private:
  Device device_;
  std::int64_t words_;
  tilelearn::cuda::Buffer<std::uint32_t> bits_;
  tilelearn::cuda::Buffer<std::int32_t> before_;
};

/// Rank of a row whose bit is set.
__device__ inline std::int32_t rank_of(std::int32_t row, const std::uint32_t* bits, const std::int32_t* before) {
  return before[row / 32] + __popc(bits[row / 32] & ((1u << row % 32) - 1));
}

inline constexpr std::int32_t no_row = INT32_MAX;

/// Cluster numbers of the nodes of a union-find, by first core row.
///
/// parent     in: union-find, out: the cluster of each node with a core row, noise (-1) for the others
/// first_row  in: the least core row of each node, no_row for none; overwritten
/// node_count nodes on the device (at most `most_nodes`), null for most_nodes
/// clusters   gets a bit at the first core row of each cluster, and is ranked. Stream-ordered.
void number_clusters(std::int32_t* parent, std::int32_t* first_row, std::int32_t most_nodes,
                     const std::int32_t* node_count, RankedBits& clusters, const Device& device);

/// The model of a fit whose labels are still coded (dbscan_search.cuh): decodes them in place, gathers the core rows.
/// Synchronises.
template <typename T>
Model<T> finish_model(const MatrixView<const T>& X, Vector<std::int32_t> coded_labels, std::int32_t n_clusters);

}  // namespace tilelearn::dbscan::cuda
