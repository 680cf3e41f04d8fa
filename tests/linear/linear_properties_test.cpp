// What holds for every fit: the same bits whatever threads and layout, weights that are rows, units that do not matter.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::ElementsAreArray;

template <typename T>
class LinearProperties : public ::testing::Test {
 protected:
  static constexpr std::int64_t n = 9000;  // two whole blocks of rows and a part
  static constexpr std::int64_t d = 11;

  Matrix<T> X_ = random_matrix<T>(n, d, 3);
  Matrix<T> Y_ = random_matrix<T>(n, 2, 4);
  Vector<T> weights_ = Vector<T>(n);

  void SetUp() override {
    for (std::int64_t i = 0; i < n; ++i) {
      weights_[i] = static_cast<T>(i % 4);
      Y_(i, 0) += X_(i, 3) * 2;
    }
  }

  /// Coefficients and intercepts.
  static std::vector<double> values(const LinearRegression<T>& model) {
    std::vector<double> result(model.coef().data(), model.coef().data() + model.coef().rows() * model.coef().columns());
    result.insert(result.end(), model.intercept().begin(), model.intercept().end());
    return result;
  }

  static std::vector<double> fit(const MatrixView<const T>& X, const MatrixView<const T>& Y, LeastSquaresSolver solver,
                                 const std::optional<VectorView<const T>>& weights = {}) {
    LinearRegression<T> model({.solver = solver});
    model.fit(X, Y, {.sample_weight = weights});
    return values(model);
  }
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LinearProperties, Values);

constexpr LeastSquaresSolver every_solver[] = {LeastSquaresSolver::cholesky, LeastSquaresSolver::refined_cholesky,
                                               LeastSquaresSolver::double_double};

TYPED_TEST(LinearProperties, TheNumberOfThreadsDoesNotShow) {
  using T = TypeParam;
  for (const auto solver : every_solver) {
    const std::vector<double> alone =
        this->fit(MatrixView<const T>(this->X_.data(), this->n, this->d, Device::cpu(1)),
                  MatrixView<const T>(this->Y_.data(), this->n, 2, Device::cpu(1)), solver);
    for (const int threads : {2, 3, 8}) {
      const Device cpu = Device::cpu(threads);
      EXPECT_THAT(this->fit(MatrixView<const T>(this->X_.data(), this->n, this->d, cpu),
                            MatrixView<const T>(this->Y_.data(), this->n, 2, cpu), solver),
                  ElementsAreArray(alone))
          << threads;
    }
  }
}

TYPED_TEST(LinearProperties, TheLayoutDoesNotShow) {
  using T = TypeParam;
  const std::int64_t rows = this->n;
  const std::int64_t columns = this->d;
  std::vector<T> by_column(static_cast<std::size_t>(rows * columns));
  std::vector<T> spread(static_cast<std::size_t>(rows * columns * 6), T{77});
  std::vector<T> backwards(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      by_column[static_cast<std::size_t>(j * rows + i)] = this->X_(i, j);
      spread[static_cast<std::size_t>(i * columns * 6 + j * 3)] = this->X_(i, j);
      backwards[static_cast<std::size_t>((rows - 1 - i) * columns + j)] = this->X_(i, j);
    }
  for (const auto solver : every_solver) {
    const auto Y = std::as_const(this->Y_).view();
    const std::vector<double> plain = this->fit(this->X_.view(), Y, solver, this->weights_.view());
    EXPECT_THAT(
        this->fit(MatrixView<const T>(by_column.data(), rows, columns, 1, rows), Y, solver, this->weights_.view()),
        ElementsAreArray(plain));
    EXPECT_THAT(
        this->fit(MatrixView<const T>(spread.data(), rows, columns, 6 * columns, 3), Y, solver, this->weights_.view()),
        ElementsAreArray(plain));
    EXPECT_THAT(this->fit(MatrixView<const T>(backwards.data() + (rows - 1) * columns, rows, columns, -columns, 1), Y,
                          solver, this->weights_.view()),
                ElementsAreArray(plain));
  }
}

TYPED_TEST(LinearProperties, InputsStayAsTheyWere) {
  const Matrix<TypeParam> X = this->X_.clone();
  const Matrix<TypeParam> Y = this->Y_.clone();
  this->fit(this->X_.view(), this->Y_.view(), LeastSquaresSolver::refined_cholesky, this->weights_.view());
  EXPECT_TRUE(std::equal(X.data(), X.data() + this->n * this->d, this->X_.data()));
  EXPECT_TRUE(std::equal(Y.data(), Y.data() + this->n * 2, this->Y_.data()));
}

TYPED_TEST(LinearProperties, AWeightOfZeroIsNoRowAndOneOfThreeIsThreeRows) {
  using T = TypeParam;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < this->n; ++i) rows += i % 4;
  Matrix<T> X(rows, this->d);
  Matrix<T> Y(rows, 2);
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < this->n; ++i)
    for (std::int64_t copy = 0; copy < i % 4; ++copy, ++row) {
      std::copy_n(this->X_.data() + i * this->d, this->d, X.data() + row * this->d);
      std::copy_n(this->Y_.data() + i * 2, 2, Y.data() + row * 2);
    }
  for (const auto solver : every_solver) {
    const std::vector<double> weighted = this->fit(this->X_.view(), this->Y_.view(), solver, this->weights_.view());
    const std::vector<double> repeated = this->fit(X.view(), Y.view(), solver);
    for (std::size_t i = 0; i < weighted.size(); ++i)  // sums of 10^4 terms of order 1 in two orders
      EXPECT_NEAR(weighted[i], repeated[i], 1e-13);
  }
}

