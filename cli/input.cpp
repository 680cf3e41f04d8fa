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

void check_one_use(const std::vector<std::string>& columns, const std::string& weights, const std::string& target) {
  const auto refuse = [](const std::string& column, const std::string& flag, const std::string& other) {
    throw UsageError("column '" + column + "' is named by " + flag + " and by " + other + "; use it for one of them");
  };
  if (contains(columns, weights)) refuse(weights, "--columns", "--weights");
  if (contains(columns, target)) refuse(target, "--columns", "--target");
  if (!target.empty() && target == weights) refuse(target, "--target", "--weights");
}

std::vector<std::string> choose_columns(const std::string& file, const Table& table, const FeatureFlags& flags,
                                        const InputRules& rules) {
  std::vector<std::string> asked = names_in(flags.columns, table, "--columns");
  const std::vector<std::string> excluded = names_in(flags.exclude, table, "--exclude");
  check_one_use(asked, flags.weights, rules.target);
  check_no_name_twice(asked);
  if (asked.empty()) asked = rules.default_columns ? rules.default_columns(table) : table.numeric_columns();
  std::vector<std::string> columns;
  for (const std::string& name : asked)
    if (!contains(excluded, name) && name != flags.weights && name != rules.target) columns.push_back(name);
  if (columns.empty())
    throw UsageError(file +
                     (asked.empty() ? ": no column holds numbers; name columns of text with --columns"
                                    : ": no column is left to use; name some with --columns") +
                     ". The file has: " + shown(table.columns()));
  return columns;
}

/// A weight or a target that is missing is like any other missing value, but nothing can be filled in for it.
void drop_rows_without(Input& input, const std::vector<std::string>& columns, MissingPolicy policy) {
  if (policy != MissingPolicy::drop || columns.empty()) return;
  std::vector<std::int64_t> complete = input.table.complete_rows(columns);
  if (static_cast<std::int64_t>(complete.size()) == input.table.rows()) return;
  input.table = input.table.select(complete);
  input.file_row = std::move(complete);
}

std::string encoded_as(const std::vector<std::string>& categories, bool drops_first) {
  const auto values = static_cast<std::int64_t>(categories.size());
  if (!drops_first) return "used as " + count(values, "column") + " of 0 and 1";
  if (values == 1) return "not used, for '" + categories[0] + "' is its only value";
  return "used as " + count(values - 1, "column") + " of 0 and 1, against '" + categories[0] + "'";
}

void note_encoded_text(Input& input, bool drops_first) {
  for (const std::string& column : input.columns)
    if (input.table.kind(column) == ColumnKind::category)
      input.notes.push_back("column '" + column +
                            "' is text: " + encoded_as(input.table.categories(column), drops_first));
}

void check_is_number(const Table& table, const std::string& column, const std::string& flag, const std::string& what) {
  check_columns(table, {column}, flag);
  if (table.kind(column) == ColumnKind::category)
    throw UsageError(flag + ": column '" + column + "' is text; " + what + " are numbers");
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

/// They are views of the table, which is whole after the rows without them are dropped.
void add_weights_and_target(const FeatureFlags& features, const InputRules& rules, Input& input) {
  std::vector<std::string> needed;
  for (const std::string& column : {features.weights, rules.target})
    if (!column.empty()) needed.push_back(column);
  if (!features.weights.empty()) check_is_number(input.table, features.weights, "--weights", "weights");
  drop_rows_without(input, needed, features.missing);
  if (features.precision == Precision::float32) check_range(input.name, input.table, needed);
  if (!features.weights.empty())
    input.weights =
        check_weights(input.name, input.table, features.weights, features.precision, rules.takes_negative_weights);
  if (!rules.target.empty()) input.target = check_target(input.name, input.table, rules.target);
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
  if (!rules.target.empty()) check_is_number(input.table, rules.target, "--target", "targets");
  input.columns = choose_columns(input.name, input.table, features, rules);
  check_missing(input.name, input.table, input.columns, features.missing, rules.takes_means);
  if (features.precision == Precision::float32) check_range(input.name, input.table, input.columns);
  note_encoded_text(input, rules.drops_first);
  if (!rules.default_columns) note_unused_text(features, input);
  add_weights_and_target(features, rules, input);
  return input;
}

}  // namespace tilelearn::cli
