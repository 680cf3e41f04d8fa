// Parses one piece of a file, on its own, into cells, and notes what its columns hold.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/csv_field.hpp"
#include "core/csv_words.hpp"
#include "core/table_data.hpp"

namespace tilelearn::csv {

/// What every piece is read by.
struct ParseRules {
  const Dialect& dialect;
  const MissingWords& missing;
  bool plain_numbers;  ///< what reads as a number up to a terminator is one: no missing-value word, no delimiter in it
  std::vector<bool> text_columns;  ///< one for each column of the file
  std::int64_t first_line;         ///< the line of the record that sets the number of fields, for messages
};

/// A cell worth quoting; lines count from the piece's first, 0.
struct Cell {
  std::int64_t line = 0;
  std::string_view text;
};

struct ColumnPart {
  std::optional<Cell> first_number;
  std::optional<Cell> first_text;
  Words words;
  /// A column with both is an error unless it was asked for as text, and then it has texts only.
  [[nodiscard]] bool mixed() const { return first_number && first_text; }
};

struct Fault {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string text;
};

struct Chunk {
  std::int64_t rows = 0;
  std::int64_t lines = 0;  ///< line ends in the piece
  std::vector<detail::LineRun> line_runs;
  std::vector<ColumnPart> columns;
  /// Column-major; NaN for a missing cell, a number, or a number of ColumnPart::words.
  std::unique_ptr<double[]> cells;
  std::deque<std::string> unescaped;  ///< texts that held doubled quotes
  std::optional<Fault> fault;         ///< parsing ended there
};

/// `piece` begins with a record and ends with a newline. `scratch` is reused between calls.
Chunk parse_chunk(std::string_view piece, const ParseRules& rules, std::vector<double>& scratch);

}  // namespace tilelearn::csv
