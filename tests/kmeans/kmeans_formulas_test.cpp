// The integer formulas that decide which rows k-means starts from, against wide integers and definitions.
#include "kmeans/kmeans_formulas.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/philox.hpp"

namespace tilelearn::kmeans {
namespace {

__extension__ using Wide = unsigned __int128;

TEST(KMeansFormulas, MulhiIsTheUpperHalfOfTheProduct) {
  const auto expect = [](std::uint64_t a, std::uint64_t b) {
    EXPECT_EQ(mulhi(a, b), static_cast<std::uint64_t>((Wide{a} * b) >> 64)) << a << " * " << b;
  };
  constexpr std::uint64_t edges[] = {0, 1, 2, 0xFFFFFFFF, 0x100000000, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF};
  for (const std::uint64_t a : edges)
    for (const std::uint64_t b : edges) expect(a, b);
  for (std::uint64_t i = 0; i < 10000; ++i) expect(philox::bits(1, 0, i), philox::bits(2, 0, i));
}

TEST(KMeansFormulas, TrialsAreTwoAndTheLogarithmRoundedDown) {
  const auto expect = [](std::int32_t k) {
    EXPECT_EQ(trials(k), 2 + static_cast<int>(std::floor(std::log(static_cast<long double>(k))))) << k;
  };
  for (std::int32_t k = 1; k < 100000; ++k) expect(k);
  for (int power = 12; power < 22; ++power)  // on both sides of every e^m, where a rounding would show
    for (int step = -1; step <= 1; ++step)
      if (const double k = std::floor(std::exp(static_cast<double>(power))) + step; k < 2147483647.0)
        expect(static_cast<std::int32_t>(k));
  expect(2147483647);
}

TEST(KMeansFormulas, BitLengthCountsBits) {
  EXPECT_EQ(bit_length(0), 0);
  EXPECT_EQ(bit_length(1), 1);
  EXPECT_EQ(bit_length(255), 8);
  EXPECT_EQ(bit_length(256), 9);
  EXPECT_EQ(bit_length(0xFFFFFFFFFFFFFFFF), 64);
}

/// n rows of the largest possible mass, below 2^(ilogb + 1), add up to at most 2^62 and to more than 2^59.
TEST(KMeansFormulas, TotalsOfMassesFit) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{1000}, std::int64_t{1} << 31})
    for (const int exponent : {-800, -1, 0, 1, 60, 800}) {
      const int e = mass_exponent(n, exponent);
      const long double total = std::ldexp(static_cast<long double>(n), exponent + 1 + e);
      EXPECT_LE(total, std::ldexp(1.0L, 62)) << n << ", " << exponent;
      EXPECT_GT(total, std::ldexp(1.0L, 59)) << n << ", " << exponent;
    }
}

TEST(KMeansFormulas, ExponentsAreClamped) {
  EXPECT_EQ(mass_exponent(1, -1074), max_mass_exponent);
  EXPECT_EQ(mass_exponent(1, 2000), -max_mass_exponent);
  EXPECT_EQ(clamp_mass_exponent(17), 17);
}

/// A total S of floors stands for a true total below S + n.
TEST(KMeansFormulas, ShiftedTotalsFitAndGrow) {
  for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{12345}, small_total - 1})
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 31}) {
      const int shift = mass_shift(total, n);
      const long double bound = std::ldexp(static_cast<long double>(total) + static_cast<long double>(n), shift);
      EXPECT_LE(bound, std::ldexp(1.0L, 62));
      EXPECT_GT(shift, 0);
    }
}

TEST(KMeansFormulas, JoiningHasTheStatedProbability) {
  EXPECT_FALSE(joins(0, 100, 0, 8)) << "a row of no mass never joins";
  EXPECT_TRUE(joins(0xFFFFFFFFFFFFFFFF, 100, 13, 8)) << "13 * 8 > 100: always";
  EXPECT_TRUE(joins(0, 100, 12, 8));
  EXPECT_FALSE(joins(0xFFFFFFFFFFFFFFFF, 100, 12, 8));
  constexpr std::uint64_t total = std::uint64_t{1} << 61;
  constexpr int draws = 20000;
  int joined = 0;
  for (std::uint64_t i = 0; i < draws; ++i) joined += joins(philox::bits(3, 0, i), total, total / 40, 10) ? 1 : 0;
  const double expected = draws * 0.25;
  EXPECT_NEAR(joined, expected, 5 * std::sqrt(expected * 0.75)) << "five standard deviations";
}

TEST(KMeansFormulas, JoiningNeverOverflows) {
  constexpr std::uint64_t total = std::uint64_t{1} << 62;
  constexpr std::uint64_t oversampling = 2 * std::uint64_t{2147483647};
  EXPECT_TRUE(joins(0xFFFFFFFFFFFFFFFF, total, total, oversampling));
  EXPECT_TRUE(joins(0, total, total / oversampling, oversampling));
}

/// Squares of scaled values, and sums of 2^40 of them, stay inside float64.
TEST(KMeansFormulas, DataScalesKeepSquaresInside) {
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const int scaled = exponent + data_scale_exponent(exponent);
    EXPECT_LE(std::abs(scaled), 400) << exponent;
    if (std::abs(exponent) <= 400) {
      EXPECT_EQ(data_scale_exponent(exponent), 0) << exponent;
    }
  }
}

TEST(KMeansFormulas, NarrowSumsAreForColumnsThatTheyResolve) {
  EXPECT_TRUE(narrow_enough(3.0, 0.0, 1.0)) << "centred data";
  EXPECT_TRUE(narrow_enough(64.0, 1.0, 0.0)) << "far from zero, all of one size";
  EXPECT_FALSE(narrow_enough(1e6, 0.0, 1.0)) << "an outlier";
  EXPECT_TRUE(narrow_enough(0.0, 0.0, 0.0));
}

TEST(KMeansFormulas, EveryPurposeOfEveryStartHasItsStream) {
  std::set<std::uint64_t> streams;
  for (std::int32_t start = 0; start < 10; ++start)
    for (const Draw draw :
         {Draw::first, Draw::plus_plus, Draw::parallel, Draw::recluster_first, Draw::recluster, Draw::random})
      streams.insert(stream(start, draw));
  EXPECT_EQ(streams.size(), 60U);
}

}  // namespace
}  // namespace tilelearn::kmeans
