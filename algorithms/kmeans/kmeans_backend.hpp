// What stands between the class KMeans and the two backends: the model, the checked problem, the functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/kmeans.hpp>

namespace tilelearn::kmeans {

/// A fitted model. Everything lives on the device of the fit.
template <typename T>
struct Model {
  Matrix<T> centers;            ///< k x d
  Vector<std::int32_t> labels;  ///< n; empty after load
  double inertia = 0.0;
  std::int32_t n_iter = 0;
  bool converged = false;
  std::vector<std::string> warnings;
};

/// A fit whose shapes and options are checked; values are the backend's to check (one pass over X does it).
template <typename T>
struct FitProblem {
  MatrixView<const T> X;                       ///< n x d, row-major without gaps
  std::optional<VectorView<const T>> weights;  ///< n, contiguous, on X's device
  std::optional<MatrixView<const T>> init;     ///< k x d, row-major without gaps, on X's device
  KMeansOptions options;                       ///< n_init is resolved: 1 or more
  std::function<void(const KMeansProgress&)> progress;
  std::function<bool()> stop;
};

/// The functions of one backend. X is n x d, row-major without gaps, and centres k x d likewise, on one device.
template <typename T>
struct Backend {
  /// Checks values (NaN, infinity, weights, enough positive weights), then fits.
  Model<T> (*fit)(const FitProblem<T>& problem);
  /// Checks values; nearest centre of every row.
  Vector<std::int32_t> (*predict)(const MatrixView<const T>& X, const MatrixView<const T>& centers);
  /// Checks values; n x k distances.
  Matrix<T> (*transform)(const MatrixView<const T>& X, const MatrixView<const T>& centers);
  /// Checks values; weighted sum of squared distances to the nearest centre.
  double (*inertia)(const MatrixView<const T>& X, const MatrixView<const T>& centers,
                    const std::optional<VectorView<const T>>& weights);
};

namespace cpu {
template <typename T>
const Backend<T>& backend();
}

namespace cuda {
/// Defined in libtilelearn_cuda alone; libtilelearn reaches it through core/cuda_module.hpp.
template <typename T>
const Backend<T>& backend();
}  // namespace cuda

}  // namespace tilelearn::kmeans
