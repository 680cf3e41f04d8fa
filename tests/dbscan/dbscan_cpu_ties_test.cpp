// The quick decision of ties is that of the definition.
#include <cmath>
#include <limits>

#include "dbscan/dbscan_cpu_ties.hpp"
#include "dbscan/dbscan_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

template <typename T>
class DBSCANCpuTies : public ::testing::Test {
 protected:
  static void expect_same_answer(const T* x, const T* y, int d, double eps) {
    for (const dbscan::Norm norm : {dbscan::Norm::euclidean, dbscan::Norm::manhattan, dbscan::Norm::chebyshev}) {
      const dbscan::Ball ball = dbscan::make_ball(norm, d, eps);
      EXPECT_EQ(dbscan::cpu::within_or_tied(x, y, ball), dbscan::within(x, y, ball))
          << "norm " << static_cast<int>(norm) << ", " << x[0] << ' ' << x[1] << ", " << y[0] << ' ' << y[1] << ", eps "
          << eps;
    }
  }
};

TYPED_TEST_SUITE(DBSCANCpuTies, ValueTypes, ValueTypeNames);

TYPED_TEST(DBSCANCpuTies, OnALattice) {
  for (std::int64_t i = 0; i < 3000; ++i) {
    TypeParam values[4];
    for (std::int64_t j = 0; j < 4; ++j) values[j] = static_cast<TypeParam>(std::floor(9.0 * uniform(1, 4 * i + j)));
    for (const double eps : {1.0, 2.0, 5.0, 2.5, 0.1}) this->expect_same_answer(values, values + 2, 2, eps);
  }
}

TYPED_TEST(DBSCANCpuTies, AUnitInTheLastPlaceBesideATie) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (const double offset : {0.0, 1.0, 1e3, 1e6})
    for (const T eps : {T{5}, T{0.5F}, T{0.1F}}) {
      const T x[] = {static_cast<T>(offset), static_cast<T>(-offset)};
      const T exact[] = {static_cast<T>(offset + 0.6 * double{eps}), static_cast<T>(-offset + 0.8 * double{eps})};
      for (const T a : {std::nextafter(exact[0], -infinity), exact[0], std::nextafter(exact[0], infinity)})
        for (const T b : {std::nextafter(exact[1], -infinity), exact[1], std::nextafter(exact[1], infinity)}) {
          const T y[] = {a, b};
          this->expect_same_answer(x, y, 2, double{eps});
          this->expect_same_answer(y, x, 2, double{eps});
        }
    }
}

TYPED_TEST(DBSCANCpuTies, WhatRoundingHides) {
  using T = TypeParam;
  // The difference rounds to eps; so does a sum beside whose larger part the smaller vanishes.
  const T tiny = std::numeric_limits<T>::min();
  const T one[] = {T{1}, T{0}};
  for (const T small : {tiny, -tiny, T{0}}) {
    const T across[] = {small, T{0}};
    this->expect_same_answer(one, across, 2, 1.0);
    const T along[] = {T{0}, small};
    this->expect_same_answer(one, along, 2, 1.0);
  }
}

TYPED_TEST(DBSCANCpuTies, NearTheEndsOfTheRange) {
  using T = TypeParam;
  for (const T size : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                       std::numeric_limits<T>::denorm_min(), std::sqrt(std::numeric_limits<T>::min())}) {
    const T zero[] = {T{0}, T{0}};
    const T x[] = {size, T{0}};
    const T y[] = {-size, size};
    for (const double eps : {double{size}, 0.5 * double{size}, 1.0}) {
      if (!(static_cast<T>(eps) > T{0})) continue;
      this->expect_same_answer(x, zero, 2, double{static_cast<T>(eps)});
      this->expect_same_answer(x, y, 2, double{static_cast<T>(eps)});
    }
  }
}

}  // namespace
}  // namespace tilelearn::testing
