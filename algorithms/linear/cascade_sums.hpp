// Sums of many arrays in a binary tree that their numbers alone decide: array 2k and 2k + 1 are added, then those sums
// likewise, however many arrays follow. Holds one array a level of the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "linear/double_double.hpp"

namespace tilelearn::linear {

/// Doubles, or double-double numbers where low is not empty.
struct Sums {
  std::vector<double> high;
  std::vector<double> low;
};

inline void add(Sums& sums, const Sums& more) {
  if (sums.low.empty()) {
    for (std::size_t i = 0; i < sums.high.size(); ++i) sums.high[i] += more.high[i];
    return;
  }
  for (std::size_t i = 0; i < sums.high.size(); ++i) {
    const DoubleDouble sum = DoubleDouble(sums.high[i], sums.low[i]) + DoubleDouble(more.high[i], more.low[i]);
    sums.high[i] = sum.high;
    sums.low[i] = sum.low;
  }
}

class CascadeSums {
 public:
  /// A tree whose leaves are subtrees of so many arrays, a power of two.
  explicit CascadeSums(std::int64_t leaf = 1) : leaf_(leaf) {}

  /// The next leaf, of the size of the others.
  void push(Sums sums) {
    std::size_t level = 0;
    for (std::int64_t number = leaves_++; number % 2 != 0; number /= 2, ++level) {
      add(levels_[level], sums);
      sums = std::move(levels_[level]);
    }
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level] = std::move(sums);
  }

  /// The arrays of another cascade as the next leaf; only the last one may hold fewer than a whole leaf.
  void push_subtree(CascadeSums& subtree) {
    if (subtree.leaves_ == leaf_)
      push(subtree.total());
    else
      last_ = subtree.total();
  }

  /// All that was pushed, of which there must be something; the longest sums last. Empties the cascade.
  Sums total() { return total_with(std::move(last_)); }

  /// The same with the sums of a last leaf that is not whole; `result` may be empty.
  Sums total_with(Sums result) {
    std::int64_t number = leaves_;
    for (std::size_t level = 0; number != 0; number /= 2, ++level) {
      if (number % 2 == 0) continue;
      if (!result.high.empty()) add(levels_[level], result);
      result = std::move(levels_[level]);
    }
    leaves_ = 0;
    levels_.clear();
    last_ = {};
    return result;
  }

 private:
  std::int64_t leaf_;
  std::int64_t leaves_ = 0;
  std::vector<Sums> levels_;
  Sums last_;  ///< of the last leaf, where it is not whole
};

}  // namespace tilelearn::linear
