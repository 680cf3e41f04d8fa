// Columns that depend on each other: the rank whatever the units, the solution of least norm, singular values.
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Small integers, so that dependencies and centred columns are exact.
double small_integer(std::uint64_t seed, std::int64_t i) { return std::floor(16.0 * uniform(seed, i)) - 8.0; }

/// 64 rows: columns a, b, a + b, c, 2 c; each times its scale. The mean of each is an integer over 64.
Matrix<double> dependent_columns(const std::vector<double>& scales) {
  Matrix<double> X(64, 5);
  for (std::int64_t i = 0; i < 64; ++i) {
    const double a = small_integer(1, i);
    const double b = small_integer(2, i);
    const double c = small_integer(3, i);
    const double values[] = {a, b, a + b, c, 2 * c};
    for (std::int64_t j = 0; j < 5; ++j) X(i, j) = values[j] * scales[static_cast<std::size_t>(j)];
  }
  return X;
}

Vector<double> targets(std::int64_t rows) {
  Vector<double> y(rows);
  for (std::int64_t i = 0; i < rows; ++i) y[i] = small_integer(1, i) - 3 * small_integer(2, i) + small_integer(4, i);
  return y;
}

TEST(LinearRank, IsRightWhateverTheUnits) {
  for (const std::vector<double>& scales :
       {std::vector<double>{1, 1, 1, 1, 1}, std::vector<double>{1e20, 1, 1, 1, 1},
        std::vector<double>{1e-20, 1, 1, 1, 1}, std::vector<double>{1e20, 1e-20, 1, 1e-10, 1e10},
        std::vector<double>{1e-20, 1e-20, 1e20, 1e20, 1e-20}}) {
    const Matrix<double> X = dependent_columns(scales);
    for (const bool intercept : {true, false}) {
      LinearRegression<double> model({.fit_intercept = intercept});
      model.fit(X.view(), targets(64).view());
      EXPECT_EQ(model.rank(), 3) << ::testing::PrintToString(scales);
      EXPECT_THAT(model.warnings(), ::testing::ElementsAre(HasSubstr("rank 3 with 5 columns")));
    }
  }
}

/// The solution of least norm of columns that are scaled by hand: least squares on the independent columns a, b, c,
/// then the least norm among the ways to share a coefficient between the columns that depend on each other.
std::vector<double> least_norm(const std::vector<double>& s) {
  const Matrix<double> X = dependent_columns({1, 1, 1, 1, 1});
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> independent(64, 3);
  Eigen::Matrix<long double, Eigen::Dynamic, 1> y(64);
  for (std::int64_t i = 0; i < 64; ++i) {
    independent(i, 0) = X(i, 0);
    independent(i, 1) = X(i, 1);
    independent(i, 2) = X(i, 3);
    y(i) = targets(64)[i];
  }
  independent.rowwise() -= independent.colwise().mean().eval();
  y.array() -= y.mean();
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> g = independent.householderQr().solve(y);
  // s0 x0 + s2 x2 = g0, s1 x1 + s2 x2 = g1: least x0^2 + x1^2 + x2^2; s3 x3 + 2 s4 x4 = g2 likewise
  const auto value = [&](int i) { return static_cast<long double>(s[static_cast<std::size_t>(i)]); };
  const long double p = value(2) / value(0);
  const long double q = value(2) / value(1);
  const long double x2 = (p * (g(0) / value(0)) + q * (g(1) / value(1))) / (1 + p * p + q * q);
  const long double norm = value(3) * value(3) + 4 * value(4) * value(4);
  return {static_cast<double>((g(0) - value(2) * x2) / value(0)),
          static_cast<double>((g(1) - value(2) * x2) / value(1)), static_cast<double>(x2),
          static_cast<double>(g(2) * value(3) / norm), static_cast<double>(g(2) * 2 * value(4) / norm)};
}

TEST(LinearRank, LeastNormIsThatOfTheCallersUnits) {
  for (const std::vector<double>& scales :
       {std::vector<double>{1, 1, 1, 1, 1}, std::vector<double>{2, 0.25, 1, 8, 0.5},
        std::vector<double>{1024, 1, 1, 1, 1024}, std::vector<double>{0x1p-40, 1, 0x1p-20, 1, 1},
        std::vector<double>{0x1p30, 0x1p30, 0x1p30, 0x1p-30, 0x1p-30},
        std::vector<double>{0x1p66, 0x1p-66, 1, 0x1p-33, 0x1p33}}) {
    LinearRegression<double> model;
    model.fit(dependent_columns(scales).view(), targets(64).view());
    const std::vector<double> wanted = least_norm(scales);
    double norm = 0.0;
    for (const double one : wanted) norm = std::hypot(norm, one);
    for (std::int64_t j = 0; j < 5; ++j)
      EXPECT_NEAR(model.coef()(0, j), wanted[static_cast<std::size_t>(j)], 1e-10 * norm)
          << ::testing::PrintToString(scales) << ", " << j;
  }
}

