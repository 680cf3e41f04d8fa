// The plain twin of StandardScaler's statistics: the definition in extended precision, written to be read.
#pragma once

#include <optional>

#include "preprocessing/standard_scaler_moments.hpp"

namespace tilelearn::standard_scaler::reference {

/// X is n x d in CPU memory, any strides.
template <typename T>
Moments moments(const MatrixView<const T>& X, const std::optional<VectorView<const T>>& weights = {});

}  // namespace tilelearn::standard_scaler::reference
