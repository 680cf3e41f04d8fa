// Tables for a terminal.
#pragma once

#include <string>
#include <vector>

namespace tilelearn::cli {

/// The first row is the header; all rows have as many cells.
using Cells = std::vector<std::vector<std::string>>;

/// Right-aligned columns, two blanks apart.
std::string align(const Cells& rows);

}  // namespace tilelearn::cli
