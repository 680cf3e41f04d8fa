#include "linear/non_negative.hpp"

#include <algorithm>
#include <cmath>

namespace tilelearn::linear {

namespace {

/// Columns have length near 1, equations are double-double: a descent or a pivot below this share of the terms that it
/// is the difference of is rounding.
constexpr double nothing = 0x1p-80;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class ActiveSet {
 public:
  ActiveSet(const NormalEquations& equations, std::int64_t target)
      : equations_(equations), target_(target), d_(equations.d), coef_(at(d_)), is_free_(at(d_), false) {}

  NonNegative run() {
    // Each step enlarges the explained part, so no set of free columns comes twice; the bound is for rounding alone.
    const std::int64_t most_steps = 30 * d_ + 30;
    std::vector<bool> refused(at(d_), false);
    for (std::int64_t step = 0; step < most_steps; ++step) {
      const std::int64_t column = steepest(refused);
      if (column < 0) break;
      is_free_[at(column)] = true;
      if (move_to_optimum(column))
        std::fill(refused.begin(), refused.end(), false);
      else
        refused[at(column)] = true;
    }
    return {coef_, rest()};
  }

 private:
  [[nodiscard]] const DoubleDouble& gram(std::int64_t i, std::int64_t j) const {
    return equations_.gram[at(i * d_ + j)];
  }
  [[nodiscard]] const DoubleDouble& product(std::int64_t j) const {
    return equations_.products[at(j * equations_.t + target_)];
  }

  /// Half the descent along a column; `size` is that of its terms.
  DoubleDouble descent(std::int64_t j, double& size) const {
    DoubleDouble sum = product(j);
    size = std::abs(sum.high);
    for (std::int64_t i = 0; i < d_; ++i) {
      const DoubleDouble term = gram(j, i) * coef_[at(i)];
      size += std::abs(term.high);
      sum -= term;
    }
    return sum;
  }

  /// The column at 0 along which the squares fall fastest, or -1.
  [[nodiscard]] std::int64_t steepest(const std::vector<bool>& refused) const {
    std::int64_t best = -1;
    double best_descent = 0.0;
    for (std::int64_t j = 0; j < d_; ++j) {
      if (is_free_[at(j)] || refused[at(j)] || equations_.equilibration[at(j)] == 0.0) continue;
      double size = 0.0;
      const double along = descent(j, size).high;
      if (along > nothing * size && along > best_descent) {
        best = j;
        best_descent = along;
      }
    }
    return best;
  }

  /// Goes to the optimum of the free columns, or as far as none of them turns negative, and on from there. False, and
  /// nothing changed but that `added` is not free, where it depends on the others or would turn negative at once.
  bool move_to_optimum(std::int64_t added) {
    for (bool first = true;; first = false) {
      std::vector<DoubleDouble> optimum;
      const bool solved = solve_free(optimum);
      if (first && (!solved || !(optimum[at(added)].high > 0.0))) {
        is_free_[at(added)] = false;
        return false;
      }
      if (!solved || !step_towards(optimum)) return true;
    }
  }

  /// True where a free column became 0 on the way, so that the others have a new optimum.
  bool step_towards(const std::vector<DoubleDouble>& optimum) {
    std::int64_t blocking = -1;
    DoubleDouble share(1.0);
    for (std::int64_t j = 0; j < d_; ++j) {
      if (!is_free_[at(j)] || optimum[at(j)].high > 0.0) continue;
      const DoubleDouble to_zero = coef_[at(j)] / (coef_[at(j)] - optimum[at(j)]);
      if (blocking >= 0 && !((to_zero - share).high < 0.0)) continue;
      blocking = j;
      share = to_zero;
    }
    if (blocking < 0) {
      coef_ = optimum;
      return false;
    }
    for (std::int64_t j = 0; j < d_; ++j) {
      if (!is_free_[at(j)]) continue;
      coef_[at(j)] += share * (optimum[at(j)] - coef_[at(j)]);
      if (j != blocking && coef_[at(j)].high > 0.0) continue;
      coef_[at(j)] = {};
      is_free_[at(j)] = false;
    }
    return true;
  }

  /// Least squares on the free columns, by a Cholesky factor; d values, 0 for the others. False where they depend on
  /// each other.
  bool solve_free(std::vector<DoubleDouble>& optimum) const {
    std::vector<std::int64_t> columns;
    for (std::int64_t j = 0; j < d_; ++j)
      if (is_free_[at(j)]) columns.push_back(j);
    const auto size = static_cast<std::int64_t>(columns.size());
    std::vector<DoubleDouble> factor(at(size * size));  // lower triangular
    std::vector<DoubleDouble> x(at(size));
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        DoubleDouble sum = gram(columns[at(i)], columns[at(j)]);
        for (std::int64_t k = 0; k < j; ++k) sum -= factor[at(i * size + k)] * factor[at(j * size + k)];
        if (i == j && !(sum.high > nothing * gram(columns[at(i)], columns[at(i)]).high)) return false;
        factor[at(i * size + j)] = i == j ? sqrt(sum) : sum / factor[at(j * size + j)];
      }
      DoubleDouble sum = product(columns[at(i)]);
      for (std::int64_t k = 0; k < i; ++k) sum -= factor[at(i * size + k)] * x[at(k)];
      x[at(i)] = sum / factor[at(i * size + i)];
    }
    optimum.assign(at(d_), DoubleDouble());
    for (std::int64_t i = size - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < size; ++k) x[at(i)] -= factor[at(k * size + i)] * x[at(k)];
      x[at(i)] = x[at(i)] / factor[at(i * size + i)];
      optimum[at(columns[at(i)])] = x[at(i)];
    }
    return true;
  }

  [[nodiscard]] DoubleDouble rest() const {
    DoubleDouble sum = equations_.squares[at(target_)];
    for (std::int64_t j = 0; j < d_; ++j) {
      double size = 0.0;
      sum -= coef_[at(j)] * (product(j) + descent(j, size));
    }
    return sum;
  }

  const NormalEquations& equations_;
  std::int64_t target_;
  std::int64_t d_;
  std::vector<DoubleDouble> coef_;
  std::vector<bool> is_free_;
};

}  // namespace

NonNegative solve_non_negative(const NormalEquations& equations, std::int64_t k) {
  return ActiveSet(equations, k).run();
}

void make_non_negative(const NormalEquations& equations, Solution& solution) {
  for (std::int64_t k = 0; k < equations.t; ++k) {
    const NonNegative found = solve_non_negative(equations, k);
    for (std::int64_t j = 0; j < equations.d; ++j) solution.coef[at(j * equations.t + k)] = found.coef[at(j)];
    solution.rest[at(k)] = found.rest;
  }
}

}  // namespace tilelearn::linear
