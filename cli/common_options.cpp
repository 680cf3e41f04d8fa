#include "common_options.hpp"

#include <map>

#include "number_options.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

const std::array<const char*, 3> policy_names = {"error", "drop", "mean"};
const std::array<const char*, 2> precision_names = {"float32", "float64"};
const char* const csv_group = "Reading the file";
const char* const output_group = "Output";
const char* const device_group = "Device";

/// Refuses an empty text: what a script passes whose variable has no value must not count as not given.
CLI::Option* refuse_empty(CLI::Option* option, const std::string& complaint) {
  return option->check([complaint](const std::string& text) { return text.empty() ? complaint : std::string(); });
}

/// Names between commas.
CLI::Option* add_list(CLI::App& command, const std::string& flag, std::string& list, const std::string& help) {
  return refuse_empty(command.add_option(flag, list, help),
                      "the list is empty; name a column, or leave " + flag + " out");
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

std::string device_complaint(const std::string& text) {
  const std::string cuda = "cuda:";
  const bool has_number = text.size() > cuda.size() && text.rfind(cuda, 0) == 0 &&
                          text.find_first_not_of("0123456789", cuda.size()) == std::string::npos;
  if (text == "auto" || text == "cpu" || text == "cuda" || has_number) return "";
  return "'" + text + "' is no device; give auto, cpu, cuda or cuda:N, see also 'tilelearn devices'";
}

}  // namespace

CsvOptions CsvFlags::options(int threads) const {
  CsvOptions result;
  result.delimiter = delimiter_of(delimiter);
  if (header || no_header) result.header = header;
  if (decimal_comma) result.decimal = ',';
  if (!text_columns.empty()) result.text_columns = split_names(text_columns);
  result.text_columns_must_exist = false;
  result.threads = threads;
  return result;
}

void add_csv_flags(CLI::App& command, CsvFlags& flags) {
  refuse_empty(command.add_option("--delimiter", flags.delimiter, "Character between fields, or its name [detected]"),
               "no character is given; leave --delimiter out to have it detected")
      ->group(csv_group);
  auto* header = command.add_flag("--header", flags.header, "The first line holds names [detected]")->group(csv_group);
  command.add_flag("--no-header", flags.no_header, "The first line is data; columns are column_1, column_2, ...")
      ->excludes(header)
      ->group(csv_group);
  command.add_flag("--decimal-comma", flags.decimal_comma, "Numbers have a decimal comma")->group(csv_group);
  add_list(command, "--text-columns", flags.text_columns, "a,b,c: columns that are text whatever they look like")
      ->group(csv_group);
}

void add_input_file(CLI::App& command, std::string& file, const std::string& help) {
  command.add_option("FILE", file, help + "; - is standard input")->required();
}

void add_feature_flags(CLI::App& command, FeatureFlags& flags, const std::string& columns_help) {
  add_list(command, "--columns", flags.columns, "a,b,c: columns to use " + columns_help);
  add_list(command, "--exclude", flags.exclude, "a,b,c: columns not to use");
  refuse_empty(
      command.add_option("--weights", flags.weights, "Column with the weight of each row; it is not used otherwise"),
      "no column is named");
  command.add_flag("--standardize", flags.standardize, "Scale every column to mean 0 and standard deviation 1 first");
  add_choice(command, "--missing", flags.missing, policy_names,
             "A row without a value: an error, left out, or filled in with the column's mean");
  add_choice(command, "--precision", flags.precision, precision_names, "Type of the numbers that the fit works on");
}

void add_device_flags(CLI::App& command, DeviceFlags& flags) {
  command
      .add_option("--device", flags.device,
                  "auto, cpu, cuda or cuda:N [auto: the GPU where one is usable and the data are large enough to gain]")
      ->check(device_complaint)
      ->group(device_group);
  add_integer(command, "--threads", flags.threads, "CPU threads [all]; results do not depend on it",
              "INT:1 to " + std::to_string(Device::max_threads), {1, Device::max_threads})
      ->group(device_group);
  add_bytes(command, "--workspace-limit", flags.workspace_limit,
            "Bytes of working memory at most (also 512MB, 2GB: powers of 1024); results do not depend on it")
      ->group(device_group);
}

CLI::Option* add_output_file(CLI::App& command, const std::string& name, std::string& path, const std::string& help) {
  const auto resolve = [](const std::string& text) { return text == standard_stream ? standard_output_path : text; };
  return refuse_empty(command.add_option(name, path, help), "no file is named")
      ->transform(resolve)
      ->group(output_group);
}

void add_output_flags(CLI::App& command, OutputFlags& flags, const std::string& plot_help) {
  add_output_file(command, "--model", flags.model,
                  "Model file to write, for 'tilelearn predict' and for C++; - for this or another file is standard "
                  "output, where --quiet makes room for one");
  add_output_file(command, "--plot", flags.plot, "SVG picture to write" + plot_help);
  command
      .add_flag(
          "--json", flags.json,
          "Print JSON in place of the summary; every number reads back as the same bits, and one beyond float64 is "
          "null, with a warning")
      ->group(output_group);
  add_output_file(command, "--json-file", flags.json_file, "Write the JSON to a file");
  add_integer(command, "--repeat", flags.repeat, "Fit so many times and report the fastest [1]")->group(output_group);
}

void add_cluster_output_flags(CLI::App& command, OutputFlags& flags, const std::string& labels_columns) {
  add_output_file(command, "--labels", flags.labels,
                  "CSV file to write: " + labels_columns +
                      ", a row for each row of the input ('tilelearn predict' calls its column 'prediction')");
  add_output_flags(command, flags, "");
  add_list(command, "--plot-columns", flags.plot_columns, "a,b: columns to draw [the first two principal directions]")
      ->needs(command.get_option("--plot"))
      ->group(output_group);
}

void add_quiet_flag(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,-q", quiet, "Print no summary, notes, warnings or progress; errors alone")
      ->group(output_group);
}

const char* name_of(MissingPolicy policy) { return policy_names.at(static_cast<std::size_t>(policy)); }
const char* name_of(Precision precision) { return precision_names.at(static_cast<std::size_t>(precision)); }

}  // namespace tilelearn::cli
