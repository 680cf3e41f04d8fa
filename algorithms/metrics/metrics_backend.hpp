// The metrics that read X: one function for each, on each device.
#pragma once

#include <cstdint>

#include <tilelearn/matrix.hpp>

namespace tilelearn::metrics {

/// X is n x d, row-major without gaps; labels are n, contiguous, on X's device.
template <typename T>
struct Backend {
  /// Mean silhouette coefficient; labels in [0, n_clusters), every cluster non-empty. O(n^2 d) time, O(n k) memory at
  /// most in blocks of rows.
  double (*silhouette)(const MatrixView<const T>& X, const VectorView<const std::int32_t>& labels,
                       std::int32_t n_clusters);
};

namespace cpu {
template <typename T>
const Backend<T>& backend();
}

namespace cuda {
template <typename T>
const Backend<T>& backend();
}

}  // namespace tilelearn::metrics
