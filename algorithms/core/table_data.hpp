// What a Table shares between its copies.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <tilelearn/table.hpp>

namespace tilelearn::detail {

/// Rows from `row` on, up to the next run, begin on successive lines from `line` on.
struct LineRun {
  std::int64_t row = 0;
  std::int64_t line = 0;
};

/// Notes the line of the next row.
inline void append_line(std::vector<LineRun>& runs, std::int64_t row, std::int64_t line) {
  if (runs.empty() || line - runs.back().line != row - runs.back().row) runs.push_back({row, line});
}

struct TableColumn {
  ColumnKind kind = ColumnKind::number;
  Vector<double> numbers;               ///< NaN for missing
  Vector<std::int32_t> codes;           ///< -1 for missing
  std::vector<std::string> categories;  ///< sorted
  std::int64_t missing = 0;
};

struct TableData {
  std::int64_t rows = 0;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> index;  ///< of each name
  std::vector<TableColumn> columns;
  std::vector<LineRun> line_runs;
};

[[nodiscard]] bool is_missing(const TableColumn& column, std::int64_t row);

/// Sets `missing` from the cells.
void count_missing(TableColumn& column, std::int64_t rows);

/// @throws InvalidArgument, listing the columns
const TableColumn& find_column(const TableData& table, const std::string& name);

/// The same for a column of numbers, or of categories. @throws InvalidArgument for one of the other kind
const TableColumn& find_numbers(const TableData& table, const std::string& name);
const TableColumn& find_categories(const TableData& table, const std::string& name);

/// @throws InvalidArgument for a row outside
std::int64_t line_of(const TableData& table, std::int64_t row);

}  // namespace tilelearn::detail
