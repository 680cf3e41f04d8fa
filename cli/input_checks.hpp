// Values that a fit does not take, named by their place in the file and answered with a flag.
#pragma once

#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn::cli {

/// "file.csv: line 3, column 'x': "
std::string place(const std::string& file, const Table& table, std::int64_t row, const std::string& column);

/// @throws UsageError for the first missing value, if that is an error; `takes_means` as InputRules has it
void check_missing(const std::string& file, const Table& table, const std::vector<std::string>& columns,
                   MissingPolicy policy, bool takes_means);

/// @throws UsageError for the first number that float32 cannot hold
void check_range(const std::string& file, const Table& table, const std::vector<std::string>& columns);

/// The weights of the rows. @throws UsageError for a weight that is missing, infinite or negative, and if none counts
VectorView<const double> check_weights(const std::string& file, const Table& table, const std::string& column,
                                       Precision precision, bool takes_negative);

/// What is to be predicted. @throws UsageError for a value that is missing or infinite
VectorView<const double> check_target(const std::string& file, const Table& table, const std::string& column);

}  // namespace tilelearn::cli