TEST(LinearRank, ConstantColumnsHaveNoCoefficient) {
  Matrix<double> X(5000, 3);  // enough rows for the solvers in float64
  Vector<double> y(5000);
  for (std::int64_t i = 0; i < 5000; ++i) {
    X(i, 0) = uniform(1, i);
    X(i, 1) = 0.1;
    X(i, 2) = uniform(2, i);
    y[i] = X(i, 0) - X(i, 2) + uniform(3, i);
  }
  for (const auto solver : {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky,
                            LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double}) {
    LinearRegression<double> model({.solver = solver});
    model.fit(X.view(), y.view());
    EXPECT_EQ(model.coef()(0, 1), 0.0);
    EXPECT_EQ(model.rank(), 2);
    EXPECT_NEAR(model.coef()(0, 0), 1.0, 0.1);
    EXPECT_THAT(model.warnings(), ::testing::ElementsAre(HasSubstr("constant columns of X, whose coefficient is 0: 1"),
                                                         HasSubstr("rank 2 with 3 columns")));
  }
  Matrix<double> same(20, 2);
  std::fill_n(same.data(), 40, 7.5);
  LinearRegression<double> model;
  model.fit(same.view(), targets(20).view());
  EXPECT_EQ(model.rank(), 0);
  EXPECT_EQ(model.coef()(0, 0), 0.0);
  EXPECT_THAT(model.singular_values(), ::testing::ElementsAre(0.0, 0.0));
}

TEST(LinearRank, AnOutlierHidesNoDependency) {
  // The square of one row is 2^53 times the others', which then add to low words alone. Values have 27 bits and
  // multiples by 3 are exact.
  for (int exponent = 20; exponent <= 32; ++exponent)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Matrix<double> X(128, 3);
      Vector<double> y(128);
      for (std::int64_t i = 0; i < 128; ++i) {
        const double x = 1.0 + std::floor(uniform(seed, i) * 0x1p26) / 0x1p26;
        X(i, 0) = i == 5 ? std::ldexp(x, exponent) : x;
        X(i, 1) = 3 * X(i, 0);
        X(i, 2) = uniform(seed + 100, i);
        y[i] = x;
      }
      for (const bool intercept : {true, false}) {
        LinearRegression<double> model({.fit_intercept = intercept});
        model.fit(X.view(), y.view());
        EXPECT_EQ(model.rank(), 2) << exponent << ", " << seed;
      }
    }
}

TEST(LinearRank, FewerRowsThanColumns) {
  const Matrix<double> X{{1, 2, 3, 4}, {2, 0, 1, 5}};
  const Vector<double> y{3, 7};
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  // one difference of rows, (1, -2, -2, 1), and one of targets, 4: coef = 4 (1, -2, -2, 1) / 10
  EXPECT_EQ(model.rank(), 1);
  const double wanted[] = {0.4, -0.8, -0.8, 0.4};
  for (std::int64_t j = 0; j < 4; ++j) EXPECT_NEAR(model.coef()(0, j), wanted[j], 1e-15);
  const Vector<double> fitted = model.predict(X.view());
  EXPECT_NEAR(fitted[0], 3.0, 1e-14);
  EXPECT_NEAR(fitted[1], 7.0, 1e-14);
  EXPECT_EQ(model.singular_values().size(), 2U);

  const Matrix<double> row{{1, 2, 3}};
  const Vector<double> one{5};
  LinearRegression<double> single;
  single.fit(row.view(), one.view());
  EXPECT_EQ(single.rank(), 0);
  EXPECT_EQ(single.intercept().front(), 5.0);
}

TEST(LinearRank, SingularValuesAreThoseOfTheCentredWeightedMatrix) {
  Matrix<double> X = random_matrix<double>(200, 6, 11);
  Vector<double> weights(200);
  double total = 0.0;
  for (std::int64_t i = 0; i < 200; ++i) {
    X(i, 2) *= 1e6;
    X(i, 4) = X(i, 3) + 1e-6 * X(i, 4);
    total += weights[i] = 1.0 + uniform(12, i);
  }
  Eigen::MatrixXd matrix(200, 6);
  for (std::int64_t j = 0; j < 6; ++j) {
    double mean = 0.0;
    for (std::int64_t i = 0; i < 200; ++i) mean += weights[i] * X(i, j) / total;
    for (std::int64_t i = 0; i < 200; ++i) matrix(i, j) = std::sqrt(weights[i]) * (X(i, j) - mean);
  }
  const Eigen::VectorXd wanted = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
  LinearRegression<double> model;
  model.fit(X.view(), targets(200).view(), {.sample_weight = weights.view()});
  ASSERT_EQ(model.singular_values().size(), 6U);
  // the mean is rounded, which moves a column of 1e6 by 1e6 2^-53
  for (std::int64_t j = 0; j < 6; ++j)
    EXPECT_NEAR(model.singular_values()[static_cast<std::size_t>(j)], wanted(j), 1e-8 * wanted(j)) << j;
  EXPECT_NEAR(model.condition_number() / (wanted(0) / wanted(5)), 1.0, 1e-8);
  EXPECT_THAT(model.warnings(), IsEmpty());
}

}  // namespace
}  // namespace tilelearn::testing
