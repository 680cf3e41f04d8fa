// Flags whose value is a number: read whole, without regard to the locale, and refused with what they take.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

namespace tilelearn::cli {

/// The values that a flag takes; both ends are.
struct IntegerRange {
  std::int64_t least = 1;
  std::int64_t most = std::numeric_limits<std::int32_t>::max();
};

/// An integer in decimal digits. @throws UsageError that names flag, text and range
std::int64_t read_integer(const std::string& flag, const std::string& text, const IntegerRange& range);

/// A flag for an integer; `type` is what the help calls its values.
template <typename Integer>
CLI::Option* add_integer(CLI::App& command, const std::string& flag, Integer& value, const std::string& help,
                         const std::string& type = "INT:1 or more", const IntegerRange& range = {}) {
  const auto read = [&value, flag, range](const std::string& text) {
    value = static_cast<Integer>(read_integer(flag, text, range));
  };
  return command.add_option_function<std::string>(flag, read, help)->option_text(type);
}

/// Whether a number's digits say that it is neither 0 nor infinity nor NaN, whatever float64 makes of it.
bool is_written_out(const std::string& text);

/// A real number; infinity and NaN only where the text says so. @throws UsageError that names flag and text
double read_real(const std::string& flag, const std::string& text);
CLI::Option* add_real(CLI::App& command, const std::string& flag, double& value, const std::string& help);

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help);

/// A number of bytes, or a size such as 512MB or 2 GiB in powers of 1024.
CLI::Option* add_bytes(CLI::App& command, const std::string& flag, std::int64_t& bytes, const std::string& help);

}  // namespace tilelearn::cli
