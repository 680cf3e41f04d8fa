// The reductions that linear models stand on: in one pass over the rows, the Gram matrix A^T W A of the augmented rows
//
//   a_i = ((x_i - shift) scale, (y_i - shift) scale, 1),   p = d + t + 1 values,
//
// W the weights (1 without weights). Its last column holds the sums of the columns and the sum of the weights, so that
// means, centred products of columns and products with the targets follow from it.
//
// The order of summation depends on the row's number alone. On the CPU: 128 rows of a chunk one after the other, the 32
// chunks of a block likewise, blocks in a binary tree (CascadeSums). So neither the number of threads nor the number of
// rows that are given at once shows. A sum errs by 2^-53 (128 + 32 + log2(n / 4096)) times the sum of the sizes of its
// terms at most, and 2^-105 times a number like it in double-double. A GPU has an order of its own (leaf_sums.cuh),
// with up to 8192 rows one after the other.
//
// Rows of weight zero add exactly 0. A NaN or an infinity in a row, or a square that overflows, leaves a diagonal that
// is not finite.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "linear/double_double.hpp"

namespace tilelearn::linear {

inline constexpr std::int64_t chunk_rows = 128;
inline constexpr std::int64_t block_rows = 32 * chunk_rows;

/// Rows in memory, any strides, all on one device.
template <typename T>
struct Rows {
  MatrixView<const T> X;                         ///< n x d
  MatrixView<const T> Y;                         ///< n x t
  std::optional<VectorView<const T>> weights{};  ///< n, finite, 0 or more

  [[nodiscard]] std::int64_t width() const { return X.columns() + Y.columns() + 1; }
};

/// What stands in the augmented rows: d + t values each, of the columns of X, then of Y.
struct Units {
  std::vector<double> shift;
  std::vector<double> scale;  ///< powers of two
  double weight_scale = 1.0;  ///< weights are multiplied by this power of two
};

enum class Precision { float64, double_double };

/// The upper triangle of a p x p matrix, row-major; what is below the diagonal means nothing.
struct Gram {
  std::int64_t p = 0;
  std::vector<double> high;
  std::vector<double> low;  ///< empty: the values are doubles

  /// The sum of a column; that of the weights is sum(p - 1).
  [[nodiscard]] DoubleDouble sum(std::int64_t column) const { return at(column, p - 1); }

  [[nodiscard]] DoubleDouble at(std::int64_t i, std::int64_t j) const {
    const auto place = static_cast<std::size_t>(i <= j ? i * p + j : j * p + i);
    return {high[place], low.empty() ? 0.0 : low[place]};
  }
};

namespace cpu {
/// On the threads of X's device. O(n p^2) time; memory O(p^2) a thread and a level of the tree. Throws OutOfMemory
/// beyond the workspace limit.
template <typename T>
Gram gram(const Rows<T>& rows, const Units& units, Precision precision);
}  // namespace cpu

}  // namespace tilelearn::linear
