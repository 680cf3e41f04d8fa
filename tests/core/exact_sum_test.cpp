// ExactSum against integers of 128 bits, and where only the sign is known.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/exact_sum.hpp"
#include "core/philox.hpp"

namespace tilelearn::detail {
namespace {

__extension__ using Integer = __int128;

struct Product {
  double a;
  double b;
  int sign;
  int shift = 0;
};

template <typename T>
int sign_of(const std::vector<Product>& products) {
  ExactSum<T> sum;
  for (const Product& p : products) sum.add_product(p.a, p.b, p.sign, p.shift);
  return sum.sign();
}

/// Numbers of a seed.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t bits() { return philox::bits(seed_, 0, count_++); }
  int below(int limit) { return static_cast<int>(bits() % static_cast<std::uint64_t>(limit)); }
  int either() { return bits() % 2 == 0 ? 1 : -1; }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

template <typename T>
class ExactSumTest : public ::testing::Test {
 protected:
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;  ///< of the last bit of the least value
  static constexpr int highest = std::numeric_limits<T>::max_exponent - digits;
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSumTest, Types);

TYPED_TEST(ExactSumTest, AgreesWithIntegersInEveryPartOfTheRange) {
  Stream stream(1);
  const auto mantissa = [&stream] {
    return static_cast<std::int64_t>(stream.bits() >> (64 - TestFixture::digits + stream.below(TestFixture::digits)));
  };
  int zeros = 0;
  for (int round = 0; round < 20000; ++round) {
    // 2^105 2^10, and three products: below 2^127
    const int exponent_a = TestFixture::lowest + stream.below(TestFixture::highest - TestFixture::lowest - 5);
    const int exponent_b = TestFixture::lowest + stream.below(TestFixture::highest - TestFixture::lowest - 5);
    std::vector<Product> products;
    Integer expected = 0;
    for (int i = 0; i < 3; ++i) {
      const std::int64_t a = mantissa();
      const std::int64_t b = mantissa();
      const int up_a = stream.below(5);
      const int up_b = stream.below(5);
      const int shift = stream.below(2);
      const int sign = stream.either();
      const int sign_a = stream.either();
      products.push_back({std::ldexp(static_cast<double>(sign_a * a), exponent_a + up_a),
                          std::ldexp(static_cast<double>(b), exponent_b + up_b), sign, shift});
      expected += (static_cast<Integer>(sign * sign_a * a) * b) * (Integer{1} << (up_a + up_b + shift));
    }
    // a second copy of all with the other sign, and one unit of the last place or none
    if (round % 2 == 0) {
      for (int i = 0; i < 3; ++i) {
        Product opposite = products[static_cast<std::size_t>(i)];
        opposite.sign = -opposite.sign;
        products.push_back(opposite);
      }
      const int unit = stream.below(3) - 1;
      products.push_back({std::ldexp(1.0, exponent_a), std::ldexp(static_cast<double>(unit), exponent_b), 1});
      expected = unit;
    }
    zeros += expected == 0 ? 1 : 0;
    ASSERT_EQ(sign_of<TypeParam>(products), expected < 0 ? -1 : expected > 0 ? 1 : 0) << "round " << round;
  }
  EXPECT_GT(zeros, 1000);
}

TYPED_TEST(ExactSumTest, TheLeastProductIsNotLostBesideTheLargest) {
  const double largest = double{std::numeric_limits<TypeParam>::max()};
  const double least = double{std::numeric_limits<TypeParam>::denorm_min()};
  for (const int sign : {1, -1}) {
    EXPECT_EQ(sign_of<TypeParam>({{least, least, sign}}), sign);
    EXPECT_EQ(sign_of<TypeParam>({{least, -least, sign}}), -sign);
    std::vector<Product> products{
        {largest, largest, 1, 1}, {largest, largest, -1}, {least, least, sign}, {-largest, largest, 1}};
    std::sort(products.begin(), products.end(), [](const Product& p, const Product& q) { return p.a < q.a; });
    do {
      EXPECT_EQ(sign_of<TypeParam>(products), sign);
    } while (std::next_permutation(products.begin(), products.end(), [](const Product& p, const Product& q) {
      return p.a != q.a ? p.a < q.a : p.sign != q.sign ? p.sign < q.sign : p.shift < q.shift;
    }));
  }
}

TYPED_TEST(ExactSumTest, ZerosAddNothing) {
  EXPECT_EQ(sign_of<TypeParam>({}), 0);
  EXPECT_EQ(sign_of<TypeParam>({{0.0, 5.0, 1}, {-0.0, 5.0, -1}, {7.0, 0.0, 1}}), 0);
  EXPECT_EQ(sign_of<TypeParam>({{3.0, 5.0, 1}, {-15.0, 1.0, 1}}), 0);
}

TYPED_TEST(ExactSumTest, MayBeAskedAndAddedToInTurn) {
  ExactSum<TypeParam> sum;
  const double step = double{std::numeric_limits<TypeParam>::denorm_min()};
  for (int i = 0; i < 100; ++i) {
    sum.add_product(step, step, -1);
    ASSERT_EQ(sum.sign(), -1);
  }
  for (int i = 0; i < 99; ++i) {
    sum.add_product(step, step, 1);
    ASSERT_EQ(sum.sign(), -1);
  }
  sum.add_product(step, step, 1);
  EXPECT_EQ(sum.sign(), 0);
  sum.add_product(step, step, 1);
  EXPECT_EQ(sum.sign(), 1);
}

TYPED_TEST(ExactSumTest, ManyProductsOfOneSignDoNotOverflowADigit) {
  ExactSum<TypeParam> sum;
  const TypeParam just_below_two = 2 - std::numeric_limits<TypeParam>::epsilon();
  constexpr int count = 1000000;
  for (int i = 0; i < count; ++i) sum.add_product(double{just_below_two}, double{just_below_two}, 1);
  EXPECT_EQ(sum.sign(), 1);
  for (int i = 0; i < count; ++i) sum.add_product(double{just_below_two}, double{just_below_two}, -1);
  EXPECT_EQ(sum.sign(), 0);
}

}  // namespace
}  // namespace tilelearn::detail
