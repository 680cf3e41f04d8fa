// Mean, variance and standard deviation of columns from the passes of a backend.
#pragma once

#include <vector>

#include "preprocessing/standard_scaler_backend.hpp"

namespace tilelearn::standard_scaler {

/// d values each.
struct Moments {
  std::vector<double> mean;
  std::vector<double> variance;   ///< population; infinity or 0 where the square leaves float64
  std::vector<double> deviation;  ///< its root, right even then; 0 for constant columns alone
};

/// X is n x d without gaps, n and d at least 1; weights are n, contiguous. Throws InvalidArgument for values that
/// StandardScaler::fit refuses.
template <typename T>
Moments moments(const Backend<T>& backend, const MatrixView<const T>& X,
                const std::optional<VectorView<const T>>& weights);

}  // namespace tilelearn::standard_scaler
