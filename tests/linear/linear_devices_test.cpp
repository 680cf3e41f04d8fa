// The same answer on every device, for every layout and width of the rows, and the same bits every run.
//
// Sums of small integers are exact, in whatever order they are added: fits of integers agree to the bit between
// devices.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using ::testing::HasSubstr;
using Solver = LeastSquaresSolver;

constexpr Solver every_solver[] = {Solver::cholesky, Solver::refined_cholesky, Solver::double_double};
/// Augmented widths around what each kernel takes: 16, 32, 64, 104, 128 and pairs of 128.
constexpr std::int64_t widths[] = {1,   2,   7,   14,  15,  30,  31,  62,  63,  64,
                                   100, 102, 103, 126, 127, 128, 131, 200, 256, 270};

enum class Layout { rows, columns, every_second_row, between_vectors, backwards };
constexpr Layout every_layout[] = {Layout::rows, Layout::columns, Layout::every_second_row, Layout::between_vectors,
                                   Layout::backwards};

/// A matrix in memory of some layout on a device.
template <typename T>
class Laid {
 public:
  Laid(const Matrix<T>& X, Layout layout, const Device& device) {
    const std::int64_t n = X.rows();
    const std::int64_t d = X.columns();
    std::int64_t first = 0;
    std::int64_t row = d;
    std::int64_t column = 1;
    std::int64_t size = n * d;
    if (layout == Layout::columns) {
      row = 1;
      column = n;
    } else if (layout == Layout::every_second_row) {
      row = 2 * (d + 1);
      size = n * row;
    } else if (layout == Layout::between_vectors) {
      first = 1;
      size = n * d + 1;
    } else if (layout == Layout::backwards) {
      first = (n - 1) * d;
      row = -d;
    }
    Matrix<T> memory(1, size);
    std::fill_n(memory.data(), size, std::numeric_limits<T>::quiet_NaN());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < d; ++j) memory.data()[first + i * row + j * column] = X(i, j);
    memory_ = memory.to(device);
    view_.emplace(memory_.data() + first, n, d, row, column, device);
  }

  [[nodiscard]] const MatrixView<const T>& view() const { return *view_; }

 private:
  Matrix<T> memory_;
  std::optional<MatrixView<const T>> view_;
};

template <typename T>
Matrix<T> integers(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix<T> X(rows, columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) X.data()[i] = static_cast<T>(std::floor(64.0 * uniform(seed, i)));
  return X;
}

template <typename T>
Vector<T> small_weights(std::int64_t size) {
  Vector<T> weights(size);
  for (std::int64_t i = 0; i < size; ++i) weights[i] = static_cast<T>(i % 4);
  return weights;
}

/// Coefficients and intercepts.
template <typename T>
std::vector<double> values_of(const LinearRegression<T>& model) {
  std::vector<double> values(model.coef().data(), model.coef().data() + model.coef().rows() * model.coef().columns());
  values.insert(values.end(), model.intercept().begin(), model.intercept().end());
  return values;
}

template <typename I>
class LinearDevices : public LinearTest<I> {
 protected:
  using Value = typename I::Value;

  [[nodiscard]] LinearRegression<Value> fit_laid(const Matrix<Value>& X, const Matrix<Value>& Y, Layout layout,
                                                 Solver solver, const Vector<Value>* weights) const {
    const Laid<Value> X_there(X, layout, this->device());
    const Laid<Value> Y_there(Y, layout, this->device());
    const Vector<Value> weights_there = weights == nullptr ? Vector<Value>() : weights->to(this->device());
    LinearRegressionFitArguments<Value> arguments;
    if (weights != nullptr) arguments.sample_weight = weights_there.view();
    LinearRegression<Value> model({.solver = solver});
    model.fit(X_there.view(), Y_there.view(), arguments);
    return model;
  }

  /// The same fit on one thread of the CPU.
  [[nodiscard]] static LinearRegression<Value> fit_on_cpu(const Matrix<Value>& X, const Matrix<Value>& Y, Solver solver,
                                                          const Vector<Value>* weights) {
    LinearRegressionFitArguments<Value> arguments;
    if (weights != nullptr) arguments.sample_weight = weights->view();
    LinearRegression<Value> model({.solver = solver});
    model.fit(X.view(), Y.view(), arguments);
    return model;
  }

