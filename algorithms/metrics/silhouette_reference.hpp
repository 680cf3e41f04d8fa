// The plain twin of the silhouette: its definition, written to be read. O(n^2 d).
#pragma once

#include <cstdint>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::metrics::reference {

/// Coefficients of the rows of X (CPU memory, any strides).
template <typename T>
std::vector<double> silhouette_samples(const MatrixView<const T>& X, const std::vector<std::int32_t>& labels);

}  // namespace tilelearn::metrics::reference
