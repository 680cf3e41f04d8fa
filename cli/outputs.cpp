#include "outputs.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "core/atomic_file.hpp"
#include "core/text.hpp"
#include "standard_streams.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

namespace fs = std::filesystem;

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return fs::is_regular_file(a, error);
  return !fs::exists(a, error) &&
         fs::weakly_canonical(fs::absolute(a), error) == fs::weakly_canonical(fs::absolute(b), error);
}

void check_input(const NamedFile& input, const NamedFile& output) {
  const std::string path = input.path == standard_stream ? standard_input_path : input.path;
  if (!path.empty() && is_same_file(output.path, path))
    throw UsageError(output.flag + " '" + output.path + "' is the file that is read (" + input.flag +
                     "); name another file");
}

void check_other_output(const NamedFile& other, const NamedFile& output) {
  if (other.path.empty()) return;
  const bool share_stream = is_standard_output(other.path) && is_standard_output(output.path);
  if (share_stream || is_same_file(output.path, other.path))
    throw UsageError(output.flag + " and " + other.flag + " are the same file '" + output.path + "'; name two files");
}

}  // namespace

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   const std::string& printed) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    for (const NamedFile& input : inputs) check_input(input, output);
    for (std::size_t j = 0; j < i; ++j) check_other_output(outputs[j], output);
    if (!printed.empty() && is_standard_output(output.path))
      throw UsageError(output.flag + " '" + output.path + "' is standard output, which takes " + printed);
    // Opening and leaving it shows now, not after a long fit, whether the file can be written.
    const detail::AtomicFile probe(output.path);
  }
}

std::string integers_csv(const std::vector<IntegerColumn>& columns) {
  std::string text;
  for (const IntegerColumn& column : columns) text += (text.empty() ? "" : ",") + column.name;
  text += '\n';
  std::array<char, 16> digits{};
  for (std::size_t row = 0; row < columns[0].values.size(); ++row) {
    for (const IntegerColumn& column : columns) {
      if (&column != columns.data()) text += ',';
      if (column.values[row] != left_out)
        text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), column.values[row]).ptr);
      else if (columns.size() == 1)
        text += "\"\"";
    }
    text += '\n';
  }
  return text;
}

std::string values_csv(const std::string& name, const std::vector<double>& values, Precision precision) {
  std::string text = name + '\n';
  for (const double value : values) {
    if (std::isnan(value))
      text += "\"\"";
    else if (precision == Precision::float32)
      text += detail::shortest_text(static_cast<float>(value));
    else
      text += detail::shortest_text(value);
    text += '\n';
  }
  return text;
}

}  // namespace tilelearn::cli
