// What stands between the class StandardScaler and its two backends: the passes over rows that each device provides.
//
// Order of summation, the same on every device: with t_ij = x_ij s_j - shift_j and w_i = weight_i * weight_factor
// (1 without weights),
//   first_j  = sum w t          u = w t; acc += u
//   second_j = sum w t t        acc = fma(u, t, acc)
//   weight   = sum w
// rows ascending inside chunks of chunk_rows rows, then tree_sum over the chunks: values v_0.. are padded with zeros to
// a multiple of tree_width; in each group of tree_width, for h = tree_width / 2, .., 2, 1: v[i] += v[i + h] for i < h;
// the v[0]s form the next level, until one value is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::standard_scaler {

/// A fitted model, d values each, in CPU memory.
struct Model {
  std::vector<double> mean;
  std::vector<double> variance;
  std::vector<double> scale;
  std::vector<std::string> warnings;
};

inline constexpr std::int64_t chunk_rows = 256;
inline constexpr std::int64_t tree_width = 256;

constexpr std::int64_t chunk_count(std::int64_t rows) { return (rows + chunk_rows - 1) / chunk_rows; }

/// Row indices are -1 where there is no such row.
struct WeightFacts {
  double largest = 0.0;
  std::int64_t first_invalid = -1;  ///< negative, NaN or infinite
  std::int64_t first_positive = -1;
};

/// One pass over X.
template <typename T>
struct Pass {
  MatrixView<const T> X;                       ///< n x d, row-major without gaps
  std::optional<VectorView<const T>> weights;  ///< n, contiguous, on X's device
  double weight_factor = 1.0;
  std::vector<double> scale;  ///< d powers of two
  std::vector<double> shift;  ///< d
};

struct ColumnSums {
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> largest;  ///< max |x_ij| over the rows of positive weight, NaN aside
  double weight = 0.0;
};

/// X and Z are n x d, row-major without gaps, on one device; mean and scale are d float64 values.
template <typename T>
struct Backend {
  WeightFacts (*inspect_weights)(const VectorView<const T>& weights);
  ColumnSums (*column_sums)(const Pass<T>& pass);
  /// z = (x - mean) / scale, in float64, rounded once to T. False where a NaN or infinity was read.
  bool (*apply)(const MatrixView<const T>& X, const std::vector<double>& mean, const std::vector<double>& scale,
                const MatrixView<T>& Z);
  /// x = fma(z, scale, mean), in float64, rounded once to T. False where a NaN or infinity was read.
  bool (*undo)(const MatrixView<const T>& Z, const std::vector<double>& mean, const std::vector<double>& scale,
               const MatrixView<T>& X);
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

}  // namespace tilelearn::standard_scaler
