// What stands between the class DBSCAN and the two backends: the model, the checked problem, the functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/dbscan.hpp>

namespace tilelearn::dbscan {

/// The label of a row in no cluster.
inline constexpr std::int32_t noise = -1;

/// A fitted model. Everything lives on the device of the fit.
template <typename T>
struct Model {
  Vector<std::int32_t> labels;               ///< n; empty after load
  Vector<std::int64_t> core_sample_indices;  ///< n_core, ascending
  Matrix<T> components;                      ///< n_core x d, rows of X as they were
  Vector<std::int32_t> component_labels;     ///< n_core
  std::int32_t n_clusters = 0;
  std::int64_t n_features_in = 0;
  std::vector<std::string> warnings;
};

/// A fit whose shapes and options are checked; values are the backend's to check (one pass over X does it).
template <typename T>
struct FitProblem {
  MatrixView<const T> X;                       ///< n x d, row-major without gaps; n <= 2^31 - 1
  std::optional<VectorView<const T>> weights;  ///< n, contiguous, on X's device
  DBSCANOptions options;                       ///< eps is rounded to T
  std::function<bool()> stop;
};

/// What predict needs of a model, on the device of the call.
template <typename T>
struct PredictProblem {
  MatrixView<const T> X;           ///< m x d, row-major without gaps
  MatrixView<const T> components;  ///< n_core x d, likewise; n_core may be 0
  VectorView<const std::int32_t> component_labels;
  DBSCANOptions options;
};

/// The functions of one backend. Within eps is dbscan_within.hpp's, weights are dbscan_weights.hpp's, cosine and
/// haversine become euclidean by dbscan_unit_vectors.hpp.
template <typename T>
struct Backend {
  /// Checks values (NaN, infinity, weights, angles, rows of zeros), then fits. Sets no warnings.
  Model<T> (*fit)(const FitProblem<T>& problem);
  /// Checks values; for every row the least label of the components within eps, else -1.
  Vector<std::int32_t> (*predict)(const PredictProblem<T>& problem);
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

}  // namespace tilelearn::dbscan
