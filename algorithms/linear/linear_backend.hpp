// What stands between the linear models and their two backends: the passes over rows that each device provides.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/gram.hpp"

namespace tilelearn::linear {

/// Row indices are -1 where there is no such row.
struct WeightFacts {
  double largest = 0.0;
  std::int64_t first_invalid = -1;  ///< negative, NaN or infinite
  std::int64_t first_positive = -1;
  std::int64_t positive = 0;  ///< how many
};

/// A fitted plane in the units of the augmented rows: y ~ x coef + intercept.
struct Plane {
  std::vector<double> coef;       ///< d x t, row-major
  std::vector<double> intercept;  ///< t
};

/// With r the residuals of a plane in float64, in the units of the rows: sums in the order of gram.hpp. Those of
/// products are compensated: near the solution they cancel, and what rounding left of them would come back times
/// condition^2.
struct ResidualSums {
  std::vector<double> products;  ///< (d + 1) x t: sums of w x r, then of w r
  std::vector<double> squares;   ///< t: sums of w r r
};

template <typename T>
struct Backend {
  WeightFacts (*inspect_weights)(const VectorView<const T>& weights);
  Gram (*gram)(const Rows<T>& rows, const Units& units, Precision precision);
  ResidualSums (*residual_sums)(const Rows<T>& rows, const Units& units, const Plane& plane);
  /// Y = X coef + intercept, summed in float64, rounded once to T. X has any strides, Y is row-major without gaps.
  /// False where a NaN or infinity was read, or else a prediction is not finite.
  bool (*predict)(const MatrixView<const T>& X, const Plane& plane, const MatrixView<T>& Y);
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

}  // namespace tilelearn::linear
