// Decimal text to the nearest float64, exactly: a fast way for what files mostly hold, std::from_chars for the rest.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tilelearn::csv {

/// The whole of `cell` as a number: [+-] digits with an optional mark and exponent, or inf / infinity in any case.
/// Beyond the range of float64 it is infinity or zero, as rounding to nearest has it. Any decimal, of any length.
bool parse_number(std::string_view cell, char mark, double& value);

/// A sign or a mark and then a digit, or a digit: a cell that was meant to be a number, whatever follows.
bool begins_like_number(std::string_view cell, char mark);

namespace number_detail {

inline constexpr int most_digits = 19;  // 10^19 < 2^64
inline constexpr int most_exponent_digits = 4;
inline constexpr int most_exact_power = 22;    // 10^22 is a float64
inline constexpr int most_power_of_five = 27;  // 5^27 < 2^64
inline constexpr std::uint64_t exact_integers = std::uint64_t{1} << 53;

inline constexpr std::array<double, most_exact_power + 1> powers_of_ten = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// digits / 10^power, correctly rounded; digits > 0, 0 < power <= most_power_of_five.
double quotient(std::uint64_t digits, int power);

inline unsigned digit_of(char c) { return static_cast<unsigned char>(c) - unsigned{'0'}; }

/// Eight bytes as a little-endian word.
inline std::uint64_t load8(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

/// Whether all eight bytes are digits: the high nibble is 3, and stays so when 6 is added.
inline bool are_digits(std::uint64_t word) {
  return ((word & 0xF0F0F0F0F0F0F0F0) | (((word + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) ==
         0x3333333333333333;
}

/// The value of eight digits: neighbours are joined in three steps, to pairs, fours and eight.
inline std::uint64_t value_of_digits(std::uint64_t word) {
  word -= 0x3030303030303030;
  word = word * 10 + (word >> 8);
  return (((word & 0x000000FF000000FF) * 0x000F424000000064) +
          (((word >> 16) & 0x000000FF000000FF) * 0x0000271000000001)) >>
         32;
}

/// Appends the digits at p to `value` (modulo 2^64) and returns the first byte after them.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - p >= 8 && are_digits(load8(p))) {
      value = value * 100000000 + value_of_digits(load8(p));
      p += 8;
    }
  }
  for (unsigned digit; (digit = digit_of(*p)) < 10; ++p) value = value * 10 + digit;
  return p;
}

/// Reads e[+-]digits at p, a few digits only, and adds it to `exponent`. Null if it is anything else.
inline const char* read_exponent(const char* p, int& exponent) {
  ++p;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* first = p;
  int value = 0;
  for (unsigned digit; (digit = digit_of(*p)) < 10 && p - first <= most_exponent_digits; ++p)
    value = value * 10 + static_cast<int>(digit);
  if (p == first || p - first > most_exponent_digits) return nullptr;
  exponent += negative ? -value : value;
  return p;
}

/// digits * 10^exponent where one rounding gives it (Clinger, How to read floating point numbers accurately, PLDI 1990,
/// fast path), or as an exact quotient of integers. False for the rest.
inline bool compose(std::uint64_t digits, int exponent, double& value) {
  if (digits <= exact_integers && exponent >= -most_exact_power && exponent <= most_exact_power) {
    const double whole = static_cast<double>(digits);
    value = exponent < 0 ? whole / powers_of_ten[static_cast<std::size_t>(-exponent)]
                         : whole * powers_of_ten[static_cast<std::size_t>(exponent)];
    return true;
  }
  if (digits == 0 || exponent >= 0 || exponent < -most_power_of_five) return false;
  value = quotient(digits, -exponent);
  return true;
}

}  // namespace number_detail

/// The number that begins at p: returns the byte after it, or null if there is none or parse_number() must decide.
/// A byte that cannot be part of a number must follow before `end`.
inline const char* scan_number(const char* p, const char* end, char mark, double& value) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  std::uint64_t digits = 0;
  int exponent = 0;
  const char* first = p;
  p = number_detail::read_digits(p, end, digits);
  std::ptrdiff_t count = p - first;
  if (*p == mark) {
    const char* fraction = ++p;
    p = number_detail::read_digits(p, end, digits);
    count += p - fraction;
    exponent = -static_cast<int>(p - fraction);
  }
  if (count == 0 || count > number_detail::most_digits) return nullptr;
  if (*p == 'e' || *p == 'E') p = number_detail::read_exponent(p, exponent);
  if (p == nullptr || !number_detail::compose(digits, exponent, value)) return nullptr;
  if (negative) value = -value;
  return p;
}

}  // namespace tilelearn::csv
