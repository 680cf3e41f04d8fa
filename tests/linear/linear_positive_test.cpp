// Coefficients of 0 or more: the conditions of an optimum, every subset of columns, columns that depend on each other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

template <typename T>
LinearRegression<T> fit_positive(const Matrix<T>& X, const Vector<T>& y, bool intercept = true) {
  LinearRegression<T> model({.fit_intercept = intercept, .positive = true});
  model.fit(X.view(), y.view());
  return model;
}

template <typename T>
long double squares_of(const Matrix<T>& X, const Vector<T>& y, const LinearRegression<T>& model) {
  long double sum = 0.0L;
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    long double residual = static_cast<long double>(y[i]) - model.intercept().front();
    for (std::int64_t j = 0; j < X.columns(); ++j) residual -= static_cast<long double>(X(i, j)) * model.coef()(0, j);
    sum += residual * residual;
  }
  return sum;
}

/// y pulls some columns up and some down; columns overlap.
template <typename T>
struct Problem {
  Matrix<T> X;
  Vector<T> y;

  Problem(std::int64_t n, std::int64_t d, std::uint64_t seed) : X(random_matrix<T>(n, d, seed)), y(n) {
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = uniform(seed + 1, i);
      for (std::int64_t j = 1; j < d; ++j) X(i, j) += X(i, j - 1) / 2;
      for (std::int64_t j = 0; j < d; ++j) sum += (uniform(seed + 2, j) - 0.5) * static_cast<double>(X(i, j));
      y[i] = static_cast<T>(sum);
    }
  }
};

template <typename T>
class LinearPositive : public ::testing::Test {};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearPositive, Values);

TYPED_TEST(LinearPositive, IsTheBestOfAllSubsetsOfColumns) {
  using T = TypeParam;
  constexpr std::int64_t d = 6;
  for (const bool intercept : {true, false})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Problem<T> problem(40, d, 10 * seed);
      const LinearRegression<T> model = fit_positive(problem.X, problem.y, intercept);
      long double best = std::numeric_limits<long double>::infinity();
      for (unsigned subset = 0; subset < 1U << d; ++subset) {
        Matrix<T> part = problem.X.clone();
        for (std::int64_t j = 0; j < d; ++j)
          if ((subset >> j & 1U) == 0)
            for (std::int64_t i = 0; i < 40; ++i) part(i, j) = T{0};
        LinearRegression<T> free({.fit_intercept = intercept});
        free.fit(part.view(), problem.y.view());
        const double* coef = free.coef().data();
        if (std::all_of(coef, coef + d, [](double value) { return value >= 0.0; }))
          best = std::min(best, squares_of(part, problem.y, free));
      }
      EXPECT_TRUE(std::all_of(model.coef().data(), model.coef().data() + d, [](double value) { return value >= 0.0; }));
      // coefficients are rounded to float64: the squares, at their least, move by the square of that
      EXPECT_NEAR(static_cast<double>(squares_of(problem.X, problem.y, model) / best), 1.0, 1e-14) << seed;
    }
}

TYPED_TEST(LinearPositive, TheConditionsOfAnOptimumHold) {
  using T = TypeParam;
  const Problem<T> problem(500, 30, 77);
  const LinearRegression<T> model = fit_positive(problem.X, problem.y);
  std::int64_t zeros = 0;
  for (std::int64_t j = 0; j < 30; ++j) {
    long double descent = 0.0L;
    long double size = 0.0L;
    for (std::int64_t i = 0; i < 500; ++i) {
      long double residual = static_cast<long double>(problem.y[i]) - model.intercept().front();
      for (std::int64_t k = 0; k < 30; ++k) residual -= static_cast<long double>(problem.X(i, k)) * model.coef()(0, k);
      descent += residual * problem.X(i, j);
      size += std::abs(residual * problem.X(i, j));
    }
    if (model.coef()(0, j) > 0.0) {
      EXPECT_LT(std::abs(descent), 1e-13L * size) << j;
    } else {
      ++zeros;
      EXPECT_EQ(model.coef()(0, j), 0.0);
      EXPECT_LT(descent, 1e-13L * size) << j;
    }
  }
  EXPECT_GT(zeros, 3);
  EXPECT_LT(zeros, 27);
}

TEST(LinearPositiveCases, ByHand) {
  const Matrix<double> X{{0, 0}, {1, -1}, {2, -2.5}, {3, -3}};
  const Vector<double> down{3, 2, 1, 0};
  const LinearRegression<double> falling = fit_positive(X, down);
  EXPECT_EQ(falling.coef()(0, 0), 0.0);
  EXPECT_GT(falling.coef()(0, 1), 0.0);  // the second column falls as y does
  const Matrix<double> one{{0}, {1}, {2}};
  const Vector<double> y{2, 1, 0};
  const LinearRegression<double> none = fit_positive(one, y);
  EXPECT_EQ(none.coef()(0, 0), 0.0);
  EXPECT_EQ(none.intercept().front(), 1.0);
  const LinearRegression<double> through_origin = fit_positive(one, y, false);
  EXPECT_NEAR(through_origin.coef()(0, 0), 0.2, 1e-16);
}

TEST(LinearPositiveCases, ColumnsThatDependOnEachOther) {
  Matrix<double> X(30, 4);
  Vector<double> y(30);
  for (std::int64_t i = 0; i < 30; ++i) {
    X(i, 0) = std::floor(16 * uniform(1, i));
    X(i, 1) = std::floor(16 * uniform(2, i));
    X(i, 2) = X(i, 0) + X(i, 1);
    X(i, 3) = 4.0;
    y[i] = 2 * X(i, 0) + 3 * X(i, 1) + 1;
  }
  const LinearRegression<double> model = fit_positive(X, y);
  EXPECT_NEAR(static_cast<double>(squares_of(X, y, model)), 0.0, 1e-20);
  EXPECT_NEAR(model.coef()(0, 0) + model.coef()(0, 2), 2.0, 1e-13);
  EXPECT_NEAR(model.coef()(0, 1) + model.coef()(0, 2), 3.0, 1e-13);
  EXPECT_EQ(model.coef()(0, 3), 0.0);
}

TEST(LinearPositiveCases, SeveralTargetsAndRefusals) {
  const Problem<double> problem(60, 5, 5);
  Matrix<double> Y(60, 2);
  Vector<double> second(60);
  for (std::int64_t i = 0; i < 60; ++i) {
    Y(i, 0) = problem.y[i];
    second[i] = Y(i, 1) = -problem.y[i];
  }
  LinearRegression<double> both({.positive = true});
  both.fit(problem.X.view(), Y.view());
  const LinearRegression<double> one = fit_positive(problem.X, problem.y);
  const LinearRegression<double> other = fit_positive(problem.X, second);
  for (std::int64_t j = 0; j < 5; ++j) {
    EXPECT_EQ(both.coef()(0, j), one.coef()(0, j));
    EXPECT_EQ(both.coef()(1, j), other.coef()(0, j));
  }
  EXPECT_THROW((void)one.summary(), InvalidArgument);
  LinearRegression<double> forced({.positive = true, .solver = LeastSquaresSolver::cholesky});
  EXPECT_THROW(forced.fit(problem.X.view(), problem.y.view()), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn::testing
