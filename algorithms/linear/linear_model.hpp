// A fitted plane with what is known of its fit, and the passes that use it. What LinearRegression and its kin keep.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <tilelearn/matrix.hpp>

#include "linear/least_squares.hpp"

namespace tilelearn::linear {

/// Results are in CPU memory and float64, whatever the data were.
struct LinearModel {
  Matrix<double> coef;  ///< t x d
  std::vector<double> intercept;
  std::int64_t rank = 0;
  std::int64_t observations = 0;
  double weight = 0.0;
  Factor factor;  ///< of least_squares.hpp
  std::vector<double> residual_squares;
  std::vector<double> total_squares;
  std::vector<double> means;
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;
  std::vector<std::string> warnings;

  [[nodiscard]] std::int64_t features() const { return coef.columns(); }
  [[nodiscard]] std::int64_t targets() const { return coef.rows(); }
  [[nodiscard]] Plane plane() const;
  /// min(n, d) values, descending; computed once.
  [[nodiscard]] const std::vector<double>& singular_values() const;

 private:
  mutable std::once_flag once_;
  mutable std::vector<double> singular_values_;
};

/// The backend of the device that holds the data.
template <typename T>
const Backend<T>& backend_for(const Device& device);

}  // namespace tilelearn::linear
