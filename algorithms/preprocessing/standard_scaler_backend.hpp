// What stands between the class StandardScaler and its two backends.
#pragma once

#include <cstdint>
#include <optional>

#include <tilelearn/matrix.hpp>

namespace tilelearn::standard_scaler {

/// X is n x d, row-major without gaps; mean and scale are d float64 values in CPU memory.
template <typename T>
struct Backend {
  /// Checks values; fills mean[d] and variance[d] (population, weighted), float64, fixed order of summation.
  void (*moments)(const MatrixView<const T>& X, const std::optional<VectorView<const T>>& weights, double* mean,
                  double* variance);
  /// (x - mean) / scale, computed in float64, rounded once to T.
  Matrix<T> (*apply)(const MatrixView<const T>& X, const double* mean, const double* scale);
  /// x * scale + mean, computed in float64 (fma), rounded once to T.
  Matrix<T> (*undo)(const MatrixView<const T>& X, const double* mean, const double* scale);
};

namespace cpu {
template <typename T>
const Backend<T>& backend();
}

namespace cuda {
template <typename T>
const Backend<T>& backend();
}

}  // namespace tilelearn::standard_scaler
