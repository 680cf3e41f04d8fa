// The passes over rows on a GPU: what linear_cuda.cu puts into the backend's table.
#pragma once

#include "linear/linear_backend.hpp"

namespace tilelearn::linear::cuda {

/// O(n p^2) time; workspace O(p^2) a leaf of rows that is on its way, 256 MB of such leaves at a time. Synchronises, as
/// all passes do.
template <typename T>
Gram gram(const Rows<T>& rows, const Units& units, Precision precision);

template <typename T>
ResidualSums residual_sums(const Rows<T>& rows, const Units& units, const Plane& plane);

template <typename T>
bool predict(const MatrixView<const T>& X, const Plane& plane, const MatrixView<T>& Y);

}  // namespace tilelearn::linear::cuda
