#include "input.hpp"

#include <algorithm>

#include "input_checks.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::size_t names_shown = 50;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string shown(std::vector<std::string> names) {
  const bool cut = names.size() > names_shown;
  if (cut) names.resize(names_shown);
  return join(names, ", ") + (cut ? ", ..." : "");
}

std::vector<std::string> names_in(const std::string& list, const Table& table, const std::string& flag) {
  if (list.empty()) return {};
  std::vector<std::string> names = split_names(list);
  check_columns(table, names, flag);
  return names;
}

void check_no_name_twice(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      throw UsageError("--columns: column '" + *name + "' is named twice");
}

std::vector<std::string> choose_columns(const std::string& file, const Table& table, const FeatureFlags& flags,
                                        const InputRules& rules) {
  std::vector<std::string> asked = names_in(flags.columns, table, "--columns");
  const std::vector<std::string> excluded = names_in(flags.exclude, table, "--exclude");
  if (contains(asked, flags.weights))
    throw UsageError("column '" + flags.weights + "' is named by --columns and by --weights; use it for one of them");
  check_no_name_twice(asked);
  if (asked.empty()) asked = rules.default_columns ? rules.default_columns(table) : table.numeric_columns();
  std::vector<std::string> columns;
  for (const std::string& name : asked)
    if (!contains(excluded, name) && name != flags.weights) columns.push_back(name);
  if (columns.empty())
    throw UsageError(file +
                     (asked.empty() ? ": no column holds numbers; name columns of text with --columns"
                                    : ": no column is left to use; name some with --columns") +
                     ". The file has: " + shown(table.columns()));
  return columns;
}

/// A weight that is missing is like any other missing value, but nothing can be filled in for it.
void drop_rows_without_weight(Input& input, const FeatureFlags& flags) {
  if (flags.missing != MissingPolicy::drop || input.table.missing_count(flags.weights) == 0) return;
  input.file_row = input.table.complete_rows({flags.weights});
  input.table = input.table.select(input.file_row);
}

void note_encoded_text(Input& input) {
  for (const std::string& column : input.columns)
    if (input.table.kind(column) == ColumnKind::category)
      input.notes.push_back("column '" + column + "' is text: used as " +
                            count(static_cast<std::int64_t>(input.table.categories(column).size()), "column") +
                            " of 0 and 1");
}

void note_unused_text(const FeatureFlags& flags, Input& input) {
  if (!flags.columns.empty()) return;
  const std::vector<std::string> excluded = names_in(flags.exclude, input.table, "--exclude");
  std::vector<std::string> unused;
  for (const std::string& column : input.table.columns())
    if (input.table.kind(column) == ColumnKind::category && !contains(excluded, column)) unused.push_back(column);
  if (unused.empty()) return;
  const std::string which = unused.size() == 1 ? "it" : "them";
  const std::string number = count(static_cast<std::int64_t>(unused.size()), "column");
  input.notes.push_back(number + " of text not used: " + shown(std::move(unused)) + "; name " + which +
                        " with --columns to use " + which);
}

std::string without_columns(const Table& table, std::vector<std::string> absent, const std::string& flag) {
  const std::string which =
      absent.size() == 1 ? "no column " : "none of these " + std::to_string(absent.size()) + " columns: ";
  for (std::size_t i = 0; i < std::min(absent.size(), names_shown); ++i) {
    const std::optional<std::string> nearest = nearest_name(absent[i], table.columns());
    absent[i] = "'" + absent[i] + "'" + (nearest ? " (did you mean '" + *nearest + "'?)" : "");
  }
  return flag + ": the file has " + which + shown(std::move(absent)) + ". Its columns are: " + shown(table.columns());
}

}  // namespace

void check_columns(const Table& table, const std::vector<std::string>& columns, const std::string& flag) {
  std::vector<std::string> absent;
  for (const std::string& column : columns)
    if (!table.has_column(column)) absent.push_back(column);
  if (!absent.empty()) throw UsageError(without_columns(table, std::move(absent), flag));
}

Table read_table(const std::string& file, const CsvFlags& csv, int threads, const std::vector<std::string>& more_text) {
  CsvOptions options = csv.options(threads);
  const std::vector<std::string> asked = options.text_columns;
  options.text_columns.insert(options.text_columns.end(), more_text.begin(), more_text.end());
  Table table = file == standard_stream ? parse_csv(read_standard_input(), options, name_of_input(file))
                                        : read_csv(file, options);
  check_columns(table, asked, "--text-columns");
  return table;
}

Input read_input(const std::string& file, const CsvFlags& csv, const FeatureFlags& features, int threads,
                 const InputRules& rules) {
  Input input;
  input.name = name_of_input(file);
  input.table = read_table(file, csv, threads);
  input.file_rows = input.table.rows();
  input.columns = choose_columns(input.name, input.table, features, rules);
  check_missing(input.name, input.table, input.columns, features.missing, rules.takes_means);
  if (features.precision == Precision::float32) check_range(input.name, input.table, input.columns);
  note_encoded_text(input);
  if (!rules.default_columns) note_unused_text(features, input);
  if (features.weights.empty()) return input;
  check_columns(input.table, {features.weights}, "--weights");
  if (input.table.kind(features.weights) == ColumnKind::category)
    throw UsageError("--weights: column '" + features.weights + "' is text; weights are numbers");
  drop_rows_without_weight(input, features);
  if (features.precision == Precision::float32) check_range(input.name, input.table, {features.weights});
  input.weights =
      check_weights(input.name, input.table, features.weights, features.precision, rules.takes_negative_weights);
  return input;
}

}  // namespace tilelearn::cli
