// A hash table without nodes for the numbering, and a sort that mostly compares the first eight bytes as one integer.
#include "core/csv_words.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>

#include <tilelearn/error.hpp>

namespace tilelearn::csv {

namespace {

constexpr std::int32_t unused = -1;
constexpr std::size_t first_slots = 64;

struct Entry {
  std::uint64_t prefix;
  std::string_view text;
  std::size_t list;
  std::size_t code;
};

/// The first eight bytes, so that integers are ordered as the texts are; shorter texts are filled with zeros.
std::uint64_t prefix_of(std::string_view text) {
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    prefix = prefix << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  return prefix;
}

std::vector<Entry> sorted_entries(const std::vector<const Words*>& lists) {
  std::vector<Entry> entries;
  for (std::size_t list = 0; list < lists.size(); ++list) {
    const auto& texts = lists[list]->texts();
    for (std::size_t code = 0; code < texts.size(); ++code)
      entries.push_back({prefix_of(texts[code]), texts[code], list, code});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : a.text < b.text;
  });
  return entries;
}

}  // namespace

std::int32_t Words::code_of(std::string_view text) {
  if (2 * texts_.size() >= slots_.size()) grow();
  const std::size_t hash = std::hash<std::string_view>{}(text);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != unused; slot = (slot + 1) & (slots_.size() - 1)) {
    const auto known = static_cast<std::size_t>(slots_[slot]);
    if (hashes_[known] == hash && texts_[known] == text) return slots_[slot];
  }
  slots_[slot] = static_cast<std::int32_t>(texts_.size());
  texts_.push_back(text);
  hashes_.push_back(hash);
  return slots_[slot];
}

void Words::grow() {
  slots_.assign(std::max(first_slots, 2 * slots_.size()), unused);
  for (std::size_t code = 0; code < texts_.size(); ++code) {
    std::size_t slot = hashes_[code] & (slots_.size() - 1);
    while (slots_[slot] != unused) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::int32_t>(code);
  }
}

SortedWords sort_words(const std::vector<const Words*>& lists) {
  SortedWords sorted;
  for (const Words* words : lists) sorted.codes.emplace_back(words->texts().size());
  for (const Entry& entry : sorted_entries(lists)) {
    if (sorted.texts.empty() || sorted.texts.back() != entry.text) {
      if (sorted.texts.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw InvalidArgument("a column has more than 2^31 - 1 categories");
      sorted.texts.push_back(entry.text);
    }
    sorted.codes[entry.list][entry.code] = static_cast<std::int32_t>(sorted.texts.size() - 1);
  }
  return sorted;
}

}  // namespace tilelearn::csv
