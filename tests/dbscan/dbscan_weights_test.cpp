// Sums of weights are exact on their grid, whatever their order, and min_samples is met to the last bit of it.
#include <cmath>
#include <limits>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using fixed_point::Words;

__extension__ using Integer = __int128;

Integer integer_of(const Words& words) { return (Integer{words.high} << fixed_point::high_bits) + words.low; }

Words words_of(double weight, int exponent) {
  return dbscan::weight_words(weight, fixed_point::grid_factor(fixed_point::grid_exponent(exponent)));
}

TEST(DBSCANWeights, WordsAreWithinTheirGrid) {
  for (std::int64_t i = 0; i < 10000; ++i) {
    const int exponent = static_cast<int>(2000.0 * (uniform(1, i) - 0.45));  // -900..1100, clamped to what doubles hold
    const int largest = std::min(exponent, 1023);
    const double weight = std::ldexp(2.0 * uniform(2, i) - 1.0, largest + (i % 2 == 0 ? 1 : -20));
    const Words words = words_of(weight, largest);
    // in units of 2^(e - 59)
    const long double exact = std::ldexp(static_cast<long double>(weight), 59 - largest);
    EXPECT_LE(std::fabs(static_cast<long double>(integer_of(words)) - exact), 0.5L) << weight;
    EXPECT_LE(std::abs(words.high), std::int64_t{1} << 30);
    EXPECT_LE(std::abs(words.low), std::int64_t{1} << 29);
  }
}

TEST(DBSCANWeights, NormalisedWordsAreTheSameNumber) {
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Words words{static_cast<std::int64_t>(1e12 * (uniform(3, i) - 0.5)),
                      static_cast<std::int64_t>(1e15 * (uniform(4, i) - 0.5))};
    const Words normal = dbscan::normalised(words);
    EXPECT_EQ(integer_of(normal), integer_of(words));
    EXPECT_GE(normal.low, 0);
    EXPECT_LT(normal.low, std::int64_t{1} << 30);
  }
}

TEST(DBSCANWeights, ThresholdIsTheLeastSumThatReaches) {
  for (int exponent = -2; exponent <= 59; ++exponent)
    for (const std::int64_t min_samples : {1, 2, 3, 5, 10, 1000, 1234567, 2147483647}) {
      // min_samples 2^(59 - e): an integer here, and below 2^93
      const Integer least = Integer{min_samples} << (59 - exponent);
      const Words threshold = dbscan::core_threshold(min_samples, exponent);
      EXPECT_EQ(integer_of(threshold), least);
      for (const int change : {-1, 0, 1}) {
        const Integer sum = least + change;
        const Words words{static_cast<std::int64_t>(sum >> 30), static_cast<std::int64_t>(sum & 0x3FFFFFFF)};
        EXPECT_EQ(dbscan::reaches(words, threshold), change >= 0);
        // the same sum, not yet normalised
        const Words loose{words.high - 5, words.low + 5 * (std::int64_t{1} << 30)};
        EXPECT_EQ(dbscan::reaches(loose, threshold), change >= 0);
      }
    }
}

TEST(DBSCANWeights, ThresholdsBetweenTwoSumsAreRoundedUp) {
  // weights near 2^61: one unit of the grid is 4
  EXPECT_EQ(integer_of(dbscan::core_threshold(1, 61)), 1);
  EXPECT_EQ(integer_of(dbscan::core_threshold(4, 61)), 1);
  EXPECT_EQ(integer_of(dbscan::core_threshold(5, 61)), 2);
  // weights near 1e300: the least positive sum is far above any min_samples
  EXPECT_EQ(integer_of(dbscan::core_threshold(std::numeric_limits<std::int64_t>::max(), 996)), 1);
  EXPECT_FALSE(dbscan::reaches({0, 0}, dbscan::core_threshold(1, 1023)));
}

TEST(DBSCANWeights, TinyWeightsNeverReach) {
  const Words most{std::int64_t{1} << 61, 0};  // 2^31 weights of the largest word
  EXPECT_FALSE(dbscan::reaches(most, dbscan::core_threshold(1, -900)));
  EXPECT_FALSE(dbscan::reaches({0, 0}, dbscan::core_threshold(1, fixed_point::grid_exponent(std::ilogb(0.0)))));
}

}  // namespace
}  // namespace tilelearn::testing
