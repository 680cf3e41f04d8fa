// Least squares on rows of any device: which passes are made, which solver the condition of the columns asks for, and
// the result in the caller's units.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <tilelearn/linear_regression.hpp>

#include "linear/linear_backend.hpp"
#include "linear/normal_equations.hpp"

namespace tilelearn::linear {

struct LeastSquaresOptions {
  bool fit_intercept = true;
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;
  double tolerance = 0.0;     ///< of the rank; 0: 4 eps of T
  double alpha = 0.0;         ///< times ||coef||^2 is added to the squares that are minimised
  bool positive = false;      ///< coefficients of 0 or more
  bool sharp_factor = false;  ///< the singular values of the factor matter, not the coefficients alone
  std::function<bool()> stop{};
};

/// In the units of X and Y.
struct LeastSquares {
  std::int64_t d = 0;
  std::int64_t t = 0;
  std::vector<double> coef;       ///< t x d
  std::vector<double> intercept;  ///< t
  std::int64_t rank = 0;
  /// With F = R P^T, F^T F is the (centred, weighted) Gram matrix of X, plus alpha on its diagonal.
  Factor factor;
  std::vector<double> projected;         ///< rows of the factor x t: R^-T P^T X^T W y, X and y centred
  std::vector<double> residual_squares;  ///< t, weighted
  std::vector<double> total_squares;     ///< t, weighted, about the mean where there is an intercept, else about 0
  std::vector<double> means;             ///< d + t, weighted; 0 without an intercept
  double weight = 0.0;                   ///< sum of the weights
  std::int64_t observations = 0;         ///< rows of positive weight
  double condition = 1.0;                ///< of the equilibrated columns
  LeastSquaresSolver solver = LeastSquaresSolver::automatic;  ///< that found it
  std::vector<std::string> warnings;
};

/// Shapes are checked already: n, d and t at least 1. Throws InvalidArgument for NaN, infinity and bad weights,
/// Cancelled.
template <typename T>
LeastSquares least_squares(const Backend<T>& backend, const Rows<T>& rows, const LeastSquaresOptions& options);

/// Singular values below this share of the largest do not count.
template <typename T>
double rank_tolerance(const LeastSquaresOptions& options) {
  constexpr double factor = 4.0;
  return options.tolerance > 0.0 ? options.tolerance : factor * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Adds the warning that the columns do not determine the coefficients, which a penalty would.
void warn_of_rank(LeastSquares& found);

}  // namespace tilelearn::linear
