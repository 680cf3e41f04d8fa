// One field of a CSV record: where it ends, what it says without quotes and blanks, and what a cell means.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelearn::csv {

/// The three marks of a file, with tables of what ends a plain field and what may surround it.
class Dialect {
 public:
  Dialect(char delimiter, char quote, char decimal);

  char delimiter;
  char quote;  ///< '\0' for none; no text that is read holds that byte
  char decimal;

  /// Delimiter, line ends and quote.
  [[nodiscard]] bool stops(char c) const { return stops_[static_cast<unsigned char>(c)]; }
  /// Space and tab, unless they are the delimiter.
  [[nodiscard]] bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != delimiter; }

 private:
  std::array<bool, 256> stops_{};
};

enum class FieldFault : std::uint8_t { none, unclosed_quote, quote_inside, text_after_quote };

struct Field {
  std::string_view text;  ///< without the enclosing quotes or the surrounding blanks
  bool quoted = false;
  bool doubled = false;  ///< holds doubled quotes, which unescape() halves
  FieldFault fault = FieldFault::none;
};

/// Reads the field at p; returns its terminator (a delimiter, the first byte of a line end, or `end`), or where the
/// fault is.
const char* read_field(const char* p, const char* end, const Dialect& dialect, Field& field);

/// The field's text with each doubled quote made one.
std::string unescape(const Field& field, char quote);

/// What is wrong, in words.
std::string describe(FieldFault fault, char quote);

inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }

/// The byte after the line end (LF, CRLF or CR) at p.
inline const char* after_line_end(const char* p, const char* end) {
  return p + (*p == '\r' && end - p > 1 && p[1] == '\n' ? 2 : 1);
}

/// The first byte at or after p that is not part of a blank line; adds the lines passed to `lines`.
const char* skip_blank_lines(const char* p, const char* end, const Dialect& dialect, std::int64_t& lines);

/// Line ends (LF, CRLF or CR) in a text.
std::int64_t count_line_ends(std::string_view text);

/// The words that stand for no value.
class MissingWords {
 public:
  explicit MissingWords(std::vector<std::string> words);
  [[nodiscard]] bool contains(std::string_view cell) const {
    return may_contain(cell.empty() ? '\0' : cell.front(), cell.size()) && search(cell);
  }
  /// Whether a word begins like this and is this long.
  [[nodiscard]] bool may_contain(char first, std::size_t size) const {
    return (lengths_[static_cast<unsigned char>(first)] >> (size < longest ? size : longest) & 1) != 0;
  }
  /// Whether a word is a number as well, such as -999, so that numbers must be looked up too.
  [[nodiscard]] bool include_numbers(char decimal) const;

 private:
  static constexpr std::size_t longest = 63;

  [[nodiscard]] bool search(std::string_view cell) const;

  std::vector<std::string> words_;
  std::array<std::uint64_t, 256> lengths_{};  ///< by first byte: bit n for words of n bytes, the last for all longer
};

}  // namespace tilelearn::csv
