// The units in which rows are summed: shifts near their values, and powers of two where squares would leave float64.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/linear_backend.hpp"

namespace tilelearn::linear {

/// What is known of rows before their first pass.
template <typename T>
struct RowFacts {
  std::int64_t observations = 0;  ///< rows of positive weight
  double weight_scale = 1.0;
  std::vector<double> pilot;  ///< the first of them, d + t values

  /// Shifted by the pilot row or not at all. A column of equal values is then a column of zeros.
  [[nodiscard]] Units units(bool shifted) const;
};

/// Throws InvalidArgument for bad weights.
template <typename T>
RowFacts<T> inspect_rows(const Backend<T>& backend, const Rows<T>& rows);

/// Throws InvalidArgument that names the first weight that is negative, NaN or infinite.
template <typename T>
void throw_if_invalid(const VectorView<const T>& weights, const WeightFacts& facts);

/// Whether squares have overflowed, or become too small to keep their digits. (A NaN or infinity looks the same.)
bool squares_left_range(const Gram& gram);

/// Throws InvalidArgument for a NaN or infinity in the rows of this Gram matrix. True if squares left float64: `units`
/// then are scaled, and the matrix is to be formed again.
template <typename T>
bool improve_scales(const Rows<T>& rows, const Gram& gram, Units& units);

/// Moves the shifts to these means, d + t in the units' own scale; columns whose mean is their shift stay as they are.
void shift_to(const std::vector<DoubleDouble>& means, Units& units);

}  // namespace tilelearn::linear
