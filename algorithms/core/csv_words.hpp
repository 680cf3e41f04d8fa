// The distinct texts of a column: numbered as a piece of the file meets them, then sorted over all pieces.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilelearn::csv {

/// Distinct texts, numbered from 0 in the order in which they came. The texts themselves are not copied.
class Words {
 public:
  /// The text's number, a new one if it is new.
  std::int32_t code_of(std::string_view text);
  [[nodiscard]] const std::vector<std::string_view>& texts() const noexcept { return texts_; }

 private:
  void grow();

  std::vector<std::string_view> texts_;
  std::vector<std::size_t> hashes_;  ///< of each text
  std::vector<std::int32_t> slots_;  ///< open addressing: a text's number or `unused`; a power of two of them
};

/// All texts of several lists, sorted by their bytes.
struct SortedWords {
  std::vector<std::string_view> texts;
  std::vector<std::vector<std::int32_t>> codes;  ///< for each list: its numbers to indices into `texts`
};

/// O(n log n) comparisons for n texts in all lists together. @throws InvalidArgument beyond 2^31 - 1 distinct ones
SortedWords sort_words(const std::vector<const Words*>& lists);

}  // namespace tilelearn::csv
