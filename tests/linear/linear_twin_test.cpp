// Every solver against the plain twin, at sizes around a chunk (128 rows) and a block (4096), with and without an
// intercept and weights, one target and three.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

#include "linear/linear_reference.hpp"
#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

namespace reference = linear::reference;

constexpr double eps = 0x1p-53;

constexpr LeastSquaresSolver every_solver[] = {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky,
                                               LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double};

/// Additions that a sum of products runs through, at most (gram.hpp).
double depth(std::int64_t n) {
  double result = static_cast<double>(std::min(n, linear::chunk_rows));
  result += static_cast<double>(std::min(n / linear::chunk_rows + 1, linear::block_rows / linear::chunk_rows));
  return result + std::ceil(std::log2(1.0 + static_cast<double>(n) / static_cast<double>(linear::block_rows)));
}

/// Least squares of n x d rows far from 0, in CPU memory, and the twin's answer.
template <typename T>
struct Problem {
  Matrix<T> X;
  Matrix<T> Y;
  Vector<T> weights;
  bool weighted;
  bool intercept;
  reference::Fit exact{};
  double lost = 1.0;  ///< squares about the first row of positive weight over those about the mean

  Problem(std::int64_t n, std::int64_t d, bool with_weights, bool with_intercept)
      : X(random_matrix<T>(n, d, 1, with_intercept ? 3.0 : 0.0)),
        Y(random_matrix<T>(n, 3, 2, 5.0)),
        weights(n),
        weighted(with_weights),
        intercept(with_intercept) {
    for (std::int64_t i = 0; i < n; ++i) {
      weights[i] = static_cast<T>(1.0 + 3.0 * uniform(3, i));
      for (std::int64_t j = 0; j < d; ++j) Y(i, 0) += X(i, j) / static_cast<T>(j + 1);
      Y(i, 2) *= static_cast<T>(1e6);
    }
    exact = reference::fit(linear::Rows<T>{X.view(), Y.view(), view_of_weights()}, intercept);
    for (std::int64_t j = 0; j < d && intercept; ++j) lost = std::max(lost, lost_of(j));
  }

  [[nodiscard]] std::optional<VectorView<const T>> view_of_weights() const {
    if (!weighted) return std::nullopt;
    return weights.view();
  }

  [[nodiscard]] double lost_of(std::int64_t j) const {
    double squares = 0.0;
    for (std::int64_t i = 0; i < X.rows(); ++i)
      squares += (weighted ? static_cast<double>(weights[i]) : 1.0) *
                 std::pow(static_cast<double>(X(i, j)) - static_cast<double>(X(0, j)), 2);
    return squares / std::pow(static_cast<double>(exact.column_norms(0, j)), 2);
  }

  /// Size of target k's coefficients of columns at unit length.
  [[nodiscard]] double coef_norm(std::int64_t k) const {
    return static_cast<double>(
        (exact.coef.col(k).array() * exact.column_norms.row(0).transpose().array()).matrix().norm());
  }

  /// Largest error of those coefficients. With columns a_j of unit length, coefficients b and residual r, sums of
  /// products are wrong by `sum` times the squares about the shift; a Cholesky factor adds (d + 1) eps.
  [[nodiscard]] double bound(LeastSquaresSolver solver, std::int64_t k) const {
    const auto d = static_cast<double>(X.columns());
    const auto b = coef_norm(k);
    const auto y = static_cast<double>(exact.target_norms(0, k));
    const auto r = static_cast<double>(exact.residual_norms(0, k));
    const double sum = lost * (depth(X.rows()) + 4.0);
    const double inverse = 1.0 / exact.least_value;
    // G b = a^T y, both sides wrong: inverse^2 |dG b + dg|
    const double of_equations = inverse * inverse * (d * (sum + 3.0 * d + 3.0) * b + std::sqrt(d) * sum * y);
    // residuals are wrong by (d + 2) eps (|a b| + |y|), their products with columns by `sum`
    const double of_residuals =
        inverse * (d + 2.0) * (std::sqrt(d) * b + std::sqrt(lost) * y) + inverse * inverse * std::sqrt(d) * sum * r;
    switch (solver) {
      case LeastSquaresSolver::cholesky:
        return eps * of_equations;
      case LeastSquaresSolver::refined_cholesky: {
        // what a correction leaves of the first error, and of the correction itself
        const double second = b > 0.0 ? eps * of_equations * eps * of_equations / b : 0.0;
        return eps * (of_residuals + 2.0 * b) + second;
      }
      default:  // the equations in double-double, the result rounded, and the twin's own error
        return 0x1p-104 * of_equations + 2.0 * eps * b + 0x1p-63 * of_equations / inverse;
    }
  }
};

