// Within eps: the float64 decision against exact ones, on pairs of every scale and within a few ulp of eps.
#include <cmath>
#include <limits>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using dbscan::Ball;
using dbscan::make_ball;
using dbscan::Norm;

template <typename T>
class DBSCANWithin : public ::testing::Test {};
TYPED_TEST_SUITE(DBSCANWithin, ValueTypes, ValueTypeNames);

DBSCANMetric metric_of(Norm norm) {
  return norm == Norm::euclidean   ? DBSCANMetric::euclidean
         : norm == Norm::manhattan ? DBSCANMetric::manhattan
                                   : DBSCANMetric::chebyshev;
}

constexpr Norm every_ball[] = {Norm::euclidean, Norm::manhattan, Norm::chebyshev};

/// The distance of two rows in extended precision.
template <typename T>
long double distance(const std::vector<T>& x, const std::vector<T>& y, Norm norm) {
  long double result = 0.0L;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const long double t = std::fabs(static_cast<long double>(x[j]) - static_cast<long double>(y[j]));
    result = norm == Norm::chebyshev ? std::max(result, t) : result + (norm == Norm::manhattan ? t : t * t);
  }
  return norm == Norm::euclidean ? std::sqrt(result) : result;
}

/// eps and d, decided as the backends do and as the twin does.
template <typename T>
void expect_agreement(const std::vector<T>& x, const std::vector<T>& y, T eps, Norm norm) {
  const int d = static_cast<int>(x.size());
  const Ball ball = make_ball(norm, d, double{eps});
  const DBSCANOptions options{.eps = double{eps}, .metric = metric_of(norm)};
  const reference::Points a(MatrixView<const T>(x.data(), 1, d), options);
  const reference::Points b(MatrixView<const T>(y.data(), 1, d), options);
  const bool decided = dbscan::within(x.data(), y.data(), ball);
  ASSERT_EQ(decided, dbscan::within(y.data(), x.data(), ball));
  ASSERT_EQ(decided, a.within(0, b, 0)) << "norm " << static_cast<int>(norm) << ", " << d << " columns, eps " << eps;
  if (norm != Norm::chebyshev) {
    ASSERT_EQ(decided, dbscan::exactly_within(x.data(), y.data(), ball));
  }
}

TYPED_TEST(DBSCANWithin, AgreesWithExactDecisionsAFewUlpFromEps) {
  using T = TypeParam;
  const int range = sizeof(T) == sizeof(float) ? 110 : 1000;
  int inside = 0;
  int tested = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t base = round * 1000;
    const auto d = static_cast<std::size_t>(1 + static_cast<int>(uniform(1, base) * 40.0));
    const double scale = std::ldexp(1.0, static_cast<int>((2.0 * uniform(2, base) - 1.0) * range));
    const double offset = round % 3 == 0 ? 0.0 : round % 3 == 1 ? 1.0 : 1000.0;
    std::vector<T> x(d);
    std::vector<T> y(d);
    for (std::size_t j = 0; j < d; ++j) {
      const auto number = base + static_cast<std::int64_t>(j);
      x[j] = static_cast<T>(scale * (offset + uniform(3, number)));
      y[j] = static_cast<T>(scale * (offset + uniform(4, number)));
    }
    for (const Norm norm : every_ball) {
      T eps = static_cast<T>(distance(x, y, norm));
      for (int step = 0; step < 3; ++step) eps = std::nextafter(eps, T{0});
      for (int step = -3; step <= 3; ++step) {
        if (eps > T{0} && std::isfinite(eps)) {
          expect_agreement(x, y, eps, norm);
          if (this->HasFatalFailure()) return;
          inside += dbscan::within(x.data(), y.data(), make_ball(norm, static_cast<int>(d), double{eps})) ? 1 : 0;
          ++tested;
        }
        eps = std::nextafter(eps, std::numeric_limits<T>::infinity());
      }
    }
  }
  // the pairs lie on both sides
  EXPECT_GT(inside, tested / 3);
  EXPECT_LT(inside, tested * 2 / 3);
}