TYPED_TEST(LinearProperties, SeveralTargetsAreAsManyFits) {
  using T = TypeParam;
  for (const auto solver : every_solver) {
    LinearRegression<T> both({.solver = solver});
    both.fit(this->X_.view(), this->Y_.view());
    for (std::int64_t k = 0; k < 2; ++k) {
      LinearRegression<T> one({.solver = solver});
      one.fit(this->X_.view(), VectorView<const T>(this->Y_.data() + k, this->n, Device::cpu(), 2));
      for (std::int64_t j = 0; j < this->d; ++j) EXPECT_NEAR(both.coef()(k, j), one.coef()(0, j), 1e-14);
    }
  }
}

TEST(LinearUnits, HugeTinyAndFarAwayValues) {
  Matrix<double> X = random_matrix<double>(5000, 3, 9);
  Vector<double> y(5000);
  for (std::int64_t i = 0; i < 5000; ++i) y[i] = 1 + X(i, 0) - 2 * X(i, 1) + 3 * X(i, 2) + 0.01 * uniform(8, i);
  LinearRegression<double> plain;
  plain.fit(X.view(), y.view());
  const double scales[][4] = {{0x1p600, 1, 0x1p-600, 1},
                              {0x1p1000, 0x1p-1000, 1, 1},
                              {1, 1, 1, 0x1p900},
                              {0x1p-550, 0x1p-550, 0x1p-550, 0x1p-550}};
  for (const auto& scale : scales)
    for (const auto solver : every_solver) {
      Matrix<double> scaled(5000, 3);
      Vector<double> target(5000);
      for (std::int64_t i = 0; i < 5000; ++i) {
        for (std::int64_t j = 0; j < 3; ++j) scaled(i, j) = X(i, j) * scale[j];
        target[i] = y[i] * scale[3];
      }
      LinearRegression<double> model({.solver = solver});
      model.fit(scaled.view(), target.view());
      EXPECT_EQ(model.rank(), 3);
      for (std::int64_t j = 0; j < 3; ++j) {
        const double wanted = plain.coef()(0, j) / scale[j] * scale[3];
        EXPECT_NEAR(model.coef()(0, j) / wanted, 1.0, 1e-12) << j << ", " << scale[j];
      }
    }
}

TEST(LinearUnits, AnOffsetCostsNoDigitsButThoseItTakesFromTheData) {
  // offsets are multiples of 2^-20, so that every value stays exact
  Matrix<double> X(5000, 2);
  Vector<double> y(5000);
  for (std::int64_t i = 0; i < 5000; ++i) {
    X(i, 0) = std::floor(uniform(1, i) * 0x1p20) / 0x1p20;
    X(i, 1) = std::floor(uniform(2, i) * 0x1p20) / 0x1p20;
    y[i] = X(i, 0) + X(i, 1) + uniform(3, i);
  }
  LinearRegression<double> plain;
  plain.fit(X.view(), y.view());
  for (const auto solver : every_solver) {
    Matrix<double> moved(5000, 2);
    for (std::int64_t i = 0; i < 5000; ++i) {
      moved(i, 0) = X(i, 0) + 0x1p30;
      moved(i, 1) = X(i, 1) - 0x1p32;
    }
    LinearRegression<double> model({.solver = solver});
    model.fit(moved.view(), y.view());
    for (std::int64_t j = 0; j < 2; ++j) EXPECT_NEAR(model.coef()(0, j), plain.coef()(0, j), 1e-13);
  }
}

TEST(LinearUnits, AFirstRowFarFromTheOthersIsNoGoodShift) {
  Matrix<double> X = random_matrix<double>(100000, 2, 9);
  Vector<double> y(100000);
  for (std::int64_t i = 0; i < 100000; ++i) y[i] = X(i, 0) + X(i, 1) + uniform(3, i);
  X(0, 0) = 3e6;  // a hundred times the deviation that it gives the column
  LinearRegression<double> model({.solver = LeastSquaresSolver::cholesky});
  LinearRegression<double> exact({.solver = LeastSquaresSolver::double_double});
  model.fit(X.view(), y.view());
  exact.fit(X.view(), y.view());
  for (std::int64_t j = 0; j < 2; ++j) EXPECT_NEAR(model.coef()(0, j) / exact.coef()(0, j), 1.0, 1e-11);
}

TEST(LinearUnits, WeightsOfAnySize) {
  const Matrix<double> X{{0}, {1}, {2}, {3}};
  const Vector<double> y{1, 3, 5, 8};
  const Vector<double> plain{1, 2, 3, 4};
  LinearRegression<double> wanted;
  wanted.fit(X.view(), y.view(), {.sample_weight = plain.view()});
  for (const double scale : {1e300, 1e-300, 1e-320}) {
    const Vector<double> weights{scale, 2 * scale, 3 * scale, 4 * scale};
    LinearRegression<double> model;
    model.fit(X.view(), y.view(), {.sample_weight = weights.view()});
    // denormal weights are integers of few digits
    EXPECT_NEAR(model.coef()(0, 0), wanted.coef()(0, 0), scale < 1e-310 ? 1e-3 : 1e-14) << scale;
  }
}

}  // namespace
}  // namespace tilelearn::testing
