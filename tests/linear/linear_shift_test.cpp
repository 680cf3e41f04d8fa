// A first row that is no good shift, because it is far from the others or weighs next to nothing: rank and digits stay.
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/linear_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class LinearShift : public LinearTest<I> {};
TYPED_TEST_SUITE(LinearShift, DeviceTypes, DeviceTypeNames);

/// Columns a, 3 a and b of `bits` bits, so that the dependency is exact; the first row at `far`.
template <typename T>
struct FarFirstRow {
  Matrix<T> X;
  Matrix<T> y;

  FarFirstRow(std::int64_t n, int bits, T far) : X(n, 3), y(n, 1) {
    const auto value = [&](std::uint64_t seed, std::int64_t i) {
      return static_cast<T>(std::ldexp(std::floor(std::ldexp(uniform(seed, i), bits)), -bits));
    };
    for (std::int64_t i = 0; i < n; ++i) {
      const T a = i == 0 ? far : value(1, i);
      X(i, 0) = a;
      X(i, 1) = T{3} * a;
      X(i, 2) = value(2, i);
      y(i, 0) = a + X(i, 2) + value(3, i);
    }
  }
};

template <typename T>
constexpr int value_bits = sizeof(T) == sizeof(float) ? 20 : 40;

/// a = 1 and 3 a = 3 share the coefficient of a as 1 : 3, whatever it is: least norm.
template <typename T>
void expect_shared(const LinearRegression<T>& model) {
  EXPECT_EQ(model.rank(), 2);
  const double whole = model.coef()(0, 0) + 3.0 * model.coef()(0, 1);
  // y = a + ..., and the row far away fixes the slope to within the spread of the others over its distance
  EXPECT_NEAR(whole, 1.0, 0.01);
  EXPECT_NEAR(model.coef()(0, 0), whole / 10.0, 1e-14);
  EXPECT_NEAR(model.coef()(0, 1), whole * 0.3, 1e-14);
}

TYPED_TEST(LinearShift, AFirstRowFarFromManyOthersDoesNotHideADependency) {
  using T = typename TypeParam::Value;
  for (const double far : {0x1p10, 0x1p20, 0x1p40})
    for (const std::int64_t n : {200, 30000}) {
      SCOPED_TRACE(::testing::Message() << far << ", " << n);
      const FarFirstRow<T> rows(n, value_bits<T>, static_cast<T>(far));
      for (const auto solver : {LeastSquaresSolver::automatic, LeastSquaresSolver::double_double})
        expect_shared(this->fit(rows.X, rows.y, {.solver = solver}));
    }
}

TYPED_TEST(LinearShift, NorDoesItWhereRowsAreReadOnce) {
  using T = typename TypeParam::Value;
  const FarFirstRow<T> rows(30000, value_bits<T>, static_cast<T>(0x1p20));
  LinearRegression<T> model;
  model.partial_fit(rows.X.view(), rows.y.view()).finish();
  expect_shared(model);
}

TYPED_TEST(LinearShift, AFirstTargetFarFromTheOthersCostsNoDigits) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 50000;
  const Matrix<T> X = random_matrix<T>(n, 9, 1);
  Matrix<T> y = random_matrix<T>(n, 1, 2);
  y(0, 0) = static_cast<T>(0x1p40);
  const LinearRegression<T> found = this->fit(X, y);
  EXPECT_NE(found.solver_used(), LeastSquaresSolver::double_double);
  const LinearRegression<T> exact = this->fit(X, y, {.solver = LeastSquaresSolver::double_double});
  double size = 0.0;
  for (std::int64_t j = 0; j < 9; ++j) size = std::hypot(size, exact.coef()(0, j));
  // 16 eps kappa, kappa below 2
  for (std::int64_t j = 0; j < 9; ++j) EXPECT_NEAR(found.coef()(0, j), exact.coef()(0, j), 32 * 0x1p-52 * size) << j;
}

/// Three light rows and a heavy one, which the plane goes through: slope and intercept follow from the light rows'
/// differences from it.
template <typename T>
std::pair<double, double> limit_of_weight(const std::vector<T>& x, const std::vector<T>& y, std::size_t heavy) {
  long double products = 0.0L;
  long double squares = 0.0L;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double dx = static_cast<long double>(x[i]) - static_cast<long double>(x[heavy]);
    products += dx * (static_cast<long double>(y[i]) - static_cast<long double>(y[heavy]));
    squares += dx * dx;
  }
  const long double slope = products / squares;
  return {static_cast<double>(slope),
          static_cast<double>(static_cast<long double>(y[heavy]) - slope * static_cast<long double>(x[heavy]))};
}

TYPED_TEST(LinearShift, ARowThatOutweighsTheOthersMayStandAnywhere) {
  using T = typename TypeParam::Value;
  const std::vector<T> x{static_cast<T>(0.1), static_cast<T>(1.1), static_cast<T>(2.3), static_cast<T>(3.7)};
  const std::vector<T> y{1, 3, 5, static_cast<T>(8.5)};
  // the weighted fit is off its limit by 1 / weight, which float64 does not show
  const std::vector<double> most = sizeof(T) == sizeof(float) ? std::vector<double>{1e20, 1e30}
                                                              : std::vector<double>{1e20, 1e30, 1e60, 1e150, 1e300};
  for (std::size_t heavy = 0; heavy < 4; ++heavy)
    for (const double weight : most)
      for (const auto solver : {LeastSquaresSolver::automatic, LeastSquaresSolver::cholesky}) {
        SCOPED_TRACE(::testing::Message() << "row " << heavy << ", " << weight);
        Matrix<T> X(4, 1);
        Matrix<T> Y(4, 1);
        Vector<T> weights(4);
        for (std::int64_t i = 0; i < 4; ++i) {
          X(i, 0) = x[static_cast<std::size_t>(i)];
          Y(i, 0) = y[static_cast<std::size_t>(i)];
          weights[i] = static_cast<std::size_t>(i) == heavy ? static_cast<T>(weight) : T{1};
        }
        const LinearRegression<T> model = this->fit(X, Y, {.solver = solver}, &weights);
        const auto [slope, intercept] = limit_of_weight(x, y, heavy);
        EXPECT_NEAR(model.coef()(0, 0), slope, 16 * 0x1p-52 * slope);
        EXPECT_NEAR(model.intercept().front(), intercept, 16 * 0x1p-52 * 8.5);
      }
}

}  // namespace
}  // namespace tilelearn::testing
