// Sines, cosines and unit vectors against extended precision, and some of their bits.
#include <cmath>
#include <limits>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

/// |value - exact| in units in the last place of the double that holds exact.
double ulp_error(double value, long double exact) {
  const auto size = std::max(std::fabs(static_cast<double>(exact)), std::numeric_limits<double>::min());
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / static_cast<long double>(ulp));
}

TEST(DBSCANUnitVectors, SinesAndCosinesAreWithinTwoUlp) {
  double worst = 0.0;
  const auto check = [&worst](double x) {
    const dbscan::SineCosine found = dbscan::sine_cosine(x);
    worst = std::max(worst, ulp_error(found.sine, std::sin(static_cast<long double>(x))));
    worst = std::max(worst, ulp_error(found.cosine, std::cos(static_cast<long double>(x))));
  };
  for (std::int64_t i = 0; i < 200000; ++i) check(7.0 * (2.0 * uniform(1, i) - 1.0));
  for (int e = 0; e < 300; ++e) check(std::ldexp(0.75, -e));
  // around the multiples of pi / 4, where one of the two vanishes or the reduction changes
  for (int quarter = -8; quarter <= 8; ++quarter) {
    const double middle = static_cast<double>(quarter * 0.25L * 3.14159265358979323846L);
    double x = middle;
    for (int step = 0; step < 20; ++step, x = std::nextafter(x, 10.0)) check(x);
    x = middle;
    for (int step = 0; step < 20; ++step, x = std::nextafter(x, -10.0)) check(x);
  }
  EXPECT_LE(worst, 2.0);
}

TEST(DBSCANUnitVectors, SinesAndCosinesAreOddAndEven) {
  EXPECT_EQ(dbscan::sine_cosine(0.0).sine, 0.0);
  EXPECT_EQ(dbscan::sine_cosine(0.0).cosine, 1.0);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const double x = 7.0 * uniform(2, i);
    EXPECT_EQ(dbscan::sine_cosine(-x).sine, -dbscan::sine_cosine(x).sine);
    EXPECT_EQ(dbscan::sine_cosine(-x).cosine, dbscan::sine_cosine(x).cosine);
  }
}

TEST(DBSCANUnitVectors, AnglesGiveUnitVectors) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    const double latitude = 3.1 * (uniform(3, i) - 0.5);
    const double longitude = 12.5 * (uniform(4, i) - 0.5);
    double u[3];
    dbscan::unit_vector_of_angles(latitude, longitude, u);
    const auto north = static_cast<long double>(latitude);
    const auto east = static_cast<long double>(longitude);
    // two factors within two ulp each and their product
    EXPECT_LE(ulp_error(u[0], std::cos(north) * std::cos(east)), 5.0);
    EXPECT_LE(ulp_error(u[1], std::cos(north) * std::sin(east)), 5.0);
    EXPECT_LE(ulp_error(u[2], std::sin(north)), 2.0);
  }
}

template <typename T>
class DBSCANUnitVectorsOf : public ::testing::Test {};
TYPED_TEST_SUITE(DBSCANUnitVectorsOf, ValueTypes, ValueTypeNames);

TYPED_TEST(DBSCANUnitVectorsOf, RowsOfEveryScaleAgreeWithExtendedPrecision) {
  using T = TypeParam;
  const int range = sizeof(T) == sizeof(float) ? 120 : 1000;
  for (std::int64_t round = 0; round < 500; ++round) {
    const int d = 1 + static_cast<int>(uniform(5, round) * 60.0);
    const int scale = static_cast<int>((2.0 * uniform(6, round) - 1.0) * range);
    std::vector<T> x(static_cast<std::size_t>(d));
    long double square = 0.0L;
    for (int j = 0; j < d; ++j) {
      T& value = x[static_cast<std::size_t>(j)];
      value = static_cast<T>(std::ldexp(normal(7, round * 100 + j), scale));
      square += static_cast<long double>(value) * static_cast<long double>(value);
    }
    std::vector<double> u(static_cast<std::size_t>(d));
    ASSERT_TRUE(dbscan::unit_vector(x.data(), d, u.data()));
    // d roundings of half an ulp in the sum, halved by the root; then the root and the quotient
    for (std::size_t j = 0; j < u.size(); ++j)
      EXPECT_LE(ulp_error(u[j], static_cast<long double>(x[j]) / std::sqrt(square)), 0.5 * d + 2.0);
  }
}

