#include "linear/partial_fit.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <tilelearn/error.hpp>

#include "core/finite.hpp"
#include "linear/callers_units.hpp"
#include "linear/non_negative.hpp"
#include "linear/row_units.hpp"

namespace tilelearn::linear {

namespace {

constexpr std::int64_t leaf_rows(std::int64_t blocks) { return blocks * block_rows; }

}  // namespace

template <typename T>
void PartialFit<T>::add(const Rows<T>& rows, bool fit_intercept) {
  detail::throw_if_not_finite(rows.X, "a linear model");
  detail::throw_if_not_finite(rows.Y, "a linear model: the targets");
  WeightFacts facts{1.0, -1, 0, rows.X.rows()};
  if (rows.weights) {
    facts = cpu::backend<T>().inspect_weights(*rows.weights);
    throw_if_invalid(*rows.weights, facts);
  }
  if (observations_ == 0 && facts.positive > 0) {
    const auto columns = static_cast<std::size_t>(d_ + t_);
    units_ = {std::vector<double>(columns, 0.0), std::vector<double>(columns, 1.0)};
    for (std::int64_t j = 0; j < d_ && fit_intercept; ++j)
      units_.shift[static_cast<std::size_t>(j)] = static_cast<double>(rows.X(facts.first_positive, j));
    for (std::int64_t k = 0; k < t_ && fit_intercept; ++k)
      units_.shift[static_cast<std::size_t>(d_ + k)] = static_cast<double>(rows.Y(facts.first_positive, k));
  }
  // rows before the first one that counts are left out, as if they had not come
  const std::int64_t begin = observations_ == 0 ? (facts.positive > 0 ? facts.first_positive : rows.X.rows()) : 0;
  observations_ += facts.positive;
  for (std::int64_t first = begin; first < rows.X.rows();) {
    const std::int64_t count = std::min(rows.X.rows() - first, leaf_rows(leaf_blocks) - kept_rows_);
    keep(rows, first, count);
    first += count;
    if (kept_rows_ == leaf_rows(leaf_blocks)) sum_kept(rows.X.device());
  }
}

template <typename T>
void PartialFit<T>::keep(const Rows<T>& rows, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = first; i < first + count; ++i) {
    for (std::int64_t j = 0; j < d_; ++j) kept_X_.push_back(rows.X(i, j));
    for (std::int64_t k = 0; k < t_; ++k) kept_Y_.push_back(rows.Y(i, k));
    kept_weights_.push_back(rows.weights ? (*rows.weights)[i] : T{1});
  }
  kept_rows_ += count;
}

template <typename T>
void PartialFit<T>::sum_kept(const Device& device) {
  const Rows<T> rows{{kept_X_.data(), kept_rows_, d_, device},
                     {kept_Y_.data(), kept_rows_, t_, device},
                     VectorView<const T>(kept_weights_.data(), kept_rows_, device)};
  Gram gram = cpu::gram(rows, units_, Precision::double_double);
  Sums sums{std::move(gram.high), std::move(gram.low)};
  if (kept_rows_ == leaf_rows(leaf_blocks))
    cascade_.push(std::move(sums));
  else
    last_ = std::move(sums);
  kept_rows_ = 0;
  kept_X_.clear();
  kept_Y_.clear();
  kept_weights_.clear();
}

template <typename T>
LeastSquares PartialFit<T>::finish(const LeastSquaresOptions& options) {
  if (observations_ == 0)
    throw InvalidArgument("a linear model: no row of positive weight came before the end of the fit");
  if (kept_rows_ > 0) sum_kept(Device::cpu());
  Sums total = cascade_.total_with(std::move(last_));
  const Gram gram{d_ + t_ + 1, std::move(total.high), std::move(total.low)};
  if (squares_left_range(gram))
    throw InvalidArgument(
        "a linear model: the squares of some column are beyond what float64 holds; scale it, or fit all rows at once");
  const NormalEquations equations = normal_equations(gram, d_, options.fit_intercept);
  Solution solution = solve_double_double(equations, rank_tolerance<T>(options), coef_units(equations, units_, 0));
  if (options.positive) make_non_negative(equations, solution);
  LeastSquares result;
  result.observations = observations_;
  result.solver = LeastSquaresSolver::double_double;
  store_solution(equations, units_, std::move(solution), result);
  return result;
}

template class PartialFit<float>;
template class PartialFit<double>;

}  // namespace tilelearn::linear
