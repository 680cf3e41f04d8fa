// The hot loop of reading: a plain number that ends its field is taken at once, everything else field by field.
#include "core/csv_chunk.hpp"

#include <limits>

#include "core/csv_number.hpp"
#include "core/text.hpp"

namespace tilelearn::csv {

namespace {

constexpr double missing_cell = std::numeric_limits<double>::quiet_NaN();

class ChunkParser {
 public:
  ChunkParser(std::string_view piece, const ParseRules& rules, std::vector<double>& scratch)
      : begin_(piece.data()), end_(begin_ + piece.size()), rules_(rules), dialect_(rules.dialect), scratch_(scratch) {
    chunk_.columns.resize(rules.text_columns.size());
  }

  Chunk run() {
    const char* p = begin_;
    const std::size_t columns = chunk_.columns.size();
    std::size_t used = 0;
    while ((p = skip_blank_lines(p, end_, dialect_, chunk_.lines)) != end_) {
      if (scratch_.size() < used + columns) scratch_.resize(2 * scratch_.size() + columns);
      detail::append_line(chunk_.line_runs, chunk_.rows, chunk_.lines);
      p = parse_record(p, scratch_.data() + used);
      if (p == nullptr) break;
      used += columns;
      ++chunk_.rows;
    }
    if (!chunk_.fault) transpose();
    return std::move(chunk_);
  }

 private:
  /// Returns the byte after the record, or null after noting a fault.
  const char* parse_record(const char* p, double* cells) {
    const std::size_t columns = chunk_.columns.size();
    for (std::size_t column = 0; column < columns; ++column) {
      p = parse_cell(p, column, cells[column]);
      if (p == nullptr) return nullptr;
      if (*p != dialect_.delimiter) {
        if (column + 1 < columns) return wrong_count(column + 1);
        ++chunk_.lines;
        return after_line_end(p, end_);
      }
      ++p;
    }
    return wrong_count(columns + count_fields(p));
  }

  /// Returns the field's terminator.
  const char* parse_cell(const char* p, std::size_t column, double& cell) {
    if (rules_.plain_numbers && !rules_.text_columns[column]) {
      while (*p == ' ' && dialect_.delimiter != ' ') ++p;
      const char* stop = scan_number(p, end_, dialect_.decimal, cell);
      if (stop != nullptr && (*stop == dialect_.delimiter || is_line_end(*stop))) {
        note_number(column, {p, static_cast<std::size_t>(stop - p)});
        return stop;
      }
    }
    return parse_field(p, column, cell);
  }

  const char* parse_field(const char* p, std::size_t column, double& cell) {
    Field field;
    p = read_field(p, end_, dialect_, field);
    if (field.fault != FieldFault::none) {
      chunk_.fault = Fault{chunk_.lines, static_cast<std::int64_t>(column + 1), describe(field.fault, dialect_.quote)};
      return nullptr;
    }
    if (rules_.missing.contains(field.text)) {
      cell = missing_cell;
    } else if (!rules_.text_columns[column] && parse_number(field.text, dialect_.decimal, cell)) {
      note_number(column, field.text);
    } else {
      cell = note_text(column, field);
    }
    if (field.quoted) chunk_.lines += count_line_ends(field.text);
    return p;
  }

  void note_number(std::size_t column, std::string_view text) {
    std::optional<Cell>& first = chunk_.columns[column].first_number;
    if (!first) first = Cell{chunk_.lines, text};
  }

  /// Returns the text's code.
  double note_text(std::size_t column, const Field& field) {
    ColumnPart& part = chunk_.columns[column];
    if (!part.first_text) part.first_text = Cell{chunk_.lines, field.text};
    if (part.mixed()) return missing_cell;  // an error in the end, so no words are needed
    std::string_view text = field.text;
    if (field.doubled) text = chunk_.unescaped.emplace_back(unescape(field, dialect_.quote));
    return part.words.code_of(text);
  }

  std::size_t count_fields(const char* p) const {
    for (std::size_t count = 1;; ++count, ++p) {
      Field field;
      p = read_field(p, end_, dialect_, field);
      if (field.fault != FieldFault::none || p == end_ || *p != dialect_.delimiter) return count;
    }
  }

  const char* wrong_count(std::size_t fields) {
    const std::size_t expected = chunk_.columns.size();
    chunk_.fault =
        Fault{chunk_.line_runs.back().line + (chunk_.rows - chunk_.line_runs.back().row),
              static_cast<std::int64_t>(std::min(fields, expected) + 1),
              "this record has " + detail::count_text(static_cast<std::int64_t>(fields), "field") +
                  ", but the one in line " + std::to_string(rules_.first_line) + " has " + std::to_string(expected)};
    return nullptr;
  }

  void transpose() {
    const std::size_t columns = chunk_.columns.size();
    const auto rows = static_cast<std::size_t>(chunk_.rows);
    chunk_.cells = std::make_unique_for_overwrite<double[]>(rows * columns);
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = 0; row < rows; ++row) chunk_.cells[column * rows + row] = scratch_[row * columns + column];
  }

  const char* begin_;
  const char* end_;
  const ParseRules& rules_;
  const Dialect& dialect_;
  std::vector<double>& scratch_;
  Chunk chunk_;
};

}  // namespace

Chunk parse_chunk(std::string_view piece, const ParseRules& rules, std::vector<double>& scratch) {
  return ChunkParser(piece, rules, scratch).run();
}

}  // namespace tilelearn::csv
