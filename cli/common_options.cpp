#include "common_options.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <map>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

const std::array<const char*, 3> policy_names = {"error", "drop", "mean"};
const std::array<const char*, 2> precision_names = {"float32", "float64"};
const char* const csv_group = "Reading the file";
const char* const output_group = "Output";
const char* const device_group = "Device";

/// A flag whose value is one of `names`, in the order of the enumeration.
template <typename Enum, std::size_t n>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Enum& value,
                        const std::array<const char*, n>& names, const std::string& help) {
  const auto choose = [&value, &names](const std::string& text) {
    for (std::size_t i = 0; i < n; ++i)
      if (text == names[i]) value = static_cast<Enum>(i);
  };
  std::string default_name = names[static_cast<std::size_t>(value)];
  return command.add_option_function<std::string>(flag, choose, help)
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->option_text("TEXT:{" + join({names.begin(), names.end()}, ",") + "} [" + default_name + "]");
}

std::optional<char> delimiter_of(const std::string& text) {
  static const std::map<std::string, char> names = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},
                                                    {"\\t", '\t'},  {"pipe", '|'},      {"space", ' '}};
  if (text.empty()) return std::nullopt;
  const auto named = names.find(text);
  if (named != names.end()) return named->second;
  if (text.size() == 1) return text[0];
  throw UsageError("--delimiter is '" + text + "'; give one character, or comma, semicolon, tab, pipe or space");
}

}  // namespace

CsvOptions CsvFlags::options(int threads) const {
  CsvOptions result;
  result.delimiter = delimiter_of(delimiter);
  if (header || no_header) result.header = header;
  if (decimal_comma) result.decimal = ',';
  if (!text_columns.empty()) result.text_columns = split_names(text_columns);
  result.threads = threads;
  return result;
}

void add_csv_flags(CLI::App& command, CsvFlags& flags) {
  command.add_option("--delimiter", flags.delimiter, "Character between fields, or its name [detected]")
      ->group(csv_group);
  auto* header = command.add_flag("--header", flags.header, "The first line holds names [detected]")->group(csv_group);
  command.add_flag("--no-header", flags.no_header, "The first line is data; columns are column_1, column_2, ...")
      ->excludes(header)
      ->group(csv_group);
  command.add_flag("--decimal-comma", flags.decimal_comma, "Numbers have a decimal comma")->group(csv_group);
  command.add_option("--text-columns", flags.text_columns, "a,b,c: columns that are text whatever they look like")
      ->group(csv_group);
}

void add_feature_flags(CLI::App& command, FeatureFlags& flags) {
  command.add_option("--columns", flags.columns,
                     "a,b,c: columns to use [all columns of numbers]; a column of text becomes one column of 0 and 1 "
                     "for each of its values");
  command.add_option("--exclude", flags.exclude, "a,b,c: columns not to use");
  command.add_option("--weights", flags.weights, "Column with the weight of each row; it is not used otherwise");
  command.add_flag("--standardize", flags.standardize, "Scale every column to mean 0 and standard deviation 1 first");
  add_choice(command, "--missing", flags.missing, policy_names,
             "A row without a value: an error, left out, or filled in with the column's mean");
  add_choice(command, "--precision", flags.precision, precision_names, "Type of the numbers that the fit works on");
}

void add_device_flags(CLI::App& command, DeviceFlags& flags) {
  command
      .add_option("--device", flags.device,
                  "auto, cpu, cuda or cuda:N [auto: the GPU where one is usable and the data are large enough to gain]")
      ->group(device_group);
  command.add_option("--threads", flags.threads, "CPU threads [all]; results do not depend on it")
      ->check(CLI::Range(1, Device::max_threads).description("1 to " + std::to_string(Device::max_threads)))
      ->group(device_group);
  const auto read_limit = [&flags](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), flags.workspace_limit);
    if (error != std::errc{} || end != text.data() + text.size() || flags.workspace_limit < 0)
      throw UsageError("--workspace-limit: give a number of bytes, or a size such as 512MB");
  };
  command
      .add_option_function<std::string>(
          "--workspace-limit", read_limit,
          "Bytes of working memory at most (also 512MB, 2GB: powers of 1024); results do not depend on it")
      ->transform(CLI::AsSizeValue(false).description("BYTES"))
      ->group(device_group);
}

void add_output_flags(CLI::App& command, OutputFlags& flags) {
  command.add_option("--labels", flags.labels, "CSV file to write: column 'label', a row for each row of the input")
      ->group(output_group);
  command.add_option("--model", flags.model, "Model file to write, for 'tilelearn predict' and for C++")
      ->group(output_group);
  auto* plot = command.add_option("--plot", flags.plot, "SVG picture to write")->group(output_group);
  command.add_option("--plot-columns", flags.plot_columns, "a,b: columns to draw [the first two principal directions]")
      ->needs(plot)
      ->group(output_group);
  command.add_flag("--json", flags.json, "Print JSON in place of the summary")->group(output_group);
  command.add_option("--json-file", flags.json_file, "Write the JSON to a file")->group(output_group);
  command.add_option("--repeat", flags.repeat, "Fit so many times and report the fastest [1]")
      ->check(at_least_one())
      ->group(output_group);
}

CLI::Validator at_least_one() { return CLI::Range(1, std::numeric_limits<int>::max()).description("1 or more"); }

void add_quiet_flag(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,-q", quiet, "Print no summary, notes, warnings or progress; errors alone")
      ->group(output_group);
}

void add_real(CLI::App& command, const std::string& name, double& value, const std::string& help) {
  const auto read = [&value, name](const std::string& text) {
    const std::optional<double> number = parse_real(text);
    if (!number) throw UsageError(name + " is '" + text + "'; give a number such as 1e-4");
    value = *number;
  };
  command.add_option_function<std::string>(name, read, help)->option_text("FLOAT [" + exact(value) + "]");
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  const auto read = [&seed](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size())
      throw UsageError("--seed is '" + text + "'; give a whole number from 0 to 2^64 - 1");
  };
  command.add_option_function<std::string>("--seed", read, "Equal seeds give equal results")->option_text("UINT [0]");
}

const char* name_of(MissingPolicy policy) { return policy_names.at(static_cast<std::size_t>(policy)); }
const char* name_of(Precision precision) { return precision_names.at(static_cast<std::size_t>(precision)); }

}  // namespace tilelearn::cli
