// Inputs behind public bug reports about linear regression, each made small. Values are checked by exact rational
// arithmetic, or follow from the construction.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <tilelearn/table.hpp>

#include "linear/linear_test.hpp"
#include "support/test_data.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr LeastSquaresSolver every_solver[] = {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky,
                                               LeastSquaresSolver::refined_cholesky, LeastSquaresSolver::double_double};

/// Data of small integers, the same in float and double: sums are exact, what is left is the solution's own rounding,
/// a few 2^-53 at conditions below 100.
constexpr double rounding = 1e-13;

template <typename T>
class LinearCases : public ::testing::Test {
 protected:
  /// Predictions are rounded to T.
  static constexpr double one_ulp = std::is_same_v<T, float> ? 0x1p-23 : 1e-14;

  static LinearRegression<T> fit(const Matrix<T>& X, const Vector<T>& y, const LinearRegressionOptions& options = {}) {
    LinearRegression<T> model(options);
    model.fit(X.view(), y.view());
    return model;
  }

  static LinearRegression<T> fit(const Matrix<T>& X, const Vector<T>& y, const Vector<T>& weights) {
    LinearRegression<T> model;
    model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
    return model;
  }

  static void expect_coefficients(const LinearRegression<T>& model, const std::vector<double>& coef, double intercept,
                                  double tolerance = rounding) {
    ASSERT_EQ(model.n_features_in(), static_cast<std::int64_t>(coef.size()));
    for (std::size_t j = 0; j < coef.size(); ++j)
      EXPECT_NEAR(model.coef()(0, static_cast<std::int64_t>(j)), coef[j], tolerance) << j;
    EXPECT_NEAR(model.intercept().front(), intercept, tolerance);
  }