TYPED_TEST(DBSCANUnitVectorsOf, PowersOfTwoChangeNoBit) {
  using T = TypeParam;
  const std::vector<T> x{T(0.3), T(-1.7), T(2.9)};
  double expected[3];
  ASSERT_TRUE(dbscan::unit_vector(x.data(), 3, expected));
  const int range = sizeof(T) == sizeof(float) ? 120 : 1020;
  for (int exponent = -range; exponent <= range; ++exponent) {
    std::vector<T> scaled;
    for (const T value : x) scaled.push_back(std::ldexp(value, exponent));
    double u[3];
    ASSERT_TRUE(dbscan::unit_vector(scaled.data(), 3, u));
    for (int j = 0; j < 3; ++j) ASSERT_EQ(u[j], expected[j]) << "exponent " << exponent;
  }
}

TYPED_TEST(DBSCANUnitVectorsOf, TheExtremesOfTheRange) {
  using T = TypeParam;
  double u[2];
  const T least[] = {std::numeric_limits<T>::denorm_min(), 0};
  ASSERT_TRUE(dbscan::unit_vector(least, 2, u));
  EXPECT_EQ(u[0], 1.0);
  EXPECT_EQ(u[1], 0.0);
  const T largest[] = {std::numeric_limits<T>::max(), -std::numeric_limits<T>::max()};
  ASSERT_TRUE(dbscan::unit_vector(largest, 2, u));
  EXPECT_EQ(u[0], -u[1]);
  EXPECT_LE(ulp_error(u[0], std::sqrt(0.5L)), 2.0);
  const T zeros[] = {0, T(-0.0)};
  EXPECT_FALSE(dbscan::unit_vector(zeros, 2, u));
}

TEST(DBSCANUnitVectors, TheseAreTheBits) {
  // what every device and compiler gives, from unit_vector_bits.py; another rounding anywhere would show
  const double angles[] = {0.5, 1.0, 2.5, -6.2};
  const double sines[] = {0x1.eaee8744b05f0p-2, 0x1.aed548f090ceep-1, 0x1.326af0dcfcab0p-1, 0x1.54558dbbecd1ep-4};
  const double cosines[] = {0x1.c1528065b7d50p-1, 0x1.14a280fb5068cp-1, -0x1.9a2f7ef858b7dp-1, 0x1.fe3ac4079a9cep-1};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(dbscan::sine_cosine(angles[i]).sine, sines[i]);
    EXPECT_EQ(dbscan::sine_cosine(angles[i]).cosine, cosines[i]);
  }
  const double x[] = {0.1, -0.7, 1e-3, 3.0, 1e5};
  double u[5];
  ASSERT_TRUE(dbscan::unit_vector(x, 5, u));
  const double expected[] = {0x1.0c6f7a093b359p-20, -0x1.d5c31590279dap-18, 0x1.5798ee204bc9ap-27,
                             0x1.f75104d14f046p-16, 0x1.fffffffbeb76bp-1};
  for (int j = 0; j < 5; ++j) EXPECT_EQ(u[j], expected[j]);
  EXPECT_EQ(dbscan::cosine_chord(0.1), 0x1.c9f25c5bfedd9p-2);
  EXPECT_EQ(dbscan::haversine_chord(0.1), 0x1.996dea2ff643cp-4);
}

TEST(DBSCANUnitVectors, ChordsOfHaversine) {
  for (const double eps : {1e-300, 1e-12, 0.1, 1.0, 2.0, 3.0, 3.14})
    EXPECT_LE(ulp_error(dbscan::haversine_chord(eps), 2.0L * std::sin(0.5L * static_cast<long double>(eps))), 2.0);
  // half the circumference and more reach everything
  for (const double eps : {3.14159265358979323846, 4.0, 1e300}) EXPECT_GT(dbscan::haversine_chord(eps), 2.0 + 1e-15);
}

}  // namespace
}  // namespace tilelearn::testing
