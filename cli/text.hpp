// Texts of the command: numbers, lists of names, names that nearly match. Nothing depends on the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilelearn::cli {

/// The fewest digits that read back as the same float64.
std::string exact(double value);

/// At most `digits` significant digits, for people.
std::string brief(double value, int digits = 6);

/// Milliseconds with a sensible number of digits: "0.42 ms", "18 ms", "2.4 s".
std::string duration(double milliseconds);

/// The whole text as a float64, or nothing: NaN, or what a cell of a file may be; beyond the range infinity or zero.
std::optional<double> parse_real(std::string_view text);

/// Names between commas; a name that holds a comma or a quote stands in double quotes, quotes inside doubled.
/// @throws UsageError for an empty name or a quote that is not closed
std::vector<std::string> split_names(std::string_view text);

/// ASCII letters in lower case.
std::string lower(std::string text);

/// The candidate that looks most like `name`, if any looks like it.
std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// "1 row", "2 rows".
std::string count(std::int64_t number, const std::string& noun);

/// The text with U+FFFD in place of every byte that is not UTF-8.
std::string utf8(std::string_view text);

std::string join(const std::vector<std::string>& texts, const std::string& separator);

}  // namespace tilelearn::cli