TYPED_TEST(DBSCANWithin, AgreesWithIntegers) {
  using T = TypeParam;
  for (int round = 0; round < 20000; ++round) {
    const std::int64_t base = round * 100;
    const auto d = static_cast<std::size_t>(1 + static_cast<int>(uniform(5, base) * 6.0));
    const std::int64_t spread = round % 2 == 0 ? 8 : 4000;
    std::vector<T> x(d);
    std::vector<T> y(d);
    std::int64_t squares = 0;
    std::int64_t sum = 0;
    std::int64_t largest = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const auto number = base + static_cast<std::int64_t>(j);
      x[j] = static_cast<T>(std::floor(uniform(6, number) * static_cast<double>(spread)));
      y[j] = static_cast<T>(std::floor(uniform(7, number) * static_cast<double>(spread)));
      const auto t = std::abs(static_cast<std::int64_t>(x[j]) - static_cast<std::int64_t>(y[j]));
      squares += t * t;
      sum += t;
      largest = std::max(largest, t);
    }
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(squares)));
    for (std::int64_t eps = std::max<std::int64_t>(1, root - 1); eps <= root + 1; ++eps)
      ASSERT_EQ(dbscan::within(x.data(), y.data(), make_ball(Norm::euclidean, static_cast<int>(d), double(eps))),
                squares <= eps * eps);
    for (std::int64_t eps = std::max<std::int64_t>(1, sum - 1); eps <= sum + 1; ++eps)
      ASSERT_EQ(dbscan::within(x.data(), y.data(), make_ball(Norm::manhattan, static_cast<int>(d), double(eps))),
                sum <= eps);
    for (std::int64_t eps = std::max<std::int64_t>(1, largest - 1); eps <= largest + 1; ++eps)
      ASSERT_EQ(dbscan::within(x.data(), y.data(), make_ball(Norm::chebyshev, static_cast<int>(d), double(eps))),
                largest <= eps);
  }
}

TYPED_TEST(DBSCANWithin, DifferencesThatRoundToEps) {
  // exact differences 1 - tiny and 1 + tiny, both of which float64 rounds to 1
  const TypeParam tiny = sizeof(TypeParam) == sizeof(float) ? TypeParam(0x1p-80) : TypeParam(0x1p-300);
  for (const Norm norm : every_ball)
    for (const TypeParam direction : {TypeParam(1), TypeParam(-1)}) {
      const Ball ball = make_ball(norm, 1, 1.0);
      const TypeParam x = direction;
      const TypeParam nearer = direction * tiny;
      const TypeParam farther = -direction * tiny;
      const TypeParam zero = 0;
      EXPECT_TRUE(dbscan::within(&x, &zero, ball));
      EXPECT_TRUE(dbscan::within(&x, &nearer, ball));
      EXPECT_TRUE(dbscan::within(&nearer, &x, ball));
      EXPECT_FALSE(dbscan::within(&x, &farther, ball));
      EXPECT_FALSE(dbscan::within(&farther, &x, ball));
    }
}

TYPED_TEST(DBSCANWithin, ExtremesOfTheRange) {
  using T = TypeParam;
  const T largest = std::numeric_limits<T>::max();
  const T least = std::numeric_limits<T>::denorm_min();
  const T before_largest = std::nextafter(largest, T{0});
  const auto within = [](T x, T y, T eps, Norm norm) {
    return dbscan::within(&x, &y, make_ball(norm, 1, double{eps}));
  };
  for (const Norm norm : every_ball) {
    EXPECT_TRUE(within(largest, T{0}, largest, norm));
    EXPECT_FALSE(within(largest, T{0}, before_largest, norm));
    EXPECT_FALSE(within(largest, -largest, largest, norm));
    EXPECT_FALSE(within(largest, -least, largest, norm));
    EXPECT_TRUE(within(largest, least, largest, norm));
    EXPECT_TRUE(within(least, T{0}, least, norm));
    EXPECT_FALSE(within(least, -least, least, norm));
    EXPECT_FALSE(within(largest, T{0}, least, norm));
    EXPECT_TRUE(within(largest, largest, least, norm));
    EXPECT_TRUE(within(least, T{0}, largest, norm));
  }
}

TEST(DBSCANWithinDouble, ManhattanSumsThatOnlyRoundingTakesBeyondTheLargestDouble) {
  // 2^1024 - 2^971 - 2^969 + ..., less than the largest double, but its additions in float64 round up to infinity
  const double x[] = {0x1p1023 - 0x1p970, 0x1p969, 0x1p970 + 0x1p918, 0x1p1023 - 0x1p971 - 0x1p970};
  const double zeros[4] = {};
  ASSERT_TRUE(std::isinf(x[0] + x[1] + x[2] + x[3]));
  const Ball ball = make_ball(Norm::manhattan, 4, std::numeric_limits<double>::max());
  EXPECT_TRUE(dbscan::exactly_within(x, zeros, ball));
  EXPECT_TRUE(dbscan::within(x, zeros, ball));
  const double far[] = {0x1p1023, 0x1p1023, 0x1p1023, 0x1p1023};
  EXPECT_FALSE(dbscan::within(far, zeros, ball));
}

}  // namespace
}  // namespace tilelearn::testing
