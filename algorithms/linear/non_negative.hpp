// Least squares with coefficients of 0 or more, by the active set of C. Lawson, R. Hanson, Solving Least Squares
// Problems, 1974, chapter 23, in double-double.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/normal_equations.hpp"

namespace tilelearn::linear {

/// The coefficients of target k and the squares of the residuals that they leave.
struct NonNegative {
  std::vector<DoubleDouble> coef;  ///< d, 0 or more
  DoubleDouble rest;
};

/// O(d^4) at worst, O(d k^3) where k coefficients are above 0. Columns that others explain are left at 0.
NonNegative solve_non_negative(const NormalEquations& equations, std::int64_t k);

/// The same for all targets, in place of a solution's coefficients.
void make_non_negative(const NormalEquations& equations, Solution& solution);

}  // namespace tilelearn::linear
