// The parts of reading numbers that are not in the hot loop's header: exact quotients, and everything unusual.
#include "core/csv_number.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace tilelearn::csv {

namespace number_detail {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<std::uint64_t, most_power_of_five + 1> make_powers_of_five() {
  std::array<std::uint64_t, most_power_of_five + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 5;
  return powers;
}

constexpr auto powers_of_five = make_powers_of_five();

}  // namespace

// With n and d shifted up to 64 bits, n / d = (q + r / d) / 2^shift for a q of exactly 64 bits, of which the upper 53
// are rounded to nearest even by the lower 11 and by whether r is zero. The result is far from the ends of the range.
double quotient(std::uint64_t digits, int power) {
  const std::uint64_t five = powers_of_five[static_cast<std::size_t>(power)];
  const int digits_shift = std::countl_zero(digits);
  const int five_shift = std::countl_zero(five);
  const std::uint64_t n = digits << digits_shift;
  const std::uint64_t d = five << five_shift;
  const int shift = n < d ? 64 : 63;
  const Wide numerator = Wide{n} << shift;
  const auto q = static_cast<std::uint64_t>(numerator / d);
  const bool exact = q * d == static_cast<std::uint64_t>(numerator);

  constexpr int spare_bits = 11;
  constexpr std::uint64_t half = std::uint64_t{1} << (spare_bits - 1);
  std::uint64_t mantissa = q >> spare_bits;
  const std::uint64_t spare = q & (2 * half - 1);
  if (spare > half || (spare == half && (!exact || (mantissa & 1) != 0))) ++mantissa;

  // The mantissa's leading bit, and a carry out of it, add themselves to the exponent field.
  const int exponent = 63 - shift + five_shift - digits_shift - power;
  constexpr int bias = 1023;
  return std::bit_cast<double>((static_cast<std::uint64_t>(exponent + bias - 1) << 52) + mantissa);
}

}  // namespace number_detail

namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

bool is_digit(char c) { return number_detail::digit_of(c) < 10; }

/// Whether a well-formed, unsigned decimal that float64 cannot hold is too large rather than too small.
bool is_too_large(std::string_view text) {
  const std::size_t mantissa_end = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, mantissa_end);
  const std::size_t mark = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t leading = mantissa.find_first_of("123456789");
  if (leading == std::string_view::npos) return false;
  const auto magnitude = static_cast<std::int64_t>(mark) - static_cast<std::int64_t>(leading);
  if (mantissa_end == std::string_view::npos) return magnitude > 0;
  std::string_view exponent_text = text.substr(mantissa_end + 1);
  if (exponent_text.front() == '+') exponent_text.remove_prefix(1);
  std::int64_t exponent = 0;
  const char* end = exponent_text.data() + exponent_text.size();
  if (std::from_chars(exponent_text.data(), end, exponent).ec == std::errc::result_out_of_range)
    return exponent_text.front() != '-';
  return exponent > -magnitude;
}

/// [digits][.digits][e[+-]digits] with a point, without a sign.
bool parse_unsigned(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range)
    value = is_too_large(text) ? std::numeric_limits<double>::infinity() : 0.0;
  return true;
}

}  // namespace

bool parse_number(std::string_view cell, char mark, double& value) {
  const bool negative = !cell.empty() && cell.front() == '-';
  if (negative || (!cell.empty() && cell.front() == '+')) cell.remove_prefix(1);
  bool read = false;
  if (equals_ignoring_case(cell, "inf") || equals_ignoring_case(cell, "infinity")) {
    value = std::numeric_limits<double>::infinity();
    read = true;
  } else if (!cell.empty() && (is_digit(cell.front()) || cell.front() == mark)) {
    if (mark == '.') {
      read = parse_unsigned(cell, value);
    } else if (cell.find('.') == std::string_view::npos) {
      std::string with_point(cell);
      if (const std::size_t at = with_point.find(mark); at != std::string::npos) with_point[at] = '.';
      read = parse_unsigned(with_point, value);
    }
  }
  if (read && negative) value = -value;
  return read;
}

bool begins_like_number(std::string_view cell, char mark) {
  std::size_t i = 0;
  if (i < cell.size() && (cell[i] == '-' || cell[i] == '+')) ++i;
  if (i < cell.size() && cell[i] == mark) ++i;
  return i < cell.size() && is_digit(cell[i]);
}

}  // namespace tilelearn::csv
