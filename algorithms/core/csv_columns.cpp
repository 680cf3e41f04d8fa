// Kinds are decided from the first number and the first text of every column in the whole file, so neither the cuts
// between pieces nor the threads that parsed them can be seen in the result.
#include "core/csv_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <tilelearn/error.hpp>

#include "core/csv_number.hpp"
#include "core/csv_parallel.hpp"

namespace tilelearn::csv {

namespace {

/// A cell in the file, for messages: lines count from 1.
struct Located {
  std::int64_t line;
  std::string_view text;
};

struct ColumnSummary {
  std::optional<Located> number;
  std::optional<Located> text;
  SortedWords categories;
  std::string fault;  ///< about `text`
};

std::string quoted(std::string_view text) {
  constexpr std::size_t most_shown = 60;
  return "'" + std::string(text.substr(0, most_shown)) + (text.size() > most_shown ? "...'" : "'");
}

class Joiner {
 public:
  Joiner(std::vector<Chunk> chunks, Layout layout, const std::string& file, const std::vector<bool>& text_columns,
         int threads)
      : chunks_(std::move(chunks)),
        layout_(std::move(layout)),
        file_(file),
        text_columns_(text_columns),
        threads_(threads),
        columns_(layout_.names.size()) {}

  std::shared_ptr<const detail::TableData> run() {
    locate_chunks();
    parallel_for(static_cast<std::int64_t>(columns_.size()), threads_,
                 [&](std::int64_t column) { summarize(static_cast<std::size_t>(column)); });
    throw_first_fault();
    allocate();
    parallel_for(static_cast<std::int64_t>(chunks_.size()), threads_,
                 [&](std::int64_t chunk) { copy_cells(static_cast<std::size_t>(chunk)); });
    count_missing();
    return data_;
  }

 private:
  void locate_chunks() {
    std::int64_t line = layout_.lines_before + 1;
    for (const Chunk& chunk : chunks_) {
      if (chunk.fault) throw ParseError(file_, line + chunk.fault->line, chunk.fault->column, chunk.fault->text);
      first_rows_.push_back(data_->rows);
      first_lines_.push_back(line);
      for (const detail::LineRun& run : chunk.line_runs)
        detail::append_line(data_->line_runs, data_->rows + run.row, line + run.line);
      data_->rows += chunk.rows;
      line += chunk.lines;
    }
    if (data_->rows == 0) throw ParseError(file_, 0, 0, "there is a header, but no row of data");
  }

  void summarize(std::size_t column) {
    ColumnSummary& summary = columns_[column];
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const ColumnPart& part = chunks_[i].columns[column];
      const auto locate = [&](const Cell& cell) { return Located{first_lines_[i] + cell.line, cell.text}; };
      if (!summary.number && part.first_number) summary.number = locate(*part.first_number);
      if (!summary.text && part.first_text) summary.text = locate(*part.first_text);
    }
    if (!summary.text) return;
    if (!summary.number) sort_categories(column);
    if (!text_columns_[column]) summary.fault = find_fault(summary);
  }

  void sort_categories(std::size_t column) {
    std::vector<const Words*> lists;
    for (const Chunk& chunk : chunks_) lists.push_back(&chunk.columns[column].words);
    columns_[column].categories = sort_words(lists);
  }

  /// Why a column with text cannot stand, or nothing.
  std::string find_fault(const ColumnSummary& summary) const {
    const char other = other_mark(layout_.dialect.decimal);
    double value = 0.0;
    const auto has_other_mark = [&](std::string_view text) { return parse_number(text, other, value); };
    const std::string decimal_hint = "; with the decimal mark '" + std::string(1, other) + "' it would be one";
    if (summary.number) {
      std::string fault = quoted(summary.text->text) + " is not a number, but " + quoted(summary.number->text) +
                          " in line " + std::to_string(summary.number->line) + " of this column is";
      if (has_other_mark(summary.text->text)) fault += decimal_hint;
      if (!layout_.header && summary.text->line == layout_.first_line) fault += "; is this line a header?";
      return fault;
    }
    const auto& categories = summary.categories.texts;
    if (std::all_of(categories.begin(), categories.end(), has_other_mark))
      return quoted(summary.text->text) + " is not a number" + decimal_hint;
    if (categories.size() == 1 && categories.front().find_first_not_of("-.+") == std::string_view::npos)
      return "nothing but " + quoted(categories.front()) +
             " and missing values is in this column; a missing value too?";
    return {};
  }

