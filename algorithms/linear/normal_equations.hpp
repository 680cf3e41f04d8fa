// Least squares from a Gram matrix: centred, its columns brought near unit length, solved.
//
// Columns are equilibrated by powers of two, so that no unit of measurement shows in a decision (A. van der Sluis,
// Condition numbers and equilibration of matrices, Numerische Mathematik 14 (1969): within sqrt(d) of the best
// scaling).
#pragma once

#include <cstdint>
#include <vector>

#include "linear/gram.hpp"

namespace tilelearn::linear {

/// What X (d columns, centred or not, weighted) and its targets come to. All in the units of the Gram matrix times
/// `equilibration`; row-major.
struct NormalEquations {
  std::int64_t d = 0;
  std::int64_t t = 0;
  bool centred = true;
  DoubleDouble weight;                 ///< sum of the weights
  std::vector<double> equilibration;   ///< d powers of two; 0 for a column of zeros
  std::vector<DoubleDouble> mean;      ///< d + t, of the columns in the units of the Gram matrix; 0 if not centred
  std::vector<DoubleDouble> gram;      ///< d x d, all of it
  std::vector<DoubleDouble> products;  ///< d x t
  std::vector<DoubleDouble> squares;   ///< t, of the targets
  std::vector<double> penalty;         ///< d, part of gram's diagonal: added to the squares of the coefficients
  /// Largest ratio of the square of a column, or a target, before centring to after: digits that the shift cost.
  double lost = 1.0;
  std::int64_t zero_columns = 0;
};

/// From here on the digits that a shift costs show: in coefficients of float64, in pivots of double-double.
inline constexpr double most_lost_float64 = 256.0;
inline constexpr double most_lost_double_double = 16.0;

/// `penalty` is that of a coefficient in the units of `gram`, d values or none.
NormalEquations normal_equations(const Gram& gram, std::int64_t d, bool centre,
                                 const std::vector<double>& penalty = {});

/// R of a Cholesky factor P R^T R P^T: `rows` rows of d values in row-major order, upper triangular.
struct Factor {
  std::int64_t rows = 0;
  std::vector<double> high;
  std::vector<double> low;          ///< empty: R is float64
  std::vector<std::int64_t> order;  ///< d: the column of X that each column of R stands for
};

/// A solution in the units of the equilibrated equations, and what it was found with.
struct Solution {
  std::vector<DoubleDouble> coef;  ///< d x t
  std::int64_t rank = 0;
  Factor factor;
  std::vector<double> projected;   ///< rows of the factor x t: R^-T P^T products
  std::vector<DoubleDouble> rest;  ///< t: squares of the residuals, and the penalty
  double condition = 1.0;          ///< of the equilibrated columns, an estimate from below
};

/// By a Cholesky factor in float64. Coefficients err by about condition^2 2^-53. False, and nothing else said, where
/// there is none or `condition` is above most_condition.
bool solve_float64(const NormalEquations& equations, double most_condition, Solution& solution);

/// By a pivoted Cholesky factor in double-double, errors about condition^2 2^-104. Directions whose singular value
/// (equilibrated) is below tolerance times the largest are left out; among the solutions that are left that of least
/// norm in the units of `units` (d factors from equilibrated coefficients to those of the caller) is taken.
Solution solve_double_double(const NormalEquations& equations, double tolerance, const std::vector<double>& units);

/// Solves R^T R x = b for t right-hand sides, d x t, in place, in float64; the factor is solve_float64's.
void solve_with_factor(const Factor& factor, std::int64_t t, std::vector<double>& b);

}  // namespace tilelearn::linear