template <typename I>
class LinearTwin : public LinearTest<I> {
 protected:
  using Value = typename I::Value;

  void expect_near_twin(const Problem<Value>& problem, LeastSquaresSolver solver, std::int64_t targets) const {
    Matrix<Value> Y(problem.Y.rows(), targets);
    for (std::int64_t i = 0; i < Y.rows(); ++i)
      for (std::int64_t k = 0; k < targets; ++k) Y(i, k) = problem.Y(i, k);
    const LinearRegression<Value> model =
        this->fit(problem.X, Y, {.fit_intercept = problem.intercept, .solver = solver},
                  problem.weighted ? &problem.weights : nullptr);
    EXPECT_EQ(model.rank(), problem.X.columns());
    for (std::int64_t k = 0; k < targets; ++k) {
      const double bound = problem.bound(model.solver_used(), k);
      double error = 0.0;
      double mean = 0.0;  // the intercept's error from those of the coefficients
      for (std::int64_t j = 0; j < problem.X.columns(); ++j) {
        const auto off = static_cast<double>(static_cast<long double>(model.coef()(k, j)) - problem.exact.coef(j, k));
        const auto length = static_cast<double>(problem.exact.column_norms(0, j));
        error = std::hypot(error, off * length);
        mean += 4.0 * bound / length;
      }
      EXPECT_LE(error, bound) << "target " << k << ", solver " << static_cast<int>(model.solver_used());
      EXPECT_NEAR(
          model.intercept()[static_cast<std::size_t>(k)], static_cast<double>(problem.exact.intercept(0, k)),
          problem.intercept ? mean + 4.0 * eps * std::abs(static_cast<double>(problem.exact.intercept(0, k))) : 0.0);
    }
  }

  void expect_near_twin(std::int64_t n, std::int64_t d) const {
    for (const bool weighted : {false, true})
      for (const bool intercept : {true, false}) {
        const Problem<Value> problem(n, d, weighted, intercept);
        for (const auto solver : every_solver) {
          SCOPED_TRACE(::testing::Message() << n << " x " << d << ", solver " << static_cast<int>(solver)
                                            << (weighted ? ", weights" : "") << (intercept ? ", intercept" : ""));
          expect_near_twin(problem, solver, 3);
          expect_near_twin(problem, solver, 1);
        }
      }
  }
};
TYPED_TEST_SUITE(LinearTwin, DeviceTypes, DeviceTypeNames);

TYPED_TEST(LinearTwin, FewRows) {
  for (const std::int64_t d : {1, 2, 7, 8, 9, 33}) this->expect_near_twin(d + 1, d);
}

TYPED_TEST(LinearTwin, RowsAroundAChunk) {
  for (const std::int64_t d : {1, 2, 7, 8, 9, 33})
    for (const std::int64_t n : {127, 128, 129}) this->expect_near_twin(n, d);
}

TYPED_TEST(LinearTwin, RowsAroundABlock) {
  for (const auto& [n, d] : {std::pair{4095, 7}, std::pair{4096, 8}, std::pair{4097, 9}, std::pair{4097, 1}})
    this->expect_near_twin(n, d);
}

TYPED_TEST(LinearTwin, ManyRows) {
  this->expect_near_twin(20000, 2);
  this->expect_near_twin(20000, 9);
}

}  // namespace
}  // namespace tilelearn::testing
