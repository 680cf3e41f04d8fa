// tol decides which directions count, whatever the number of rows and the solver that would be fast enough.
#include <cmath>
#include <cstdint>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename I>
class LinearTolerance : public LinearTest<I> {
 protected:
  using Value = typename I::Value;

  /// Ten columns, the second the first and 2^-13 of noise: a ratio of singular values of about 4e-5.
  static Matrix<Value> near_pair(std::int64_t n) {
    Matrix<Value> X = random_matrix<Value>(n, 10, 1);
    for (std::int64_t i = 0; i < n; ++i) X(i, 1) = X(i, 0) + static_cast<Value>(0x1p-13) * X(i, 1);
    return X;
  }

  static Matrix<Value> targets(const Matrix<Value>& X) {
    Matrix<Value> y = random_matrix<Value>(X.rows(), 1, 2);
    for (std::int64_t i = 0; i < X.rows(); ++i) y(i, 0) += X(i, 0) + X(i, 1);
    return y;
  }
};
TYPED_TEST_SUITE(LinearTolerance, DeviceTypes, DeviceTypeNames);

constexpr std::int64_t few = 600;     // double-double at once
constexpr std::int64_t many = 50000;  // solved in float64 where the condition allows

TYPED_TEST(LinearTolerance, ADirectionBelowItIsLeftOutOfFewRowsAndOfMany) {
  using T = typename TypeParam::Value;
  for (const std::int64_t n : {few, many}) {
    SCOPED_TRACE(n);
    const Matrix<T> X = this->near_pair(n);
    const Matrix<T> y = this->targets(X);
    for (const double tol : {1e-3, 1e-1}) {
      const LinearRegression<T> model = this->fit(X, y, {.tol = tol});
      EXPECT_EQ(model.rank(), 9) << tol;
      EXPECT_EQ(model.solver_used(), LeastSquaresSolver::double_double);
      EXPECT_THAT(model.warnings(), ElementsAre(HasSubstr("rank 9 with 10 columns")));
      // least norm: the two columns, which differ by 2^-13, share their coefficient
      EXPECT_NEAR(model.coef()(0, 0) / model.coef()(0, 1), 1.0, 0x1p-12) << tol;
    }
    const LinearRegression<T> whole = this->fit(X, y, {.tol = 1e-6});
    EXPECT_EQ(whole.rank(), 10);
    EXPECT_THAT(whole.warnings(), IsEmpty());
  }
}

TYPED_TEST(LinearTolerance, SolversInFloat64AreStillTakenAboveIt) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->near_pair(many);
  EXPECT_EQ(this->fit(X, this->targets(X), {.tol = 1e-6}).solver_used(), LeastSquaresSolver::refined_cholesky);
}

TYPED_TEST(LinearTolerance, AForcedSolverThatCannotLeaveOutADirectionSaysSo) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->near_pair(few);
  const Matrix<T> y = this->targets(X);
  for (const auto solver : {LeastSquaresSolver::cholesky, LeastSquaresSolver::refined_cholesky}) {
    EXPECT_EQ(this->fit(X, y, {.solver = solver, .tol = 1e-6}).rank(), 10);
    try {
      (void)this->fit(X, y, {.solver = solver, .tol = 0.0625});
      FAIL() << "a direction below tol was kept";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("condition number above 16)"));
    }
  }
}

}  // namespace
}  // namespace tilelearn::testing
