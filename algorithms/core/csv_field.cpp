// Field scanning, blank lines and missing-value words.
#include "core/csv_field.hpp"

#include <algorithm>

#include "core/csv_number.hpp"

namespace tilelearn::csv {

Dialect::Dialect(char delimiter_, char quote_, char decimal_)
    : delimiter(delimiter_), quote(quote_), decimal(decimal_) {
  for (const char c : {delimiter, quote, '\n', '\r'}) stops_[static_cast<unsigned char>(c)] = true;
}

namespace {

const char* skip_blanks(const char* p, const char* end, const Dialect& dialect) {
  while (p != end && dialect.is_blank(*p)) ++p;
  return p;
}

/// p is just after the opening quote.
const char* read_quoted(const char* p, const char* end, const Dialect& dialect, Field& field) {
  field.quoted = true;
  const char* first = p;
  for (;; p += 2) {
    p = std::find(p, end, dialect.quote);
    if (p == end) {
      field.fault = FieldFault::unclosed_quote;
      return end;
    }
    if (end - p < 2 || p[1] != dialect.quote) break;
    field.doubled = true;
  }
  field.text = {first, static_cast<std::size_t>(p - first)};
  p = skip_blanks(p + 1, end, dialect);
  if (p != end && *p != dialect.delimiter && !is_line_end(*p)) field.fault = FieldFault::text_after_quote;
  return p;
}

}  // namespace

const char* read_field(const char* p, const char* end, const Dialect& dialect, Field& field) {
  field = {};
  p = skip_blanks(p, end, dialect);
  if (p != end && *p == dialect.quote) return read_quoted(p + 1, end, dialect, field);
  const char* first = p;
  while (p != end && !dialect.stops(*p)) ++p;
  if (p != end && *p == dialect.quote) field.fault = FieldFault::quote_inside;
  const char* last = p;
  while (last != first && dialect.is_blank(last[-1])) --last;
  field.text = {first, static_cast<std::size_t>(last - first)};
  return p;
}

std::string unescape(const Field& field, char quote) {
  if (!field.doubled) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.text[i] == quote) ++i;
  }
  return text;
}

std::string describe(FieldFault fault, char quote) {
  const std::string mark(1, quote);
  switch (fault) {
    case FieldFault::unclosed_quote:
      return "the quote " + mark + " that begins this field is never closed";
    case FieldFault::quote_inside:
      return "a quote " + mark + " stands inside a field that does not begin with one";
    case FieldFault::text_after_quote:
      return "text follows the quote " + mark + " that closes this field";
    case FieldFault::none:
      break;
  }
  return {};
}

const char* skip_blank_lines(const char* p, const char* end, const Dialect& dialect, std::int64_t& lines) {
  while (p != end) {
    const char* line_end = skip_blanks(p, end, dialect);
    if (line_end == end) return end;
    if (!is_line_end(*line_end)) return p;
    p = after_line_end(line_end, end);
    ++lines;
  }
  return end;
}

std::int64_t count_line_ends(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) ++count;
  return count;
}

MissingWords::MissingWords(std::vector<std::string> words) : words_(std::move(words)) {
  for (const std::string& word : words_)
    lengths_[static_cast<unsigned char>(word.empty() ? '\0' : word.front())] |= std::uint64_t{1}
                                                                                << std::min(word.size(), longest);
}

bool MissingWords::search(std::string_view cell) const {
  return std::find(words_.begin(), words_.end(), cell) != words_.end();
}

bool MissingWords::include_numbers(char decimal) const {
  double value = 0.0;
  return std::any_of(words_.begin(), words_.end(),
                     [&](const std::string& word) { return parse_number(word, decimal, value); });
}

}  // namespace tilelearn::csv
