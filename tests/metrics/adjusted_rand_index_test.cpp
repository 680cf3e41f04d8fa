// Adjusted Rand index: values by hand, every pair counted, scikit-learn, sizes beyond 64-bit products, errors.
#include <cmath>
#include <limits>
#include <numeric>

#include <tilelearn/metrics.hpp>

#include "metrics/scikit_learn_values.hpp"
#include "support/device_test.hpp"
#include "support/generators.hpp"

namespace tilelearn {
namespace {

using Labels = std::vector<std::int32_t>;

template <typename I>
class AdjustedRandIndexTest : public testing::DeviceTest<I> {
 protected:
  [[nodiscard]] double index(const Labels& a, const Labels& b) const {
    const Vector<std::int32_t> first = Vector<std::int32_t>(a).to(this->device());
    const Vector<std::int32_t> second = Vector<std::int32_t>(b).to(this->device());
    return adjusted_rand_index(first, second);
  }
};
/// Labels are int32 for every type of data.
using LabelTypes =
    ::testing::Types<testing::Instance<float, DeviceKind::cpu>, testing::Instance<float, DeviceKind::cuda>>;
TYPED_TEST_SUITE(AdjustedRandIndexTest, LabelTypes, testing::DeviceTypeNames);

TYPED_TEST(AdjustedRandIndexTest, EqualPartitionsScoreOne) {
  EXPECT_EQ(this->index({0, 0, 1, 1}, {0, 0, 1, 1}), 1.0);
  EXPECT_EQ(this->index({0, 0, 1, 2}, {7, 7, -3, 0}), 1.0);
  EXPECT_EQ(this->index({4, 4, 4}, {9, 9, 9}), 1.0);
  EXPECT_EQ(this->index({1, 2, 3}, {30, 10, 20}), 1.0);
  EXPECT_EQ(this->index({5}, {6}), 1.0);
}

/// Counts by hand: pairs together in both, in one, in neither.
TYPED_TEST(AdjustedRandIndexTest, ValuesByHand) {
  EXPECT_DOUBLE_EQ(this->index({0, 0, 1, 1}, {0, 0, 1, 2}), 4.0 / 7.0);
  EXPECT_EQ(this->index({0, 0, 0, 0}, {0, 1, 2, 3}), 0.0);
  EXPECT_EQ(this->index({0, 0, 1, 1}, {0, 1, 0, 1}), -0.5);
}

TYPED_TEST(AdjustedRandIndexTest, AnyInt32IsALabel) {
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t high = std::numeric_limits<std::int32_t>::max();
  EXPECT_DOUBLE_EQ(this->index({low, low, high, high}, {-1, -1, 0, high}), 4.0 / 7.0);
}

TYPED_TEST(AdjustedRandIndexTest, AgreesWithScikitLearn) {
  namespace recorded = testing::scikit_learn;
  EXPECT_DOUBLE_EQ(this->index(recorded::labels, recorded::other_labels), recorded::rand_index);
}

TYPED_TEST(AdjustedRandIndexTest, AgreesWithACountOfEveryPair) {
  for (const std::int32_t clusters : {2, 5, 40, 299}) {
    Labels a;
    Labels b;
    for (std::int64_t i = 0; i < 300; ++i) {
      a.push_back(static_cast<std::int32_t>(testing::uniform(1, i) * clusters));
      b.push_back(testing::uniform(2, i) < 0.5 ? a.back() : static_cast<std::int32_t>(testing::uniform(3, i) * 7));
    }
    double both = 0;
    double only_a = 0;
    double only_b = 0;
    double neither = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        (a[i] == a[j] ? (b[i] == b[j] ? both : only_a) : (b[i] == b[j] ? only_b : neither)) += 1;
    const double expected = 2 * (both * neither - only_a * only_b) /
                            ((both + only_a) * (only_a + neither) + (both + only_b) * (only_b + neither));
    EXPECT_DOUBLE_EQ(this->index(a, b), expected) << clusters;
  }
}

/// 400000 rows: products of pair counts are near 2^71. Halves against quarters that refine them.
TYPED_TEST(AdjustedRandIndexTest, ProductsBeyond64Bits) {
  constexpr std::int32_t n = 400000;
  Labels halves;
  Labels quarters;
  for (std::int32_t i = 0; i < n; ++i) {
    halves.push_back(i / (n / 2));
    quarters.push_back(i / (n / 4));
  }
  const double both = 4.0 * (n / 4.0) * (n / 4.0 - 1) / 2;
  const double in_halves = 2.0 * (n / 2.0) * (n / 2.0 - 1) / 2;
  const double all = n * (n - 1.0) / 2;
  const double neither = all - in_halves;
  const double only_halves = in_halves - both;
  EXPECT_DOUBLE_EQ(this->index(halves, quarters),
                   2 * both * neither / (in_halves * (only_halves + neither) + both * neither));
}

/// More cells of the contingency table than rows and than the table limit: counted by sorting.
TYPED_TEST(AdjustedRandIndexTest, ManyLabels) {
  constexpr std::int32_t n = 5000;
  Labels a(n);
  std::iota(a.begin(), a.end(), 0);
  Labels reversed(a.rbegin(), a.rend());
  EXPECT_EQ(this->index(a, reversed), 1.0);
  reversed[0] = reversed[1];  // one pair together in one of them alone
  EXPECT_EQ(this->index(a, reversed), 0.0);
}

TYPED_TEST(AdjustedRandIndexTest, StridedLabels) {
  const Vector<std::int32_t> a = Vector<std::int32_t>{0, 9, 0, 9, 1, 9, 1, 9}.to(this->device());
  const Vector<std::int32_t> b = Vector<std::int32_t>{0, 0, 1, 2}.to(this->device());
  EXPECT_DOUBLE_EQ(adjusted_rand_index(VectorView<const std::int32_t>(a.data(), 4, a.device(), 2), b), 4.0 / 7.0);
}

TYPED_TEST(AdjustedRandIndexTest, BadLengthsAreErrors) {
  EXPECT_THROW((void)this->index({0, 1}, {0}), ShapeMismatch);
  EXPECT_THROW((void)this->index({}, {}), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn
