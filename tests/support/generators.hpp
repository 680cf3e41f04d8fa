// Small data for tests: values as given, or a function of seed and index alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include <tilelearn/matrix.hpp>

#include "core/philox.hpp"

namespace tilelearn::testing {

/// Uniform in [0, 1).
inline double uniform(std::uint64_t seed, std::int64_t index) {
  constexpr double two_to_minus_53 = 1.0 / 9007199254740992.0;
  return static_cast<double>(philox::bits(seed, 0, static_cast<std::uint64_t>(index)) >> 11) * two_to_minus_53;
}

/// rows x columns, offset + spread * uniform[-1, 1), in CPU memory.
template <typename T>
Matrix<T> random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed, double offset = 0.0,
                        double spread = 1.0) {
  Matrix<T> X(rows, columns);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    X.data()[i] = static_cast<T>(offset + spread * (2.0 * uniform(seed, i) - 1.0));
  return X;
}

/// One column of these values, in CPU memory.
template <typename T>
Matrix<T> column(std::initializer_list<double> values) {
  Matrix<T> X(static_cast<std::int64_t>(values.size()), 1);
  std::transform(values.begin(), values.end(), X.data(), [](double value) { return static_cast<T>(value); });
  return X;
}

}  // namespace tilelearn::testing
