// A solution of normal equations in the units of X and y.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/least_squares.hpp"

namespace tilelearn::linear {

/// Factors from equilibrated coefficients to those of the caller, for target k.
std::vector<double> coef_units(const NormalEquations& equations, const Units& units, std::int64_t k);

/// What the coefficients of target k, d x t equilibrated ones, pay for the penalty.
DoubleDouble penalty_paid(const NormalEquations& equations, const std::vector<DoubleDouble>& coef, std::int64_t k);

/// All of `result` but the solver and the number of observations; warns of columns that say nothing.
void store_solution(const NormalEquations& equations, const Units& units, Solution&& solution, LeastSquares& result);

}  // namespace tilelearn::linear
