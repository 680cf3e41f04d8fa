// Values at the ends of double's range: no NaN and no infinity where the answer is a number.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn::testing {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr LeastSquaresSolver every_solver[] = {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky,
                                               LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double};

TEST(LinearExtremes, DifferencesThatOverflow) {
  const Matrix<double> X{{largest}, {-largest}, {0}, {largest / 2}};
  const Vector<double> y{1, -1, 0, 0.5};
  const Vector<double> huge{-largest, largest, 0, -largest / 2};
  for (const auto solver : every_solver)
    for (const bool intercept : {true, false}) {
      LinearRegression<double> model({.fit_intercept = intercept, .solver = solver});
      model.fit(X.view(), y.view());
      EXPECT_EQ(model.rank(), 1);
      EXPECT_NEAR(model.coef()(0, 0) * largest, 1.0, 1e-14);
      EXPECT_NEAR(model.intercept().front(), 0.0, 1e-14);
      model.fit(X.view(), huge.view());
      EXPECT_NEAR(model.coef()(0, 0), -1.0, 1e-14);
      EXPECT_NEAR(model.intercept().front() / largest, 0.0, 1e-14);
      EXPECT_NEAR(model.score(X.view(), huge.view()), 1.0, 1e-14);
    }
}

TEST(LinearExtremes, ManyRowsFarFromTheFirst) {
  Matrix<double> X(5000, 1);
  Vector<double> y(5000);
  for (std::int64_t i = 0; i < 5000; ++i) {
    X(i, 0) = i == 0 ? -largest : largest * (1.0 - uniform(1, i) / 1024);
    y[i] = 2.0 * (X(i, 0) / largest) + 1.0;
  }
  for (const auto solver : every_solver) {
    LinearRegression<double> model({.solver = solver});
    model.fit(X.view(), y.view());
    // targets are rounded, columns have a deviation of a hundredth of their size
    EXPECT_NEAR(model.coef()(0, 0) * largest, 2.0, 1e-11);
    EXPECT_NEAR(model.intercept().front(), 1.0, 1e-11);
  }
}

TEST(LinearExtremes, SquaresThatVanishWithASumOfZero) {
  for (const double unit : {1e-170, 1e-200, 1e-300}) {
    const Matrix<double> X{{0}, {unit}, {-unit}, {2 * unit}, {-2 * unit}};
    const Vector<double> y{0, 1, -1, 2, -2};
    for (const bool intercept : {true, false}) {
      LinearRegression<double> model({.fit_intercept = intercept});
      model.fit(X.view(), y.view());
      EXPECT_EQ(model.rank(), 1) << unit;
      EXPECT_NEAR(model.coef()(0, 0) * unit, 1.0, 1e-14) << unit;
    }
  }
}

TEST(LinearExtremes, ScoreDoesNotDependOnTheUnitOfTheTargets) {
  const Matrix<double> X{{0}, {1}, {2}, {3}};
  const Vector<double> plain{1, 3, 4, 8};
  LinearRegression<double> wanted;
  wanted.fit(X.view(), plain.view());
  const double r2 = wanted.score(X.view(), plain.view());
  const Vector<double> other{2, 2, 5, 5};
  const double r2_of_other = wanted.score(X.view(), other.view());
  for (const double unit : {0x1p-1000, 0x1p-540, 0x1p-400, 0x1p400, 0x1p540, 0x1p1000}) {
    Vector<double> y(4);
    Vector<double> scaled(4);
    for (std::int64_t i = 0; i < 4; ++i) {
      y[i] = plain[i] * unit;
      scaled[i] = other[i] * unit;
    }
    LinearRegression<double> model;
    model.fit(X.view(), y.view());
    EXPECT_NEAR(model.score(X.view(), y.view()), r2, 1e-14) << unit;
    EXPECT_NEAR(model.score(X.view(), scaled.view()), r2_of_other, 1e-13) << unit;
  }
}

TEST(LinearExtremes, AFitOfHugeTargetsIsSavedAndLoaded) {
  const Matrix<double> X{{0}, {1}, {2}, {3}};
  const TemporaryFile file("extremes");
  for (const double unit : {1e200, 1e-200})
    for (const bool perfect : {true, false}) {
      const Vector<double> y{unit, 3 * unit, 5 * unit, (perfect ? 7 : 9) * unit};
      LinearRegression<double> model;
      model.fit(X.view(), y.view());
      model.save(file.path());
      const auto loaded = LinearRegression<double>::load(file.path());
      EXPECT_EQ(loaded.coef()(0, 0), model.coef()(0, 0));
    }
}

TEST(LinearExtremes, WeightsWhoseSumOverflows) {
  const Matrix<double> X{{0}, {1}, {2}, {3}};
  const Vector<double> y{1, 3, 5, 8};
  const Vector<double> ones{1, 1, 1, 1};
  const Vector<double> weights{largest, largest, largest, largest};
  const TemporaryFile file("weights");
  LinearRegression<double> wanted;
  wanted.fit(X.view(), y.view(), {.sample_weight = ones.view()});
  LinearRegression<double> model;
  model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
  EXPECT_NEAR(model.coef()(0, 0), wanted.coef()(0, 0), 1e-14);
  EXPECT_NEAR(model.score(X.view(), y.view(), weights.view()), wanted.score(X.view(), y.view()), 1e-14);
  model.save(file.path());
  EXPECT_EQ(LinearRegression<double>::load(file.path()).coef()(0, 0), model.coef()(0, 0));
}

TEST(LinearExtremes, ATargetWithoutAnySlopeNeedsNoMoreThanCorrections) {
  // The rows of the second half are those of the first with the opposite target: coefficients are 0, and what float64
  // finds is rounding, which corrections make smaller only as long as sums of products that cancel keep their digits.
  constexpr std::int64_t n = 400000;
  Matrix<double> X(n, 3);
  Vector<double> y(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double a = uniform(1, i % (n / 2));
    X.data()[3 * i] = a;
    X.data()[3 * i + 1] = a + 0.01 * uniform(2, i % (n / 2));
    X.data()[3 * i + 2] = uniform(3, i % (n / 2));
    y.data()[i] = i < n / 2 ? 1.0 : -1.0;
  }
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  EXPECT_EQ(model.solver_used(), LeastSquaresSolver::refined_cholesky);
  // 2^-53 of a target of size 1, on columns of condition 200 or so
  for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(model.coef()(0, j), 0.0, 200 * 1.2e-16) << j;
  LinearRegression<double> exact({.solver = LeastSquaresSolver::double_double});
  exact.fit(X.view(), y.view());
  for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(exact.coef()(0, j), 0.0, 1e-24) << j;
}

TEST(LinearExtremes, CoefficientsThatFloat64DoesNotHoldAreRefused) {
  const Vector<double> y{1e200, 3e200, 5e200};
  for (const double size : {1e-200, 5e-324}) {
    const Matrix<double> X{{size, 1}, {2 * size, 0}, {4 * size, 0}};
    for (const auto solver : every_solver) {
      LinearRegression<double> model({.solver = solver});
      try {
        model.fit(X.view(), y.view());
        FAIL() << "coefficients of 1e400 were taken";
      } catch (const InvalidArgument& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("the coefficient of column 0 is beyond what float64 holds"));
      }
      EXPECT_THROW((void)model.coef(), NotFitted);
    }
  }
  // a slope of -1e300 at 1e20: the plane meets 0 beyond float64
  const Matrix<double> far{{1e20}, {1e20 + 1e6}};
  const Vector<double> steep{0, -1e306};
  LinearRegression<double> model;
  EXPECT_THROW(model.fit(far.view(), steep.view()), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn::testing
