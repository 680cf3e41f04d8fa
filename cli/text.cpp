#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/csv_number.hpp"
#include "core/text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::size_t number_characters = 32;

/// Levenshtein: insertions, deletions and replacements that turn one text into the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// A name in double quotes from `at` on; returns where it ends.
std::size_t read_quoted(std::string_view text, std::size_t at, std::string& name) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"')
      name += text[at];
    else if (at + 1 < text.size() && text[at + 1] == '"')
      name += text[at++];
    else
      return at + 1;
  }
  throw UsageError("a quote is not closed in the list '" + std::string(text) + "'");
}

/// Bytes of the UTF-8 character that the text begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  // Longer than need be, half of a surrogate pair, beyond U+10FFFF.
  const bool is_wrong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                        (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
  return is_wrong ? 0 : length;
}

}  // namespace

std::string exact(double value) { return detail::shortest_text(value); }

std::string brief(double value, int digits) {
  std::array<char, number_characters> text{};
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr};
}

std::string duration(double milliseconds) {
  constexpr double ms_per_second = 1000.0;
  const bool seconds = milliseconds >= ms_per_second;
  return brief(seconds ? milliseconds / ms_per_second : milliseconds, 3) + (seconds ? " s" : " ms");
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  if (csv::parse_number(text, '.', value)) return value;
  return std::nullopt;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  std::size_t at = 0;
  do {
    std::string name;
    if (at < text.size() && text[at] == '"') {
      at = read_quoted(text, at, name);
      if (at < text.size() && text[at] != ',')
        throw UsageError("a comma is missing after a quoted name in the list '" + std::string(text) + "'");
    } else {
      const std::size_t end = std::min(text.find(',', at), text.size());
      name = text.substr(at, end - at);
      at = end;
    }
    if (name.empty()) throw UsageError("an empty name in the list '" + std::string(text) + "'");
    names.push_back(std::move(name));
  } while (at++ < text.size());
  return names;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::optional<std::string> nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  constexpr std::size_t letters_per_slip = 3;
  const std::string wanted = lower(name);
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, name.size() / letters_per_slip) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance >= least || distance >= wanted.size()) continue;  // a name all of other letters is no slip
    least = distance;
    best = candidate;
  }
  if (best || wanted.size() < letters_per_slip) return best;
  // A part of a name is a likely slip too: bill_length for bill_length_mm.
  const auto holds = [&wanted](const std::string& candidate) {
    return lower(candidate).find(wanted) != std::string::npos;
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), holds);
  return found == candidates.end() ? best : std::optional(*found);
}

std::string count(std::int64_t number, const std::string& noun) { return detail::count_text(number, noun); }

std::string utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    result += length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string join(const std::vector<std::string>& texts, const std::string& separator) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : separator) + text;
  return result;
}

}  // namespace tilelearn::cli
