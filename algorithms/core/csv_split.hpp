// Cuts a text into pieces that begin with a record, although quoted fields may hold newlines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilelearn::csv {

/// What one look at every byte tells: the first NUL, and whether an even number of quotes precedes each block.
struct TextScan {
  std::size_t block_bytes = 0;
  std::size_t first_nul = std::string_view::npos;
  std::vector<bool> starts_quoted;  ///< for each block of the text
};

/// The size of a block depends on the text alone, so that nothing that follows depends on the number of threads.
TextScan scan_text(std::string_view text, char quote, int threads);

/// Pieces of the text from offset `begin` (where a record begins) to its end. Each begins with a record and, except the
/// last, ends with a newline; together they are that part of the text. If a quote is out of place, the pieces up to the
/// one that holds it are still right.
std::vector<std::string_view> split_records(std::string_view text, std::size_t begin, char quote, const TextScan& scan);

}  // namespace tilelearn::csv
