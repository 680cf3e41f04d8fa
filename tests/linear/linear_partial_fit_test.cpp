// A fit of rows that come in parts is one fit of them all, bit for bit.
#include <algorithm>
#include <limits>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

template <typename T>
class LinearPartialFit : public ::testing::Test {
 protected:
  static constexpr std::int64_t n = 70000;  // more than a group of rows that is summed at once
  static constexpr std::int64_t d = 3;

  Matrix<T> X_ = random_matrix<T>(n, d, 1);
  Matrix<T> Y_ = random_matrix<T>(n, 2, 2);
  Vector<T> weights_ = Vector<T>(n);

  void SetUp() override {
    for (std::int64_t i = 0; i < n; ++i) weights_[i] = static_cast<T>(i % 3);
  }

  [[nodiscard]] MatrixView<const T> x_rows(std::int64_t first, std::int64_t count) const {
    return {X_.data() + first * d, count, d};
  }
  [[nodiscard]] MatrixView<const T> y_rows(std::int64_t first, std::int64_t count) const {
    return {Y_.data() + first * 2, count, 2};
  }

  static void expect_same(const LinearRegression<T>& found, const LinearRegression<T>& wanted) {
    EXPECT_TRUE(std::equal(found.coef().data(), found.coef().data() + 2 * d, wanted.coef().data()));
    EXPECT_EQ(found.intercept(), wanted.intercept());
    EXPECT_EQ(found.singular_values(), wanted.singular_values());
    EXPECT_EQ(found.summary(1).residual_standard_error, wanted.summary(1).residual_standard_error);
    EXPECT_EQ(found.summary().observations, wanted.summary().observations);
  }
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearPartialFit, Values);

TYPED_TEST(LinearPartialFit, ThePartsDoNotShow) {
  using T = TypeParam;
  LinearRegression<T> at_once({.solver = LeastSquaresSolver::double_double});
  at_once.fit(this->X_.view(), this->Y_.view());
  for (const std::int64_t part : {this->n, std::int64_t{65536}, std::int64_t{4096}, std::int64_t{10007}}) {
    LinearRegression<T> in_parts;
    for (std::int64_t first = 0; first < this->n; first += part) {
      const std::int64_t count = std::min(part, this->n - first);
      in_parts.partial_fit(this->x_rows(first, count), this->y_rows(first, count));
    }
    in_parts.finish();
    this->expect_same(in_parts, at_once);
    EXPECT_EQ(in_parts.solver_used(), LeastSquaresSolver::double_double);
  }
}

TYPED_TEST(LinearPartialFit, WeightsAndPartsOfOneRow) {
  using T = TypeParam;
  constexpr std::int64_t few = 300;
  // the first row has weight 0: it is as if it had not come
  LinearRegression<T> at_once({.solver = LeastSquaresSolver::double_double});
  at_once.fit(this->x_rows(1, few - 1), this->y_rows(1, few - 1),
              {.sample_weight = VectorView<const T>(this->weights_.data() + 1, few - 1)});
  LinearRegression<T> in_parts;
  for (std::int64_t i = 0; i < few; ++i)
    in_parts.partial_fit(this->x_rows(i, 1), this->y_rows(i, 1), VectorView<const T>(this->weights_.data() + i, 1));
  in_parts.finish();
  this->expect_same(in_parts, at_once);
}

TYPED_TEST(LinearPartialFit, WhatIsRefusedIsNotAdded) {
  using T = TypeParam;
  LinearRegression<T> model;
  EXPECT_THROW(model.finish(), InvalidArgument);
  model.partial_fit(this->x_rows(0, 50), this->y_rows(0, 50));
  EXPECT_THROW((void)model.coef(), NotFitted);
  Matrix<T> bad = random_matrix<T>(10, this->d, 5);
  bad(7, 2) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW(model.partial_fit(bad.view(), this->y_rows(0, 10)), InvalidArgument);
  const Vector<T> weights{1, -1};
  EXPECT_THROW(model.partial_fit(this->x_rows(50, 2), this->y_rows(50, 2), weights.view()), InvalidArgument);
  EXPECT_THROW(model.partial_fit(MatrixView<const T>(this->X_.data(), 5, 2), this->y_rows(0, 5)), ShapeMismatch);
  EXPECT_THROW(model.partial_fit(this->x_rows(0, 5), VectorView<const T>(this->Y_.data(), 5)), ShapeMismatch);
  EXPECT_THROW(model.partial_fit(this->x_rows(0, 5), this->y_rows(0, 4)), ShapeMismatch);
  model.finish();
  LinearRegression<T> wanted({.solver = LeastSquaresSolver::double_double});
  wanted.fit(this->x_rows(0, 50), this->y_rows(0, 50));
  this->expect_same(model, wanted);
  EXPECT_THROW(model.finish(), InvalidArgument);
  this->expect_same(model, wanted);
  LinearRegression<T> forced({.solver = LeastSquaresSolver::cholesky});
  EXPECT_THROW(forced.partial_fit(this->x_rows(0, 5), this->y_rows(0, 5)), InvalidArgument);
}

TEST(LinearPartialFitUnits, NoRowThatCountsAndSquaresThatOverflow) {
  const Matrix<double> X{{1}, {2}};
  const Vector<double> y{1, 2};
  const Vector<double> zeros{0, 0};
  LinearRegression<double> model;
  model.partial_fit(X.view(), y.view(), zeros.view());
  EXPECT_THROW(model.finish(), InvalidArgument);
  const Matrix<double> huge{{1e200}, {3e200}};
  LinearRegression<double> overflowing;
  overflowing.partial_fit(huge.view(), y.view());
  EXPECT_THROW(overflowing.finish(), InvalidArgument);
  overflowing.partial_fit(X.view(), y.view()).finish();  // the rows before are forgotten
  EXPECT_NEAR(overflowing.coef()(0, 0), 1.0, 1e-15);
}

}  // namespace
}  // namespace tilelearn::testing
