// The two directions along which rows vary most, in float64 whatever the data.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <tilelearn/matrix.hpp>

namespace tilelearn::cli {

struct PrincipalDirections {
  double scale = 1.0;        ///< power of two that rows are multiplied with first, so that no square overflows
  std::vector<double> mean;  ///< scaled
  std::array<std::vector<double>, 2> direction;  ///< unit length; the component of largest absolute value is positive
  std::array<double, 2> share{};                 ///< of the total variance

  /// Coordinates of a row along both; infinite beyond float64.
  template <typename T>
  [[nodiscard]] std::pair<double, double> project(const T* row) const {
    std::pair<double, double> result{0.0, 0.0};
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double shifted = static_cast<double>(row[j]) * scale - mean[j];
      result.first += shifted * direction[0][j];
      result.second += shifted * direction[1][j];
    }
    return {result.first / scale, result.second / scale};
  }
};

/// X is n x d with d of 2 or more, in CPU memory. O(n d^2 + d^3) time, O(d^2) memory.
/// @throws UsageError for more columns than that is sensible for
template <typename T>
PrincipalDirections principal_directions(const Matrix<T>& X);

}  // namespace tilelearn::cli
