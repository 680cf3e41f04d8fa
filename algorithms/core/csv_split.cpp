// A byte is inside quotes when an odd number of quotes precedes it: doubled quotes leave the parity as it is, and
// quotes elsewhere are an error. Blocks are counted independently, then a running parity gives each block's state.
#include "core/csv_split.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/csv_parallel.hpp"

namespace tilelearn::csv {

namespace {

constexpr std::size_t least_block_bytes = std::size_t{1} << 20;
constexpr std::size_t least_block_lines = 256;  // what is kept for each block and column stays small beside the cells

std::size_t choose_block_bytes(std::string_view text) {
  const std::size_t first_line = std::min(text.find('\n'), text.size()) + 1;
  return std::max(least_block_bytes, std::min(text.size(), least_block_lines * first_line));
}

/// Whether a byte occurs an odd number of times. The lanes are what compilers turn into vector instructions.
bool occurs_oddly(std::string_view text, char byte) {
  constexpr std::size_t width = 64;
  std::array<unsigned char, width> lanes{};
  std::size_t i = 0;
  for (; i + width <= text.size(); i += width)
    for (std::size_t j = 0; j < width; ++j) lanes[j] ^= static_cast<unsigned char>(text[i + j] == byte);
  unsigned odd = 0;
  for (const unsigned char lane : lanes) odd ^= lane;
  for (; i < text.size(); ++i) odd ^= static_cast<unsigned>(text[i] == byte);
  return odd != 0;
}

/// The offset after the first newline outside quotes in [from, to), or `to`.
std::size_t first_record_after(std::string_view text, std::size_t from, std::size_t to, char quote, bool quoted) {
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] == quote) quoted = !quoted;
    if (text[i] == '\n' && !quoted) return i + 1;
  }
  return to;
}

}  // namespace

TextScan scan_text(std::string_view text, char quote, int threads) {
  TextScan scan;
  scan.block_bytes = choose_block_bytes(text);
  const std::size_t blocks = (text.size() + scan.block_bytes - 1) / scan.block_bytes;
  std::vector<std::size_t> nul(blocks);
  std::vector<unsigned char> odd(blocks);
  parallel_for(static_cast<std::int64_t>(blocks), threads, [&](std::int64_t i) {
    const auto b = static_cast<std::size_t>(i);
    const std::string_view block = text.substr(b * scan.block_bytes, scan.block_bytes);
    nul[b] = block.find('\0');
    odd[b] = quote != '\0' && occurs_oddly(block, quote);
  });
  bool quoted = false;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (nul[b] != std::string_view::npos && scan.first_nul == std::string_view::npos)
      scan.first_nul = b * scan.block_bytes + nul[b];
    scan.starts_quoted.push_back(quoted);
    quoted ^= odd[b] != 0;
  }
  return scan;
}

std::vector<std::string_view> split_records(std::string_view text, std::size_t begin, char quote,
                                            const TextScan& scan) {
  std::vector<std::string_view> pieces;
  for (std::size_t b = 0; b < scan.starts_quoted.size(); ++b) {
    const std::size_t from = b * scan.block_bytes;
    const std::size_t to = std::min(from + scan.block_bytes, text.size());
    if (from <= begin) continue;
    const std::size_t cut = first_record_after(text, from, to, quote, scan.starts_quoted[b]);
    if (cut == to) continue;
    pieces.push_back(text.substr(begin, cut - begin));
    begin = cut;
  }
  if (begin < text.size()) pieces.push_back(text.substr(begin));
  return pieces;
}

}  // namespace tilelearn::csv
