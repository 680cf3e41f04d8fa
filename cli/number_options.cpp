#include "number_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

template <typename Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// How many bits a unit shifts its number: kB by 10, MB by 20.
std::optional<int> shift_of(std::string unit) {
  constexpr std::string_view prefixes = "kmgtpe";
  constexpr int bits_a_prefix = 10;
  unit = lower(unit);
  if (unit.empty() || unit == "b") return 0;
  const std::size_t prefix = prefixes.find(unit[0]);
  const std::string rest = unit.substr(1);
  if (prefix == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "i" || rest == "ib"))
    return std::nullopt;
  return bits_a_prefix * (static_cast<int>(prefix) + 1);
}

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::size_t unit = std::min(text.find_first_not_of(' ', digits), text.size());
  const std::optional<std::int64_t> number = parse_integer<std::int64_t>(std::string_view(text).substr(0, digits));
  const std::optional<int> shift = shift_of(text.substr(unit));
  if (!number || !shift || *number > std::numeric_limits<std::int64_t>::max() >> *shift) return std::nullopt;
  return *number << *shift;
}

}  // namespace

bool is_written_out(const std::string& text) {
  const std::string mantissa = text.substr(0, text.find_first_of("eE"));
  return mantissa.find_first_of("123456789") != std::string::npos;
}

std::int64_t read_integer(const std::string& flag, const std::string& text, const IntegerRange& range) {
  const std::optional<std::int64_t> number = parse_integer<std::int64_t>(text);
  if (!number || *number < range.least || *number > range.most)
    throw UsageError(flag + " is '" + text + "'; give an integer from " + std::to_string(range.least) + " to " +
                     std::to_string(range.most));
  return *number;
}

double read_real(const std::string& flag, const std::string& text) {
  const std::optional<double> number = parse_real(text);
  if (!number) throw UsageError(flag + " is '" + text + "'; give a number such as 1e-4");
  if (!is_written_out(text)) return *number;
  if (std::isinf(*number))
    throw UsageError(flag + " is " + text + ", too large for float64, whose largest number is " +
                     exact(std::numeric_limits<double>::max()));
  if (*number == 0.0)
    throw UsageError(flag + " is " + text + ", too small for float64, whose least number above 0 is " +
                     exact(std::numeric_limits<double>::denorm_min()));
  return *number;
}

CLI::Option* add_real(CLI::App& command, const std::string& flag, double& value, const std::string& help) {
  const auto read = [&value, flag](const std::string& text) { value = read_real(flag, text); };
  return command.add_option_function<std::string>(flag, read, help)->option_text("FLOAT [" + exact(value) + "]");
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  const auto read = [&seed](const std::string& text) {
    const std::optional<std::uint64_t> number = parse_integer<std::uint64_t>(text);
    if (!number)
      throw UsageError("--seed is '" + text + "'; give an integer from 0 to " +
                       std::to_string(std::numeric_limits<std::uint64_t>::max()));
    seed = *number;
  };
  return command.add_option_function<std::string>("--seed", read, help)->option_text("UINT [0]");
}

CLI::Option* add_bytes(CLI::App& command, const std::string& flag, std::int64_t& bytes, const std::string& help) {
  const auto read = [&bytes, flag](const std::string& text) {
    const std::optional<std::int64_t> number = parse_bytes(text);
    if (!number)
      throw UsageError(flag + " is '" + text + "'; give a number of bytes below 2^63, or a size such as 512MB");
    bytes = *number;
  };
  return command.add_option_function<std::string>(flag, read, help)->option_text("BYTES");
}

}  // namespace tilelearn::cli
