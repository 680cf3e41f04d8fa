// Files that a command writes: checked before the work begins, written whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::cli {

/// A file named on the command line, and the flag that named it.
struct NamedFile {
  std::string flag;
  std::string path;
};

/// `printed` is what goes to standard output, and the remedy where a file does as well; empty for nothing.
/// @throws UsageError for an output that is an input, another output or standard output (both would be lost),
///   tilelearn::Error for one that cannot be written
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                   const std::string& printed);

struct IntegerColumn {
  std::string name;
  const std::vector<std::int32_t>& values;
};

/// Columns of equal length with a header; left_out is an empty cell. That of an only column is written "" because
/// readers skip blank lines.
std::string integers_csv(const std::vector<IntegerColumn>& columns);

/// One column of numbers, each with the fewest digits that read back as the same number of the precision; NaN is an
/// empty cell, written "".
std::string values_csv(const std::string& name, const std::vector<double>& values, Precision precision);

}  // namespace tilelearn::cli