  void expect_exact(std::int64_t n, std::int64_t d, std::int64_t t, Layout layout, bool weighted, Solver solver) const {
    SCOPED_TRACE(::testing::Message() << n << " x " << d << ", " << t << " targets, layout " << static_cast<int>(layout)
                                      << ", solver " << static_cast<int>(solver) << (weighted ? ", weights" : ""));
    const Matrix<Value> X = integers<Value>(n, d, 1);
    const Matrix<Value> Y = integers<Value>(n, t, 2);
    const Vector<Value> weights = small_weights<Value>(n);
    const Vector<Value>* const given = weighted ? &weights : nullptr;
    EXPECT_EQ(values_of(fit_laid(X, Y, layout, solver, given)), values_of(fit_on_cpu(X, Y, solver, given)));
  }
};
TYPED_TEST_SUITE(LinearDevices, DeviceTypes, DeviceTypeNames);

TYPED_TEST(LinearDevices, SumsOfIntegersAreExactForEveryWidth) {
  for (const std::int64_t d : widths)
    for (const std::int64_t t : {1, 3, 4})
      for (const bool weighted : {false, true}) {
        const std::int64_t n = 4 * d + 37;
        this->expect_exact(n, d, t, Layout::rows, weighted, Solver::cholesky);
        this->expect_exact(n, d, t, Layout::columns, weighted, Solver::cholesky);
        if (d < 200)
          this->expect_exact(n, d, t, weighted ? Layout::columns : Layout::rows, weighted, Solver::double_double);
      }
}

TYPED_TEST(LinearDevices, SumsOfIntegersAreExactForEveryLayout) {
  for (const std::int64_t d : {3, 20, 50, 101, 120, 140})
    for (const Layout layout : every_layout)
      for (const Solver solver : {Solver::cholesky, Solver::double_double})
        this->expect_exact(2 * d + 400, d, 2, layout, d % 2 == 0, solver);
}

TYPED_TEST(LinearDevices, SumsOfIntegersAreExactForEveryNumberOfRows) {
  for (const std::int64_t n : {127, 128, 129, 2047, 2049, 4096, 4097, 8193, 16385, 70000})
    for (const std::int64_t d : {5, 25, 60, 103, 125}) {
      if (n < 4 * d || n * d * d > 150000000) continue;
      this->expect_exact(n, d, 1, n % 2 == 0 ? Layout::columns : Layout::rows, n % 3 == 0, Solver::cholesky);
    }
  this->expect_exact(8192 * 65 + 5, 3, 1, Layout::rows, false, Solver::cholesky);
  this->expect_exact(1024 * 65 + 5, 3, 1, Layout::columns, true, Solver::double_double);
  this->expect_exact(17000, 130, 1, Layout::rows, false, Solver::cholesky);
}

TYPED_TEST(LinearDevices, NeitherTheRunNorTheLayoutShows) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {10, 100, 160})
    for (const Solver solver : every_solver) {
      const std::int64_t n = d == 10 ? 20000 : 5000;
      if (solver == Solver::double_double && d > 10) continue;
      const Matrix<T> X = random_matrix<T>(n, d, 3);
      const Matrix<T> Y = random_matrix<T>(n, 1, 4);
      const Vector<T> weights = small_weights<T>(n);
      const auto values = [&](Layout layout) { return values_of(this->fit_laid(X, Y, layout, solver, &weights)); };
      const std::vector<double> first = values(Layout::rows);
      for (const Layout layout : every_layout) ASSERT_EQ(values(layout), first) << d << ' ' << static_cast<int>(layout);
      const int runs = d == 10 ? 100 : 5;
      for (int run = 1; run < runs; ++run) ASSERT_EQ(values(Layout::rows), first) << d;
    }
}

TYPED_TEST(LinearDevices, PredictionsAreThoseOfTheCpu) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 3, 8, 10, 31, 32, 33, 63, 64, 65, 130, 300})
    for (const std::int64_t t : {1, 3}) {
      const Matrix<T> X = random_matrix<T>(2 * d + 300, d, 5);
      const Matrix<T> Y = random_matrix<T>(2 * d + 300, t, 6);
      const LinearRegression<T> model = this->fit_on_cpu(X, Y, Solver::cholesky, nullptr);
      const Matrix<T> expected = model.predict_all(X.view());
      for (const Layout layout : every_layout) {
        const Laid<T> there(X, layout, this->device());
        const Matrix<T> found = model.predict_all(there.view()).to(Device::cpu());
        ASSERT_TRUE(std::equal(found.data(), found.data() + found.rows() * t, expected.data()))
            << d << " x " << t << ", layout " << static_cast<int>(layout);
      }
    }
}

