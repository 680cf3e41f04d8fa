#include "fit_flags.hpp"

#include "input.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

std::string printed(const FitFlags& flags) {
  if (flags.output.json) return "the JSON of --json; name another file";
  return flags.quiet ? "" : "the summary; name another file, or add --quiet";
}

}  // namespace

void add_data_flags(CLI::App& command, FitFlags& flags, const std::string& columns_help) {
  add_input_file(command, flags.file, "CSV file: a row for each sample, columns with or without names");
  add_feature_flags(command, flags.features, columns_help);
}

void add_run_flags(CLI::App& command, FitFlags& flags) {
  add_device_flags(command, flags.device);
  add_csv_flags(command, flags.csv);
  add_quiet_flag(command, flags.quiet);
}

void check_files(const FitFlags& flags, const std::vector<NamedFile>& more_inputs,
                 const std::vector<NamedFile>& more_outputs) {
  std::vector<NamedFile> inputs = {{"FILE", flags.file}};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  std::vector<NamedFile> outputs = {{"--labels", flags.output.labels},
                                    {"--model", flags.output.model},
                                    {"--plot", flags.output.plot},
                                    {"--json-file", flags.output.json_file}};
  outputs.insert(outputs.end(), more_outputs.begin(), more_outputs.end());
  check_outputs(inputs, outputs, printed(flags));
}

void check_names(const FitFlags& flags, const std::vector<std::string>& features) {
  if (flags.output.model.empty()) return;
  for (const std::string& name : features)
    if (utf8(name) != name)
      throw UsageError("--model: '" + utf8(name) + "' in " + name_of_input(flags.file) +
                       " is not UTF-8; convert the file, for example with iconv -f latin1 -t utf8");
}

std::vector<std::string> plot_columns(const FitFlags& flags, const Table& table) {
  if (flags.output.plot_columns.empty()) return {};
  std::vector<std::string> columns = split_names(flags.output.plot_columns);
  if (columns.size() != 2)
    throw UsageError("--plot-columns names " + count(static_cast<std::int64_t>(columns.size()), "column") +
                     "; name two, as in --plot-columns a,b");
  check_columns(table, columns, "--plot-columns");
  for (const std::string& column : columns)
    if (table.kind(column) == ColumnKind::category)
      throw UsageError("--plot-columns: column '" + column + "' is text; choose a column of numbers");
  return columns;
}

}  // namespace tilelearn::cli
