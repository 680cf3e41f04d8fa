// Philox4x32-10 against the known answers that its authors published with Random123, and how bits() uses it.
#include "core/philox.hpp"

#include <set>

#include <gtest/gtest.h>

namespace tilelearn::philox {
namespace {

void expect_block(const Block& counter, std::uint64_t key, const Block& expected) {
  const Block actual = block(counter, key);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(actual.word[i], expected.word[i]) << "word " << i;
}

TEST(Philox, KnownAnswerOfZeros) {
  expect_block({{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
}

TEST(Philox, KnownAnswerOfOnes) {
  expect_block({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffffffffffff,
               {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
}

TEST(Philox, KnownAnswerOfThePiDigits) {
  expect_block({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822,
               {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST(Philox, BitsTakeIndexAndStreamAsTheCounter) {
  constexpr std::uint64_t seed = 0x299f31d0a4093822;
  EXPECT_EQ(bits(seed, 0x0370734413198a2e, 0x85a308d3243f6a88), 0x94fdccebd16cfe09);
  static_assert(bits(0, 0, 0) == 0xe169c58d6627e8d5, "computed at compile time too");
}

TEST(Philox, SeedsStreamsAndIndicesAllCount) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0, 1, 2})
    for (std::uint64_t stream : {0, 1, 2})
      for (std::uint64_t index = 0; index < 100; ++index) seen.insert(bits(seed, stream, index));
  EXPECT_EQ(seen.size(), 900U);
}

}  // namespace
}  // namespace tilelearn::philox
