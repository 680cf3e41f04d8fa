// Checks of values, and what one pass over the rows tells: the largest value, the columns' range and variance.
#pragma once

#include <optional>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "kmeans/kmeans_cpu_data.hpp"

namespace tilelearn::kmeans::cpu {

/// Largest |value|. @throws InvalidArgument that names `what` and the first row and column of a NaN or infinity
template <typename T>
double check_finite(const MatrixView<const T>& values, const char* what, int threads);

/// Checked weights as both backends use them.
struct Weights {
  const double* normalized = nullptr;  ///< w'; null without weights
  int exponent = 0;                    ///< w = w' 2^exponent
  std::int64_t positive = 0;           ///< rows of positive weight
};

/// @throws InvalidArgument for a negative or non-finite weight (first row named) and for weights that are all zero
template <typename T>
Weights check_weights(const std::optional<VectorView<const T>>& weights, std::int64_t n, Workspace& workspace);

/// s of kmeans_formulas.hpp, from the largest |value| of the rows (of positive weight) and of the centres.
template <typename T>
double data_scale(double largest);

/// Largest |value| of the rows of positive weight, where `largest` is that of all rows.
template <typename T>
double largest_weighted(const Rows<T>& rows, double largest);

struct ColumnStatistics {
  std::vector<double> max_abs;
  std::vector<double> min_abs;
  std::vector<double> variance;  ///< in units of 1 / s^2

  [[nodiscard]] double mean_variance() const;
};

template <typename T>
ColumnStatistics column_statistics(const Rows<T>& rows, std::int64_t positive);

/// Weighted sum of squared distances to the centres that `labels` name, by the formula of kmeans_formulas.hpp.
template <typename T>
double labelled_inertia(const Rows<T>& rows, int weight_exponent, const T* centers, const std::int32_t* labels,
                        Workspace& workspace);

}  // namespace tilelearn::kmeans::cpu
