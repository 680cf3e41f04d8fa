// Is this the table that a model can be applied to? What the library would say to a program, said to its user: with the
// file, the line, and what `tilelearn predict` can do about it.
#pragma once

#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn::cli {

/// Columns that a pipeline was fitted on.
std::vector<std::string> columns_of(const Pipeline& pipeline);

/// `file` names the table in texts. @throws UsageError for what the pipeline does not take: columns that are absent or
/// of another kind, values that are missing, too large or no position, rows without a direction
void check_table(const std::string& file, const Table& table, const Pipeline& pipeline);

}  // namespace tilelearn::cli