TYPED_TEST(LinearDevices, ScoreAndSummaryAreThoseOfTheCpu) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = random_matrix<T>(3000, 6, 7);
  Matrix<T> Y = random_matrix<T>(3000, 1, 8);
  for (std::int64_t i = 0; i < 3000; ++i) Y(i, 0) += X(i, 2);
  const LinearRegression<T> here = this->fit_on_cpu(X, Y, Solver::automatic, nullptr);
  const LinearRegression<T> there = this->fit(X, Y);
  const Matrix<T> X_there = X.to(this->device());
  const Matrix<T> Y_there = Y.to(this->device());
  const VectorView<const T> y_there(Y_there.data(), 3000, this->device());
  EXPECT_NEAR(there.score(X_there.view(), y_there), here.score(X.view(), VectorView<const T>(Y.data(), 3000)), 1e-12);
  EXPECT_NEAR(there.summary().r2, here.summary().r2, 1e-12);
  EXPECT_EQ(there.rank(), here.rank());
}

TYPED_TEST(LinearDevices, WhatIsNotFiniteIsNamed) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {3, 40, 150})
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Matrix<T> X = random_matrix<T>(500, d, 9);
      const Matrix<T> Y = random_matrix<T>(500, 1, 10);
      const LinearRegression<T> model = this->fit_on_cpu(X, Y, Solver::automatic, nullptr);
      X(321, 2) = static_cast<T>(bad);
      const auto message = [&](const auto& call) {
        try {
          call();
        } catch (const InvalidArgument& error) {
          return std::string(error.what());
        }
        return std::string("nothing was thrown");
      };
      EXPECT_THAT(message([&] { (void)this->fit(X, Y); }), HasSubstr("row 321, column 2"));
      const Matrix<T> X_there = X.to(this->device());
      EXPECT_THAT(message([&] { (void)model.predict_all(X_there.view()); }), HasSubstr("row 321, column 2"));
    }
}

TYPED_TEST(LinearDevices, PartsOfAnyDeviceAreThoseOfTheCpu) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = random_matrix<T>(700, 4, 15);
  const Matrix<T> Y = random_matrix<T>(700, 2, 16);
  const Vector<T> weights = small_weights<T>(700);
  LinearRegression<T> here;
  here.partial_fit(X.view(), Y.view(), weights.view()).finish();
  const Matrix<T> X_there = X.to(this->device());
  const Matrix<T> Y_there = Y.to(this->device());
  const Vector<T> weights_there = weights.to(this->device());
  LinearRegression<T> there;
  there.partial_fit(X_there.view(), Y_there.view(), weights_there.view()).finish();
  EXPECT_EQ(values_of(there), values_of(here));
  here.partial_fit(X.view(), Y.view()).finish();
  there.partial_fit(X_there.view(), Y_there.view()).finish();
  EXPECT_EQ(values_of(there), values_of(here));
}

TYPED_TEST(LinearDevices, BadWeightsAreNamed) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = random_matrix<T>(5000, 3, 11);
  const Matrix<T> Y = random_matrix<T>(5000, 1, 12);
  Vector<T> weights = small_weights<T>(5000);
  weights[4000] = T(-1);
  weights[4500] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THAT([&] { (void)this->fit(X, Y, {}, &weights); },
              ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("the weight of row 4000 is -1")));
  for (std::int64_t i = 0; i < 5000; ++i) weights[i] = T{0};
  EXPECT_THAT([&] { (void)this->fit(X, Y, {}, &weights); },
              ::testing::ThrowsMessage<InvalidArgument>(HasSubstr("all 5000 weights are zero")));
}

/// Small enough for compute-sanitizer: each kernel once.
TYPED_TEST(LinearDevices, sanitize_EachKernelOnce) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {3, 20, 50, 100, 110, 140})
    for (const Layout layout : {Layout::rows, Layout::columns}) {
      const Matrix<T> X = integers<T>(2 * d + 7, d, 13);
      const Matrix<T> Y = integers<T>(2 * d + 7, 2, 14);
      const Vector<T> weights = small_weights<T>(2 * d + 7);
      const Vector<T>* const given = layout == Layout::columns ? nullptr : &weights;
      for (const Solver solver : {Solver::refined_cholesky, Solver::double_double}) {
        if (solver == Solver::double_double && d != 20) continue;
        const LinearRegression<T> model = this->fit_laid(X, Y, layout, solver, given);
        EXPECT_EQ(model.rank(), d);
        const Laid<T> there(X, layout, this->device());
        EXPECT_EQ(model.predict_all(there.view()).rows(), X.rows());
      }
    }
}

}  // namespace
}  // namespace tilelearn::testing
