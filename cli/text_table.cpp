#include "text_table.hpp"

#include <algorithm>

namespace tilelearn::cli {

namespace {

/// Characters, for UTF-8: bytes that do not continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string align(const Cells& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width(row[j]));
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j)
      text += std::string((j == 0 ? 0 : 2) + widths[j] - width(row[j]), ' ') + row[j];
    text += '\n';
  }
  return text;
}

}  // namespace tilelearn::cli
