// Sums of weights are exact, whatever their order, and are min_samples or more once rounded to T.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dbscan/dbscan_reference.hpp"
#include "dbscan/dbscan_test.hpp"
#include "dbscan/dbscan_weights.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using fixed_point::Words;

__extension__ using Integer = __int128;

constexpr int point = 59;  // a sum of words is in units of 2^(exponent - 59)

Integer integer_of(const Words& words) { return (Integer{words.high} << fixed_point::high_bits) + words.low; }

Words words_of(Integer value) {
  return {static_cast<std::int64_t>(value >> fixed_point::high_bits),
          static_cast<std::int64_t>(value & ((1 << fixed_point::high_bits) - 1))};
}

/// Exponent of a grid for weights up to `largest`.
int exponent_of(double largest) { return fixed_point::grid_exponent(std::ilogb(largest)); }

TEST(DBSCANWeights, WordsAreWithinTheirGrid) {
  for (std::int64_t i = 0; i < 10000; ++i) {
    const int largest = std::min(static_cast<int>(2000.0 * (uniform(1, i) - 0.45)), 1022);
    const double weight = std::ldexp(2.0 * uniform(2, i) - 1.0, largest + (i % 2 == 0 ? 1 : -20));
    const double limit = std::ldexp(1.0, largest + 1);
    const dbscan::WeightGrid grid{-limit, limit, fixed_point::grid_factor(fixed_point::grid_exponent(largest)), {}};
    const Words words = dbscan::weight_words(weight, grid);
    const long double exact = std::ldexp(static_cast<long double>(weight), point - largest);
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

template <typename T>
class DBSCANWeightThreshold : public ::testing::Test {};
TYPED_TEST_SUITE(DBSCANWeightThreshold, ValueTypes, ValueTypeNames);

TYPED_TEST(DBSCANWeightThreshold, IsTheLeastSumThatRoundsToMinSamples) {
  using T = TypeParam;
  for (int exponent = -2; exponent <= 5; ++exponent)
    for (const std::int64_t min_samples : {1, 2, 3, 5, 8, 10, 1000, 1234567}) {
      const auto least = static_cast<T>(min_samples);
      const double middle_below = (double{least} - double{std::nextafter(least, T{0})}) / 2;
      // an integer here: the middle of least and the value before it has at most 54 bits
      const Integer threshold = (Integer{min_samples} << (point - exponent)) -
                                static_cast<Integer>(std::ldexp(middle_below, point - exponent));
      const Words found = dbscan::core_threshold<T>(min_samples, exponent);
      EXPECT_EQ(integer_of(found), threshold) << min_samples << ", " << exponent;
      for (const int change : {-1, 0, 1}) {
        const Words words = words_of(threshold + change);
        EXPECT_EQ(dbscan::reaches(words, found), change >= 0);
        // the same sum, not yet normalised
        const Words loose{words.high - 5, words.low + 5 * (std::int64_t{1} << 30)};
        EXPECT_EQ(dbscan::reaches(loose, found), change >= 0);
      }
    }
}

TEST(DBSCANWeights, AMiddleThatRoundsToEvenRoundsDownFromAnOddThreshold) {
  // float32: 2^24 + 2 has the odd mantissa 2^23 + 1, so the middle 2^24 + 1 is rounded to 2^24, and what is above it up
  const std::int64_t odd = (1 << 24) + 2;
  EXPECT_EQ(integer_of(dbscan::core_threshold<float>(odd, 24)), (Integer{(1 << 24) + 1} << (point - 24)) + 1);
  // and 2^24 + 4 is even
  EXPECT_EQ(integer_of(dbscan::core_threshold<float>(odd + 2, 24)), Integer{(1 << 24) + 3} << (point - 24));
  // min_samples that float32 does not hold: the least value above it counts
  EXPECT_EQ(integer_of(dbscan::core_threshold<float>(odd - 1, 24)), (Integer{(1 << 24) + 1} << (point - 24)) + 1);
}

TEST(DBSCANWeights, ThresholdsBetweenTwoSumsAreRoundedUp) {
  // weights near 2^61: one unit of the grid is 4
  EXPECT_EQ(integer_of(dbscan::core_threshold<double>(1, 61)), 1);
  EXPECT_EQ(integer_of(dbscan::core_threshold<double>(4, 61)), 1);
  EXPECT_EQ(integer_of(dbscan::core_threshold<double>(5, 61)), 2);
  // weights near 1e300: the least positive sum is far above any min_samples
  EXPECT_EQ(integer_of(dbscan::core_threshold<double>(std::numeric_limits<std::int64_t>::max(), 996)), 1);
  EXPECT_FALSE(dbscan::reaches({0, 0}, dbscan::core_threshold<double>(1, 1023)));
}

TEST(DBSCANWeights, TinyWeightsNeverReach) {
  const Words most{std::int64_t{1} << 61, 0};  // 2^31 weights of the largest word
  EXPECT_FALSE(dbscan::reaches(most, dbscan::core_threshold<double>(1, -900)));
  EXPECT_FALSE(dbscan::reaches({0, 0}, dbscan::core_threshold<double>(1, exponent_of(0.0))));
}

/// Whether the words of all weights, which are those of a fit of `n` rows, reach min_samples.
template <typename T>
bool words_suffice(const std::vector<T>& weights, double lowest, double highest, std::int64_t n,
                   std::int64_t min_samples) {
  const auto grid = dbscan::make_weight_grid<T>(lowest, highest, n, min_samples);
  Words sum{0, 0};
  for (const T weight : weights) {
    const Words words = dbscan::weight_words(double{weight}, grid);
    sum.high += words.high;
    sum.low += words.low;
  }
  return dbscan::reaches(sum, grid.threshold);
}

TYPED_TEST(DBSCANWeightThreshold, HugeWeightsElsewhereChangeNothing) {
  using T = TypeParam;
  const double huge = static_cast<double>(std::numeric_limits<T>::max());
  for (const std::vector<T>& weights :
       {std::vector<T>{2, 3}, std::vector<T>{2, T(2.9999)}, std::vector<T>{T(3.3), T(1.7)},
        std::vector<T>{T(0.1), T(4.9)}, std::vector<T>{4, T(0.5), T(0.5)}, std::vector<T>{6, -1},
        std::vector<T>{6, T(-1.001)}}) {
    const bool wanted = dbscan::reference::suffices(weights, 5);
    EXPECT_EQ(words_suffice(weights, -2.0, 8.0, 100, 5), wanted);
    EXPECT_EQ(words_suffice(weights, -2.0, 1e19, 100, 5), wanted);
    EXPECT_EQ(words_suffice(weights, -2.0, huge, 100, 5), wanted);
    EXPECT_EQ(words_suffice(weights, -1e19, 8.0, 100, 5), wanted);
    EXPECT_EQ(words_suffice(weights, -huge, 8.0, 100, 5), wanted);
  }
}

TYPED_TEST(DBSCANWeightThreshold, ClampedWeightsDecideAsTheyAre) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max();
  for (const std::vector<T>& weights :
       {std::vector<T>{huge, -1}, std::vector<T>{huge, huge, huge}, std::vector<T>{-huge, 8, 8},
        std::vector<T>{T(1e19), -2}, std::vector<T>{-huge, -huge}, std::vector<T>{0, 0, huge}, std::vector<T>{7, -2}}) {
    const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
    EXPECT_EQ(words_suffice(weights, std::min(0.0, double{*low}), std::max(0.0, double{*high}),
                            static_cast<std::int64_t>(weights.size()), 5),
              dbscan::reference::suffices(weights, 5))
        << ::testing::PrintToString(weights);
  }
}

TYPED_TEST(DBSCANWeightThreshold, SumsOfShortDecimalsCountAsPeopleAddThem) {
  using T = TypeParam;
  EXPECT_TRUE(dbscan::reference::suffices<T>({T(3.3), T(1.7)}, 5));
  EXPECT_TRUE(dbscan::reference::suffices<T>({T(0.9), T(0.1)}, 1));
  EXPECT_TRUE(dbscan::reference::suffices<T>({T(0.7), T(0.3)}, 1));
  EXPECT_FALSE(dbscan::reference::suffices<T>({T(0.7), T(0.2999)}, 1));
  EXPECT_FALSE(dbscan::reference::suffices<T>({T(3.3), T(1.6999)}, 5));
  EXPECT_FALSE(dbscan::reference::suffices<T>({}, 1));
}

/// Rows of three groups; the weights in the last are huge.
template <typename I>
class DBSCANHugeWeights : public DBSCANTest<I> {};
TYPED_TEST_SUITE(DBSCANHugeWeights, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANHugeWeights, LeaveTheOthersAsTheyWouldBe) {
  using T = typename TypeParam::Value;
  for (const double huge : {8.0, 1e15, 1e19, 1e38}) {
    Given<T> given{column<T>({0, 0.1, 50, 50.1, 100}), {.eps = 1.0, .min_samples = 5}};
    given.weights = Vector<T>{2, 3, 2, T(2.9999), static_cast<T>(huge)};
    EXPECT_EQ(this->labels(given), Labels({0, 0, -1, -1, 1})) << huge;
    given.weights = Vector<T>{2, 3, 2, T(2.9999), static_cast<T>(-huge)};
    EXPECT_EQ(this->labels(given), Labels({0, 0, -1, -1, -1})) << huge;
    given.weights = Vector<T>{T(3.3), T(1.7), 6, -1, static_cast<T>(-huge)};
    EXPECT_EQ(this->labels(given), Labels({0, 0, 1, 1, -1})) << huge;
  }
}

}  // namespace
}  // namespace tilelearn::testing