  static void expect_predictions(const LinearRegression<T>& model, const Matrix<T>& X,
                                 const std::vector<double>& wanted) {
    const Vector<T> found = model.predict(X.view());
    ASSERT_EQ(found.size(), static_cast<std::int64_t>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(static_cast<double>(found[static_cast<std::int64_t>(i)]), wanted[i], one_ulp * std::abs(wanted[i]))
          << i;
  }

  static Vector<T> vector(const std::vector<double>& values) {
    Vector<T> result(static_cast<std::int64_t>(values.size()));
    std::transform(values.begin(), values.end(), result.data(), [](double value) { return static_cast<T>(value); });
    return result;
  }

  /// Columns i and i + 2, targets 3 i + 1 (L09).
  static Matrix<T> collinear() { return {{0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}}; }
  static Vector<T> collinear_targets() { return {1, 4, 7, 10, 13, 16}; }
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearCases, Values);

struct Polynomial {
  Matrix<double> X;
  Matrix<double> y;
};

/// x, x^2, ... of a data set of NIST.
Polynomial polynomial(const std::string& name, std::int64_t degree) {
  const Table table = read_csv(test_data("data/nist/" + name + ".csv"));
  const Matrix<double> x = table.matrix<double>({"x"});
  Polynomial result{Matrix<double>(x.rows(), degree), table.matrix<double>({"y"})};
  for (std::int64_t i = 0; i < x.rows(); ++i)
    for (std::int64_t j = 0; j < degree; ++j) result.X(i, j) = (j == 0 ? 1.0 : result.X(i, j - 1)) * x(i, 0);
  return result;
}

VectorView<const double> only_column(const Matrix<double>& y) { return {y.data(), y.rows()}; }

TEST(LinearCasesNist, L01FilipHasItsR2) {
  const Polynomial filip = polynomial("filip", 10);
  LinearRegression<double> model;
  model.fit(filip.X.view(), filip.y.view());
  EXPECT_NEAR(model.score(filip.X.view(), only_column(filip.y)), 0.996727416185620, 1e-5);
  // the sums of the fit are double-double: what the rounded powers of x cost alone, about 1e-8 of 1 - R2
  EXPECT_NEAR(model.summary().r2, 0.996727416185620, 1e-9);
}

TEST(LinearCasesNist, L03WamplerHasItsR2) {
  const double r2[] = {1.0, 1.0, 0.999995559025820, 0.957478440825662, 0.0022466892157494};
  for (int number = 1; number <= 5; ++number) {
    const Polynomial wampler = polynomial("wampler" + std::to_string(number), 5);
    LinearRegression<double> model;
    model.fit(wampler.X.view(), wampler.y.view());
    const double wanted = r2[number - 1];
    // certified digits; Wampler5's squares are 10^10 times those that are explained
    EXPECT_NEAR(model.score(wampler.X.view(), only_column(wampler.y)), wanted, 2e-14) << number;
    EXPECT_NEAR(model.summary().r2, wanted, 2e-14) << number;
  }
}

TEST(LinearCasesNist, L05ThroughTheOriginSummaryIsUncentredAndScoreCentred) {
  const double uncentred[] = {0.999365492298663, 0.993348115299335};
  const double centred[] = {1.0 - 1400.0 / 11.0 / 110.0, 1.0 - 3.0 / 11.0 * 3.0 / 2.0};
  for (int number = 1; number <= 2; ++number) {
    const Polynomial set = polynomial("noint" + std::to_string(number), 1);
    LinearRegression<double> model({.fit_intercept = false});
    model.fit(set.X.view(), set.y.view());
    EXPECT_NEAR(model.summary().r2, uncentred[number - 1], 2e-15) << number;
    // residuals of numbers near 140 are rounded to 2^-46
    EXPECT_NEAR(model.score(set.X.view(), only_column(set.y)), centred[number - 1], 1e-13) << number;
  }
}

TEST(LinearCasesNasty, L07AllColumnsAtOnceAndOneOfZeros) {
  const double little[] = {0.99999991, 0.99999992, 0.99999993, 0.99999994, 0.99999995,
                           0.99999996, 0.99999997, 0.99999998, 0.99999999};
  Matrix<double> X(9, 6);
  Vector<double> y(9);
  for (std::int64_t i = 0; i < 9; ++i) {
    const auto x = static_cast<double>(i + 1);
    const double row[] = {99999990 + x, little[i], x * 1e12, x * 1e-12, x - 0.5, 0.0};
    std::copy(std::begin(row), std::end(row), X.data() + 6 * i);
    y[i] = x;
  }
  LinearRegression<double> model;
  model.fit(X.view(), y.view());
  EXPECT_EQ(model.coef()(0, 5), 0.0);
  for (std::int64_t j = 0; j < 6; ++j) EXPECT_TRUE(std::isfinite(model.coef()(0, j))) << j;
  const Vector<double> fitted = model.predict(X.view());
  for (std::int64_t i = 0; i < 9; ++i) EXPECT_NEAR(fitted[i], y[i], 1e-6) << i;
  EXPECT_THAT(model.warnings(), Contains(HasSubstr("constant columns of X, whose coefficient is 0: 5")));
}

TYPED_TEST(LinearCases, L09CollinearColumnsShareTheSlope) {
  const auto model = this->fit(this->collinear(), this->collinear_targets());
  this->expect_coefficients(model, {1.5, 1.5}, -2.0);
  EXPECT_EQ(model.rank(), 1);
  this->expect_predictions(model, {{10, 12}}, {31.0});
  EXPECT_THAT(model.warnings(), Contains(HasSubstr("rank 1 with 2 columns")));
}

TYPED_TEST(LinearCases, L11FullDummyCoding) {
  const Matrix<TypeParam> X{{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}};
  const auto model = this->fit(X, {1, 3, 10, 12, 5, 9});
  this->expect_coefficients(model, {-14.0 / 3, 13.0 / 3, 1.0 / 3}, 20.0 / 3);
  EXPECT_EQ(model.rank(), 2);
  this->expect_predictions(model, X, {2, 2, 11, 11, 7, 7});
}

TYPED_TEST(LinearCases, L13AConstantColumn) {
  const Matrix<TypeParam> X{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};
  const auto model = this->fit(X, this->vector({2.1, 2.9, 3.9, 5.1, 7.1}));
  // targets are rounded to T
  this->expect_coefficients(model, {0.0, 1.22}, 0.56, 4.0 * std::numeric_limits<TypeParam>::epsilon() * 7.1);
  EXPECT_EQ(model.coef()(0, 0), 0.0);
  EXPECT_EQ(model.rank(), 1);
}

TYPED_TEST(LinearCases, L15AWeightOfZeroDropsTheRow) {
  const auto model =
      this->fit({{0}, {1}, {2}, {3}, {100}}, Vector<TypeParam>{1, 3, 5, 7, -1000}, Vector<TypeParam>{1, 1, 1, 1, 0});
  this->expect_coefficients(model, {2.0}, 1.0);
}

TYPED_TEST(LinearCases, L15FourLiveRowsOfFiveColumns) {
  using T = TypeParam;
  const Matrix<T> X{{1, 2, 3, 4, 5}, {2, 0, 1, 5, -3}, {9, 9, -9, 9, 9}, {0, 1, -1, 2, 4}, {3, 3, 1, 0, 2}};
  const Matrix<T> live{{1, 2, 3, 4, 5}, {2, 0, 1, 5, -3}, {0, 1, -1, 2, 4}, {3, 3, 1, 0, 2}};
  const auto weighted = this->fit(X, Vector<T>{3, 7, 50, 1, -2}, Vector<T>{1, 1, 0, 1, 1});
  const auto dropped = this->fit(live, Vector<T>{3, 7, 1, -2});
  EXPECT_EQ(weighted.rank(), 3);
  EXPECT_EQ(dropped.rank(), 3);
  this->expect_coefficients(weighted, {dropped.coef().data(), dropped.coef().data() + 5}, dropped.intercept().front());
  this->expect_predictions(weighted, live, {3, 7, 1, -2});
  EXPECT_EQ(weighted.singular_values().size(), dropped.singular_values().size());
}

TYPED_TEST(LinearCases, L17BadWeights) {
  using T = TypeParam;
  const Matrix<T> X{{0}, {1}, {2}};
  const Vector<T> y{1, 3, 5};
  EXPECT_THROW(this->fit(X, y, Vector<T>{0, 0, 0}), InvalidArgument);
  EXPECT_THROW(this->fit(X, y, Vector<T>{1, -1, 1}), InvalidArgument);
  EXPECT_THROW(this->fit(X, y, Vector<T>{1, 1, std::numeric_limits<T>::quiet_NaN()}), InvalidArgument);
  EXPECT_THROW(this->fit(X, y, Vector<T>{1, 1}), ShapeMismatch);
}

TEST(LinearCasesFloat, L19ManyRowsDoNotHideADirection) {
  constexpr std::int64_t n = 500000;
  Matrix<float> X(n, 2);
  Vector<float> y(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(static_cast<float>(static_cast<double>(i) / static_cast<double>(n)));
    const float other = static_cast<float>(x + 0.01 * (static_cast<double>(i % 7) - 3.0) / 3.0);
    X.data()[2 * i] = static_cast<float>(x);
    X.data()[2 * i + 1] = other;
    y.data()[i] = static_cast<float>(x + 2.0 * static_cast<double>(other));
  }
  LinearRegression<float> model;
  model.fit(X.view(), y.view());
  EXPECT_EQ(model.rank(), 2);
  EXPECT_NEAR(model.coef()(0, 0), 1.0, 1e-3);
  EXPECT_NEAR(model.coef()(0, 1), 2.0, 1e-3);
  EXPECT_NEAR(model.intercept().front(), 0.0, 1e-3);
  EXPECT_THAT(model.warnings(), IsEmpty());
}

TYPED_TEST(LinearCases, L21OneColumnWithEverySolver) {
  for (const auto solver : every_solver)
    this->expect_coefficients(this->fit({{1}, {2}, {3}, {4}}, {3, 5, 7, 9}, {.solver = solver}), {2.0}, 1.0);
}

TYPED_TEST(LinearCases, L35UnitsDoNotDecideTheRank) {
  using T = TypeParam;
  for (const double unit : {1.0, 1e-8, 1e-12, 1e-17, 1e-20}) {
    const T s = static_cast<T>(unit);
    Matrix<T> X(8, 2);
    Vector<T> y(8);
    for (std::int64_t i = 0; i < 8; ++i) {
      const auto a = static_cast<T>(i % 3);
      const auto b = static_cast<T>(i * i % 5);
      X(i, 0) = a * s;  // a is 0, 1 or 2: no rounding
      X(i, 1) = b;
      y[i] = 3 * a + 2 * b + 1;
    }
    const auto model = this->fit(X, y);
    EXPECT_EQ(model.rank(), 2) << unit;
    EXPECT_NEAR(model.coef()(0, 0) * static_cast<double>(s), 3.0, rounding) << unit;
    EXPECT_NEAR(model.coef()(0, 1), 2.0, rounding) << unit;
    EXPECT_NEAR(model.intercept().front(), 1.0, rounding) << unit;
    EXPECT_THAT(model.warnings(), IsEmpty());
  }
}

TYPED_TEST(LinearCases, L37Shapes) {
  using T = TypeParam;
  const Matrix<T> X{{1, 2}, {3, 4}, {5, 7}};
  EXPECT_THROW(this->fit(X, {1, 2}), ShapeMismatch);
  EXPECT_THROW(this->fit(Matrix<T>(0, 0), Vector<T>(0)), InvalidArgument);
  EXPECT_THROW(this->fit(Matrix<T>(3, 0), {1, 2, 3}), InvalidArgument);
  EXPECT_THROW((void)LinearRegression<T>().predict(X.view()), NotFitted);
  const auto model = this->fit(X, {1, 2, 3});
  EXPECT_THROW((void)model.predict(Matrix<T>{{1, 2, 3}}.view()), ShapeMismatch);
}

TEST(LinearCasesHilbert, L39TheResidualIsNothing) {
  Matrix<double> X(10, 10);
  Vector<double> y(10);
  for (std::int64_t a = 0; a < 10; ++a) {
    double sum = 0.0;
    for (std::int64_t b = 0; b < 10; ++b) sum += X(a, b) = 1.0 / static_cast<double>(a + b + 1);
    y[a] = sum;
  }
  LinearRegression<double> model({.fit_intercept = false});
  model.fit(X.view(), y.view());
  const Vector<double> fitted = model.predict(X.view());
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_NEAR(fitted[i], y[i], 1e-12) << i;
}

TEST(LinearCasesNasty, L41EverySolverAgrees) {
  Matrix<double> X(9, 1);
  Vector<double> y(9);
  for (std::int64_t i = 0; i < 9; ++i) {
    y[i] = static_cast<double>(i + 1);
    X(i, 0) = 99999990 + y[i];
  }
  for (const auto solver : every_solver) {
    LinearRegression<double> model({.solver = solver});
    model.fit(X.view(), y.view());
    EXPECT_NEAR(model.coef()(0, 0), 1.0, rounding);
    EXPECT_NEAR(model.intercept().front() / -99999990.0, 1.0, rounding);
  }
}

TYPED_TEST(LinearCases, L41DependentColumnsAgreeOrAreRefused) {
  using T = TypeParam;
  for (const auto solver : every_solver) {
    LinearRegression<T> model({.solver = solver});
    const Matrix<T> X = this->collinear();
    const Vector<T> y = this->collinear_targets();
    if (solver == LeastSquaresSolver::cholesky || solver == LeastSquaresSolver::refined_cholesky) {
      EXPECT_THROW(model.fit(X.view(), y.view()), InvalidArgument);
    } else {
      model.fit(X.view(), y.view());
      this->expect_coefficients(model, {1.5, 1.5}, -2.0);
    }
  }
}

TYPED_TEST(LinearCases, L43ConstantAndOppositeColumnsOfOnes) {
  const Matrix<TypeParam> X{{1, 0, 1}, {1, 1, 0}, {1, 0, 1}, {1, 1, 0}};
  const auto model = this->fit(X, {1, 2, 1, 2});
  this->expect_coefficients(model, {0.0, 0.5, -0.5}, 1.5);
  EXPECT_THAT(model.predict(X.view()).to_std(), ::testing::ElementsAre(1, 2, 1, 2));
}

}  // namespace
}  // namespace tilelearn::testing
