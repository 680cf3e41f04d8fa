// CRC-64 with the reflected polynomial of ECMA-182 (the one that xz files carry).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilelearn::detail {

class Crc64 {
 public:
  void add(const void* data, std::size_t bytes) noexcept {
    const auto* next = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) state_ = table()[(state_ ^ next[i]) & 0xFF] ^ (state_ >> 8);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return ~state_; }

 private:
  static constexpr std::array<std::uint64_t, 256> make_table() {
    constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;
    std::array<std::uint64_t, 256> result{};
    for (std::uint64_t byte = 0; byte < result.size(); ++byte) {
      std::uint64_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
      result[byte] = crc;
    }
    return result;
  }
  static const std::array<std::uint64_t, 256>& table() {
    static constexpr std::array<std::uint64_t, 256> values = make_table();
    return values;
  }

  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace tilelearn::detail
