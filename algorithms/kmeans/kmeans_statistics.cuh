// What one pass over X tells before a fit or a prediction: are the values finite, how large, how spread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/cuda_support.cuh"

namespace tilelearn::kmeans::cuda {

/// w' of the formulas on the device; without weights every row counts one and nothing is stored.
struct Weights {
  tilelearn::cuda::Buffer<double> values;  ///< n, empty without weights
  std::int64_t positive_rows = 0;          ///< n'
  std::int64_t first_positive = 0;
  int exponent = 0;  ///< ilogb(max w)

  [[nodiscard]] const double* data() const noexcept { return values.data(); }
  [[nodiscard]] bool given() const noexcept { return values.size() > 0; }
};

/// Column statistics over the rows of positive weight, as kmeans_formulas.hpp defines them.
struct Statistics {
  double data_scale = 1.0;
  std::vector<double> max_abs;  ///< of x s
  std::vector<double> min_abs;
  std::vector<double> lowest;    ///< x s
  std::vector<double> highest;   ///< x s
  std::vector<double> variance;  ///< in units of 1 / s^2
  std::vector<double> mean;      ///< of x s
};

/// Checks and scales weights. Synchronises.
/// Throws InvalidArgument for a negative or non-finite weight or all weights zero.
template <typename T>
Weights make_weights(const std::optional<VectorView<const T>>& weights, std::int64_t n, const Device& device);

/// Throws InvalidArgument for a NaN or infinity in any row. `others` are values that share the data's scale (first
/// centres). Synchronises.
template <typename T>
Statistics column_statistics(const MatrixView<const T>& X, const Weights& weights, const MatrixView<const T>* others,
                             const char* method);

/// Sums columns of an n x columns array by tree_sum of the formulas; values are overwritten. Stream-ordered; the sums
/// end in the first `columns` values.
void tree_sum(double* values, std::int64_t n, int columns, const Device& device);

}  // namespace tilelearn::kmeans::cuda
