// What stands between the metrics that read X and the two backends.
//
// Silhouette, the same bits on every device: with y = x * factor (a power of two) in float64,
//   distance of rows i and j   acc = 0; for columns ascending: t = y_i - y_j; acc = fma(t, t, acc); sqrt(acc)
//   sum over a cluster         members in ascending row order at positions p = 0, 1, ..; lane l = p mod lane_count adds
//                              its distances in ascending p; then for h = lane_count / 2, .., 1: v[l] += v[l + h], l <
//                              h
//   coefficient                silhouette_coefficient() of a = own sum / (size - 1), b = least other sum / size
#pragma once

#include <cstdint>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::metrics {

inline constexpr int lane_count = 8;

/// (b - a) / max(a, b), and 0 where a row is alone in its cluster or has distance 0 to its own and to another.
constexpr double silhouette_coefficient(double a, double b, std::int64_t own_size) {
  const double larger = a > b ? a : b;
  return own_size > 1 && larger > 0.0 ? (b - a) / larger : 0.0;
}

/// Rows by cluster, in CPU memory.
struct Clusters {
  std::vector<std::int64_t> rows;    ///< n row indices, cluster after cluster, ascending inside each
  std::vector<std::int64_t> starts;  ///< k + 1 positions in rows; no cluster is empty
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

/// X is n x d, row-major without gaps.
template <typename T>
struct Backend {
  /// max |x|; infinity where there is a NaN or an infinity.
  double (*largest)(const MatrixView<const T>& X);
  /// Writes n coefficients, in row order, to X's device.
  void (*silhouette)(const MatrixView<const T>& X, const Clusters& clusters, double factor, double* coefficients);
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

}  // namespace tilelearn::metrics
