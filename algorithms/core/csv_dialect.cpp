// Detection of the delimiter and the header from the first records.
#include "core/csv_dialect.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <tilelearn/error.hpp>

#include "core/csv_number.hpp"

namespace tilelearn::csv {

namespace {

constexpr std::string_view delimiters = ",;\t|";
constexpr std::size_t most_sample_records = 100;
constexpr std::size_t enough_sample_bytes = std::size_t{1} << 20;  // after which two records will do

struct Record {
  std::vector<Field> fields;
  std::int64_t line = 0;
  const char* begin = nullptr;
  const char* end = nullptr;  ///< after its line end
  std::int64_t lines = 0;     ///< line ends from the beginning of the text to `end`
};

/// The first records as a delimiter cuts them; stops after a record with a fault.
std::vector<Record> read_sample(std::string_view text, const Dialect& dialect, std::size_t most_records) {
  const char* p = text.data();
  const char* end = p + text.size();
  std::int64_t lines = 0;
  std::vector<Record> records;
  while (records.size() < most_records) {
    p = skip_blank_lines(p, end, dialect, lines);
    if (p == end) break;
    if (records.size() >= 2 && p - text.data() > static_cast<std::ptrdiff_t>(enough_sample_bytes)) break;
    Record record;
    record.line = lines + 1;
    record.begin = p;
    for (;; ++p) {
      p = read_field(p, end, dialect, record.fields.emplace_back());
      const Field& field = record.fields.back();
      if (field.quoted) lines += count_line_ends(field.text);
      if (field.fault != FieldFault::none || p == end || *p != dialect.delimiter) break;
    }
    const bool fault = record.fields.back().fault != FieldFault::none;
    if (!fault && p != end) {
      p = after_line_end(p, end);
      ++lines;
    }
    record.end = p;
    record.lines = lines;
    records.push_back(std::move(record));
    if (fault) break;
  }
  return records;
}

bool is_number(std::string_view cell, char decimal) {
  double value = 0.0;
  return parse_number(cell, decimal, value) || parse_number(cell, other_mark(decimal), value);
}

/// How well a delimiter fits: first whether all records agree, then what their cells look like.
struct Fit {
  bool consistent = false;
  double share = 0.0;  ///< mean worth of a cell if consistent, else the share of records that agree with the first
};

/// 1 for a number or a missing value, -1 for what only begins as a number, such as the end of 0,5;a cut at the comma.
int worth(std::string_view cell, char decimal, const MissingWords& missing) {
  if (missing.contains(cell) || is_number(cell, decimal)) return 1;
  return begins_like_number(cell, decimal) ? -1 : 0;
}

Fit judge(const std::vector<Record>& records, char decimal, const MissingWords& missing) {
  Fit fit;
  const std::size_t fields = records.front().fields.size();
  if (fields < 2) return fit;
  std::size_t agreeing = 0;
  std::int64_t cells = 0;
  std::int64_t sum = 0;
  for (const Record& record : records) {
    if (record.fields.size() == fields && record.fields.back().fault == FieldFault::none) ++agreeing;
    for (const Field& field : record.fields) sum += worth(field.text, decimal, missing);
    cells += static_cast<std::int64_t>(record.fields.size());
  }
  fit.consistent = agreeing == records.size();
  fit.share = fit.consistent ? static_cast<double>(sum) / static_cast<double>(cells)
                             : static_cast<double>(agreeing) / static_cast<double>(records.size());
  return fit;
}

char detect_delimiter(std::string_view text, const CsvOptions& options, const MissingWords& missing) {
  char best = delimiters.front();
  Fit best_fit;
  for (const char delimiter : delimiters) {
    if (delimiter == options.quote) continue;
    const auto records = read_sample(text, Dialect(delimiter, options.quote, options.decimal), most_sample_records);
    if (records.empty()) continue;
    const Fit fit = judge(records, options.decimal, missing);
    if (fit.consistent > best_fit.consistent || (fit.consistent == best_fit.consistent && fit.share > best_fit.share)) {
      best = delimiter;
      best_fit = fit;
    }
  }
  return best;
}

bool detect_header(const Record& first, char decimal, const MissingWords& missing) {
  bool named = false;
  for (const Field& field : first.fields) {
    if (missing.contains(field.text)) continue;
    if (is_number(field.text, decimal)) return false;
    named = named || !begins_like_number(field.text, decimal);
  }
  return named;
}

std::vector<std::string> column_names(const Record& first, bool header, char quote, const std::string& file) {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < first.fields.size(); ++i) {
    std::string name = header ? unescape(first.fields[i], quote) : std::string();
    if (name.empty()) name = "column_" + std::to_string(i + 1);
    const auto [known, added] = columns.emplace(name, i + 1);
    if (!added)
      throw ParseError(file, first.line, static_cast<std::int64_t>(i + 1),
                       "the name '" + name + "' is that of column " + std::to_string(known->second) + " too");
    names.push_back(std::move(name));
  }
  return names;
}

bool is_part_of_cells(char c) {
  return is_line_end(c) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+';
}

void check_options(const CsvOptions& options) {
  if (options.decimal != '.' && options.decimal != ',')
    throw InvalidArgument("read_csv: decimal is '" + std::string(1, options.decimal) + "', must be '.' or ','");
  const std::string_view blanks = " \t";
  if (is_part_of_cells(options.quote) || options.quote == options.decimal || blanks.find(options.quote) != blanks.npos)
    throw InvalidArgument("read_csv: quote cannot be a letter, digit, sign, blank, line end or the decimal mark");
  if (!options.delimiter) return;
  const char delimiter = *options.delimiter;
  if (is_part_of_cells(delimiter) || delimiter == '.' || delimiter == '\0' || delimiter == options.quote)
    throw InvalidArgument("read_csv: delimiter cannot be a letter, digit, sign, point, line end, NUL or the quote");
}

}  // namespace

Layout find_layout(std::string_view text, const CsvOptions& options, const MissingWords& missing,
                   const std::string& file) {
  check_options(options);
  const char delimiter = options.delimiter ? *options.delimiter : detect_delimiter(text, options, missing);
  Layout layout{Dialect(delimiter, options.quote, options.decimal), {}};
  const auto records = read_sample(text, layout.dialect, 1);
  if (records.empty()) throw ParseError(file, 0, 0, "the file is empty");
  const Record& first = records.front();
  if (const Field& last = first.fields.back(); last.fault != FieldFault::none)
    throw ParseError(file, first.line, static_cast<std::int64_t>(first.fields.size()),
                     describe(last.fault, options.quote));

  layout.header = options.header ? *options.header : detect_header(first, options.decimal, missing);
  layout.names = column_names(first, layout.header, options.quote, file);
  layout.first_line = first.line;
  layout.data_begin = static_cast<std::size_t>((layout.header ? first.end : first.begin) - text.data());
  layout.lines_before = layout.header ? first.lines : first.line - 1;
  return layout;
}

}  // namespace tilelearn::csv
