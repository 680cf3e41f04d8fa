// What a Table answers about its columns and rows.
#include <algorithm>
#include <cmath>

#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

#include "core/table_data.hpp"

namespace tilelearn {

namespace detail {

bool is_missing(const TableColumn& column, std::int64_t row) {
  return column.kind == ColumnKind::number ? std::isnan(column.numbers.data()[row]) : column.codes.data()[row] < 0;
}

void count_missing(TableColumn& column, std::int64_t rows) {
  column.missing = 0;
  for (std::int64_t row = 0; row < rows; ++row) column.missing += is_missing(column, row) ? 1 : 0;
}

const TableColumn& find_column(const TableData& table, const std::string& name) {
  if (const auto found = table.index.find(name); found != table.index.end()) return table.columns[found->second];
  constexpr std::size_t most_listed = 20;
  std::string text = "there is no column '" + name + "'; the columns are";
  for (std::size_t i = 0; i < std::min(table.names.size(), most_listed); ++i)
    text += (i == 0 ? " " : ", ") + table.names[i];
  if (table.names.size() > most_listed) text += ", ... (" + std::to_string(table.names.size()) + ")";
  throw InvalidArgument(text);
}

const TableColumn& find_numbers(const TableData& table, const std::string& name) {
  const TableColumn& column = find_column(table, name);
  if (column.kind == ColumnKind::number) return column;
  std::string text = "column '" + name + "' holds categories, not numbers";
  for (std::int64_t row = 0; row < table.rows; ++row) {
    if (is_missing(column, row)) continue;
    const std::string& cell = column.categories[static_cast<std::size_t>(column.codes.data()[row])];
    text += " ('" + cell + "' in line " + std::to_string(line_of(table, row)) + ")";
    break;
  }
  throw InvalidArgument(text);
}

const TableColumn& find_categories(const TableData& table, const std::string& name) {
  const TableColumn& column = find_column(table, name);
  if (column.kind == ColumnKind::category) return column;
  throw InvalidArgument("column '" + name + "' holds numbers, not categories");
}

std::int64_t line_of(const TableData& table, std::int64_t row) {
  if (row < 0 || row >= table.rows)
    throw InvalidArgument("row " + std::to_string(row) + " is outside a table of " + std::to_string(table.rows) +
                          " rows");
  const auto after = std::upper_bound(table.line_runs.begin(), table.line_runs.end(), row,
                                      [](std::int64_t value, const LineRun& run) { return value < run.row; });
  const LineRun& run = *std::prev(after);
  return run.line + (row - run.row);
}

namespace {

template <typename T>
Vector<T> gather(const Vector<T>& from, const std::vector<std::int64_t>& rows) {
  Vector<T> to(static_cast<std::int64_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) to.data()[i] = from.data()[rows[i]];
  return to;
}

}  // namespace

}  // namespace detail

Table::Table() : data_(std::make_shared<detail::TableData>()) {}
Table::Table(std::shared_ptr<const detail::TableData> data) : data_(std::move(data)) {}

std::int64_t Table::rows() const noexcept { return data_->rows; }
const std::vector<std::string>& Table::columns() const noexcept { return data_->names; }
bool Table::has_column(const std::string& column) const { return data_->index.count(column) != 0; }
ColumnKind Table::kind(const std::string& column) const { return detail::find_column(*data_, column).kind; }
std::int64_t Table::row_line(std::int64_t row) const { return detail::line_of(*data_, row); }

std::vector<std::string> Table::numeric_columns() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data_->names.size(); ++i)
    if (data_->columns[i].kind == ColumnKind::number) names.push_back(data_->names[i]);
  return names;
}

std::int64_t Table::missing_count(const std::string& column) const {
  return detail::find_column(*data_, column).missing;
}

VectorView<const double> Table::numbers(const std::string& column) const {
  return detail::find_numbers(*data_, column).numbers.view();
}

VectorView<const std::int32_t> Table::codes(const std::string& column) const {
  return detail::find_categories(*data_, column).codes.view();
}

const std::vector<std::string>& Table::categories(const std::string& column) const {
  return detail::find_categories(*data_, column).categories;
}

std::vector<std::int64_t> Table::complete_rows(const std::vector<std::string>& columns) const {
  std::vector<const detail::TableColumn*> incomplete;
  for (const std::string& name : columns)
    if (const auto& column = detail::find_column(*data_, name); column.missing > 0) incomplete.push_back(&column);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < data_->rows; ++row) {
    const auto misses = [row](const detail::TableColumn* column) { return detail::is_missing(*column, row); };
    if (std::none_of(incomplete.begin(), incomplete.end(), misses)) rows.push_back(row);
  }
  return rows;
}

Table Table::select(const std::vector<std::int64_t>& rows) const {
  auto selected = std::make_shared<detail::TableData>();
  selected->rows = static_cast<std::int64_t>(rows.size());
  selected->names = data_->names;
  selected->index = data_->index;
  for (std::size_t i = 0; i < rows.size(); ++i)
    detail::append_line(selected->line_runs, static_cast<std::int64_t>(i), detail::line_of(*data_, rows[i]));
  for (const detail::TableColumn& from : data_->columns) {
    detail::TableColumn& to = selected->columns.emplace_back();
    to.kind = from.kind;
    to.categories = from.categories;
    if (from.kind == ColumnKind::number)
      to.numbers = detail::gather(from.numbers, rows);
    else
      to.codes = detail::gather(from.codes, rows);
    detail::count_missing(to, selected->rows);
  }
  return Table(std::move(selected));
}

}  // namespace tilelearn
