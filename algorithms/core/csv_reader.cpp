// read_csv and parse_csv: scan, find the layout, cut, parse the pieces in parallel, join them.
#include <algorithm>
#include <array>

#include <omp.h>

#include <tilelearn/error.hpp>
#include <tilelearn/table.hpp>

#include "core/csv_chunk.hpp"
#include "core/csv_columns.hpp"
#include "core/csv_dialect.hpp"
#include "core/csv_file.hpp"
#include "core/csv_parallel.hpp"
#include "core/csv_split.hpp"

namespace tilelearn {

namespace csv {

namespace {

/// The text after a UTF-8 byte-order mark. Other encodings are refused, UTF-32 by its NUL bytes later.
std::string_view without_mark(std::string_view text, const std::string& file) {
  constexpr std::string_view utf8 = "\xEF\xBB\xBF";
  constexpr std::array<std::string_view, 2> utf16 = {"\xFF\xFE", "\xFE\xFF"};
  for (const std::string_view mark : utf16)
    if (text.substr(0, mark.size()) == mark)
      throw ParseError(file, 1, 1, "the file is UTF-16 or UTF-32; UTF-8 is needed");
  return text.substr(0, utf8.size()) == utf8 ? text.substr(utf8.size()) : text;
}

std::vector<bool> find_text_columns(const CsvOptions& options, const std::vector<std::string>& names) {
  std::vector<bool> text(names.size());
  for (const std::string& name : options.text_columns) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end())
      text[static_cast<std::size_t>(found - names.begin())] = true;
    else if (options.text_columns_must_exist)
      throw InvalidArgument("read_csv: text_columns has '" + name + "', which is no column of the file");
  }
  return text;
}

/// Makes the last piece end with a newline, in a copy if it must.
std::string end_last_piece(std::vector<std::string_view>& pieces) {
  std::string copy;
  if (!pieces.empty() && pieces.back().back() != '\n') copy = std::string(pieces.back()) + '\n';
  return copy;
}

std::vector<Chunk> parse_pieces(const std::vector<std::string_view>& pieces, const ParseRules& rules, int threads) {
  std::vector<Chunk> chunks(pieces.size());
  std::vector<std::vector<double>> scratch(static_cast<std::size_t>(threads));
  parallel_for(static_cast<std::int64_t>(pieces.size()), threads, [&](std::int64_t i) {
    const auto piece = static_cast<std::size_t>(i);
    chunks[piece] = parse_chunk(pieces[piece], rules, scratch[static_cast<std::size_t>(omp_get_thread_num())]);
  });
  return chunks;
}

int count_threads(int asked) {
  if (asked < 0 || asked > Device::max_threads)
    throw InvalidArgument("read_csv: threads is " + std::to_string(asked) + ", must be from 0 to " +
                          std::to_string(Device::max_threads));
  return asked > 0 ? asked : omp_get_max_threads();
}

Table parse(std::string_view text, const CsvOptions& options, const std::string& file) {
  const int threads = count_threads(options.threads);
  text = without_mark(text, file);
  const MissingWords missing(options.missing_values);
  const TextScan scan = scan_text(text, options.quote, threads);
  if (scan.first_nul != std::string_view::npos)
    throw ParseError(file, 1 + count_line_ends(text.substr(0, scan.first_nul)), 0,
                     "the line holds a NUL byte; is this text, in UTF-8?");
  Layout layout = find_layout(text, options, missing, file);
  const std::vector<bool> text_columns = find_text_columns(options, layout.names);
  std::vector<std::string_view> pieces = split_records(text, layout.data_begin, options.quote, scan);
  const std::string last_piece = end_last_piece(pieces);
  if (!last_piece.empty()) pieces.back() = last_piece;
  const bool plain_numbers = !missing.include_numbers(options.decimal) && layout.dialect.delimiter != options.decimal;
  const ParseRules rules{layout.dialect, missing, plain_numbers, text_columns, layout.first_line};
  std::vector<Chunk> chunks = parse_pieces(pieces, rules, threads);
  return Table(join_chunks(std::move(chunks), std::move(layout), file, text_columns, threads));
}

}  // namespace

}  // namespace csv

std::vector<std::string> default_missing_values() {
  return {"",    "NA",   "N/A",  "n/a",  "#N/A", "<NA>", "NaN",  "nan",
          "NAN", "-NaN", "-nan", "NULL", "Null", "null", "None", "?"};
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  const csv::FileText file(path);
  return csv::parse(file.text(), options, path);
}

Table parse_csv(std::string_view text, const CsvOptions& options, const std::string& name) {
  return csv::parse(text, options, name);
}

}  // namespace tilelearn
