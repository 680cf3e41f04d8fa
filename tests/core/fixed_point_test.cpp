// Fixed-point sums: words of stated size, errors of stated size, the same bits in any order.
#include "core/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "support/generators.hpp"

namespace tilelearn::fixed_point {
namespace {

Words words(double y, double factor) {
  const double high = std::rint(y * factor);
  return {static_cast<std::int64_t>(high), static_cast<std::int64_t>(std::rint((y * factor - high) * low_factor))};
}

TEST(FixedPoint, PowersOfTwoAreExact) {
  for (const int exponent : {-1022, -900, -30, -1, 0, 1, 29, 900, 1022})
    EXPECT_EQ(power_of_two(exponent), std::ldexp(1.0, exponent)) << exponent;
}

TEST(FixedPoint, FactorsAreFiniteForEveryDouble) {
  for (const int exponent : {-1074, -1022, -901, -900, 0, 900, 1023}) {
    const double factor = grid_factor(grid_exponent(exponent));
    EXPECT_TRUE(std::isfinite(factor) && factor > 0.0) << exponent;
  }
  EXPECT_EQ(grid_factor(0), 536870912.0);
}

TEST(FixedPoint, WordsKeepToTheirSizes) {
  for (const int exponent : {-800, -3, 0, 7, 800}) {
    const double factor = grid_factor(exponent);
    const double largest = std::nextafter(std::ldexp(1.0, exponent + 1), 0.0);  // ilogb is the exponent
    for (int i = 0; i < 1000; ++i) {
      const double y = i == 0 ? largest : i == 1 ? -largest : largest * (2 * testing::uniform(31, i) - 1);
      const Words w = words(y, factor);
      EXPECT_LE(std::abs(w.high), std::int64_t{1} << 30);
      EXPECT_LE(std::abs(w.low), std::int64_t{1} << 29);
      EXPECT_LE(std::fabs(value(w, factor) - y), std::ldexp(1.0, exponent - 59)) << "wide";
      EXPECT_LE(std::fabs(value({w.high, 0}, factor) - y), std::ldexp(1.0, exponent - 30)) << "narrow";
    }
  }
}

TEST(FixedPoint, ValuesOnTheGridAreExact) {
  const double factor = grid_factor(3);
  for (const double y : {0.0, 1.0, -15.75, 8.0 + 1.0 / 1024, -0.001953125})
    EXPECT_EQ(value(words(y, factor), factor), y);
}

TEST(FixedPoint, SumsAreTheSameInAnyOrderAndNearTheTruth) {
  constexpr int count = 10000;
  const double factor = grid_factor(0);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(2 * testing::uniform(32, i) - 1);
  const auto sum = [&] {
    Words total{0, 0};
    for (const double y : values) {
      const Words w = words(y, factor);
      total.high += w.high;
      total.low += w.low;
    }
    return value(total, factor);
  };
  long double truth = 0;
  for (const double y : values) truth += y;
  const double forwards = sum();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(sum(), forwards);
  // each value is within 2^-60, the conversion of the total within half an ulp of a number below 2^7
  EXPECT_NEAR(forwards, static_cast<double>(truth), count * std::ldexp(1.0, -60) + std::ldexp(1.0, -46));
}

}  // namespace
}  // namespace tilelearn::fixed_point
