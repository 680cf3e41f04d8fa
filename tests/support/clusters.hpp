// Named kinds of data for tests, functions of seed and index alone: normal, blobs, tiny grids full of ties.
#pragma once

#include <cmath>
#include <cstdint>

#include <tilelearn/matrix.hpp>

#include "support/generators.hpp"

namespace tilelearn::testing {

/// Standard normal (Box and Muller), number `index` of the seed.
inline double normal(std::uint64_t seed, std::int64_t index) {
  constexpr double two_pi = 6.283185307179586;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(seed, 2 * index)));
  return radius * std::cos(two_pi * uniform(seed, 2 * index + 1));
}

/// rows x columns, offset + standard normal, in CPU memory.
template <typename T>
Matrix<T> normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed, double offset = 0.0) {
  Matrix<T> X(rows, columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) X.data()[i] = static_cast<T>(offset + normal(seed, i));
  return X;
}

/// Centres uniform in [-box, box)^columns, rows normal around them with deviation 1; row i belongs to blob i mod blobs.
template <typename T>
Matrix<T> blobs_matrix(std::int64_t rows, std::int64_t columns, std::int64_t blobs, std::uint64_t seed,
                       double box = 10.0) {
  const Matrix<double> centers = random_matrix<double>(blobs, columns, seed + 1, 0.0, box);
  Matrix<T> X(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      X.data()[i * columns + j] =
          static_cast<T>(centers.data()[i % blobs * columns + j] + normal(seed, i * columns + j));
  return X;
}

/// Integers from 0 to `values` - 1: many equal rows and equal distances.
template <typename T>
Matrix<T> grid_matrix(std::int64_t rows, std::int64_t columns, int values, std::uint64_t seed) {
  Matrix<T> X(rows, columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) X.data()[i] = static_cast<T>(std::floor(uniform(seed, i) * values));
  return X;
}

/// Positive weights in (0, 2), every fifth one zero if `zeros`.
template <typename T>
Vector<T> weight_vector(std::int64_t rows, std::uint64_t seed, bool zeros = false) {
  Vector<T> weights(rows);
  for (std::int64_t i = 0; i < rows; ++i)
    weights.data()[i] = zeros && i % 5 == 0 ? T{0} : static_cast<T>(2.0 - 2.0 * uniform(seed, i));
  return weights;
}

}  // namespace tilelearn::testing