  void throw_first_fault() const {
    const ColumnSummary* first = nullptr;
    for (const ColumnSummary& summary : columns_)
      if (!summary.fault.empty() && (first == nullptr || summary.text->line < first->text->line)) first = &summary;
    if (first == nullptr) return;
    const auto column = static_cast<std::size_t>(first - columns_.data());
    throw ParseError(file_, first->text->line, static_cast<std::int64_t>(column + 1),
                     "'" + layout_.names[column] + "': " + first->fault);
  }

  void allocate() {
    data_->names = std::move(layout_.names);
    data_->columns.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      data_->index.emplace(data_->names[i], i);
      detail::TableColumn& column = data_->columns[i];
      column.kind = columns_[i].text || text_columns_[i] ? ColumnKind::category : ColumnKind::number;
      if (column.kind == ColumnKind::number)
        column.numbers = Vector<double>(data_->rows);
      else
        column.codes = Vector<std::int32_t>(data_->rows);
      const auto& texts = columns_[i].categories.texts;
      column.categories.assign(texts.begin(), texts.end());
    }
  }

  /// Puts a piece's cells into the columns and frees them.
  void copy_cells(std::size_t index) {
    Chunk& chunk = chunks_[index];
    const auto rows = static_cast<std::size_t>(chunk.rows);
    const auto first_row = static_cast<std::size_t>(first_rows_[index]);
    for (std::size_t i = 0; i < columns_.size() && rows > 0; ++i) {
      const double* cells = chunk.cells.get() + i * rows;
      detail::TableColumn& column = data_->columns[i];
      if (column.kind == ColumnKind::number) {
        std::memcpy(column.numbers.data() + first_row, cells, rows * sizeof(double));
        continue;
      }
      // A column of missing cells alone has no codes, and none is looked up.
      const std::vector<std::vector<std::int32_t>>& pieces = columns_[i].categories.codes;
      const std::int32_t* codes = pieces.empty() ? nullptr : pieces[index].data();
      std::int32_t* out = column.codes.data() + first_row;
      for (std::size_t row = 0; row < rows; ++row)
        out[row] = std::isnan(cells[row]) ? -1 : codes[static_cast<std::size_t>(cells[row])];
    }
    chunk.cells.reset();
  }

  void count_missing() {
    parallel_for(static_cast<std::int64_t>(columns_.size()), threads_, [&](std::int64_t i) {
      detail::count_missing(data_->columns[static_cast<std::size_t>(i)], data_->rows);
    });
  }

  std::vector<Chunk> chunks_;
  Layout layout_;
  const std::string& file_;
  const std::vector<bool>& text_columns_;
  int threads_;
  std::vector<ColumnSummary> columns_;
  std::vector<std::int64_t> first_rows_;   ///< of each piece
  std::vector<std::int64_t> first_lines_;  ///< of each piece, from 1
  std::shared_ptr<detail::TableData> data_ = std::make_shared<detail::TableData>();
};

}  // namespace

std::shared_ptr<const detail::TableData> join_chunks(std::vector<Chunk> chunks, Layout layout, const std::string& file,
                                                     const std::vector<bool>& text_columns, int threads) {
  return Joiner(std::move(chunks), std::move(layout), file, text_columns, threads).run();
}

}  // namespace tilelearn::csv
