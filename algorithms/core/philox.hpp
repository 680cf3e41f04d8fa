// Philox4x32-10, a counter-based random number generator: value = f(seed, stream, index), the same on every device.
//
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
#pragma once

#include <cstdint>

namespace tilelearn::philox {

struct Block {
  std::uint32_t word[4];
};

/// One block of 128 random bits for a 128-bit counter and a 64-bit key.
constexpr Block block(Block counter, std::uint64_t key) {
  constexpr std::uint32_t multiplier0 = 0xD2511F53;
  constexpr std::uint32_t multiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9;
  constexpr std::uint32_t weyl1 = 0xBB67AE85;
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{multiplier0} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{multiplier1} * counter.word[2];
    counter = {
        {static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(product0)}};
    key0 += weyl0;
    key1 += weyl1;
  }
  return counter;
}

/// 64 uniform bits, number `index` of `stream`. Different streams of one seed are independent.
constexpr std::uint64_t bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const Block out = block({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                            static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
                          seed);
  return (std::uint64_t{out.word[1]} << 32) | out.word[0];
}

}  // namespace tilelearn::philox
