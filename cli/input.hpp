// From a CSV file to the columns, weights and targets that a command works on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>
#include <tilelearn/table.hpp>

#include "common_options.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

/// A table, less the rows that --missing drop leaves out for want of a weight or a target.
struct Input {
  std::string name;  ///< of the file, for texts
  Table table;
  std::int64_t file_rows = 0;
  std::vector<std::int64_t> file_row;  ///< of each row of the table; empty: the same
  std::vector<std::string> columns;
  std::optional<VectorView<const double>> weights;  ///< a column of the table
  std::optional<VectorView<const double>> target;   ///< the same
  std::vector<std::string> notes;                   ///< on what was taken for granted, for the end of the work

  /// The row of the file, from 0, of a row of the table.
  [[nodiscard]] std::int64_t row_in_file(std::int64_t row) const {
    return file_row.empty() ? row : file_row[static_cast<std::size_t>(row)];
  }
};

/// @throws UsageError that names all columns that the file lacks, the nearest names and those that it has
void check_columns(const Table& table, const std::vector<std::string>& columns, const std::string& flag);

/// What `work` returns; an error about its data names the file they come from, which the library no longer knows.
template <typename Work>
auto naming_file(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    throw UsageError(name + ": " + error.what());
  }
}

/// Reads FILE, "-" for standard input. `more_text` are columns of text, beyond those of the flags, if it has them.
Table read_table(const std::string& file, const CsvFlags& csv, int threads,
                 const std::vector<std::string>& more_text = {});

/// What an estimator asks of its input.
struct InputRules {
  /// The columns to use where --columns names none; if not given, all columns of numbers.
  std::function<std::vector<std::string>(const Table&)> default_columns{};
  /// The column that is to be predicted, of numbers; empty for none.
  std::string target{};
  /// Whether the first value of a column of text has no column of 0 and 1.
  bool drops_first = false;
  bool takes_negative_weights = false;
  bool takes_means = true;  ///< whether a column's mean may stand for a value, and a column be done without
};

Input read_input(const std::string& file, const CsvFlags& csv, const FeatureFlags& features, int threads,
                 const InputRules& rules = {});

}  // namespace tilelearn::cli
