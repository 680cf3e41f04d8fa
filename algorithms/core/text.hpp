// Numbers in the texts of errors, warnings and files; nothing depends on the locale.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace tilelearn::detail {

/// The fewest digits that read back as the same number of this type: std::to_string shows -1e-9 as -0.000000.
template <typename T>
std::string shortest_text(T value) {
  std::array<char, 32> text{};  // a float64 needs 24 at most
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// "1 row", "2 rows".
inline std::string count_text(std::int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// "3 x 2"
inline std::string shape_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace tilelearn::detail
