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
    const DoubleDouble sum =
        DoubleDouble(sums.high[i], sums.low[i]) + DoubleDouble(more.high[i], more.low[i]);
    sums.high[i] = sum.high;
    sums.low[i] = sum.low;
  }
}

class CascadeSums {
 public:
  /// The next array, of the size of the others.
  void push(Sums sums) {
    std::size_t level = 0;
    for (std::int64_t number = pushed_++; number % 2 != 0; number /= 2, ++level) {
      add(levels_[level], sums);
      sums = std::move(levels_[level]);
    }
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level] = std::move(sums);
  }

  /// All that was pushed, of which there must be something; the longest sums last. Empties the cascade.
  Sums total() {
    Sums result;
    bool any = false;
    std::int64_t number = pushed_;
    for (std::size_t level = 0; number != 0; number /= 2, ++level) {
      if (number % 2 == 0) continue;
      if (any) add(levels_[level], result);
      result = std::move(levels_[level]);
      any = true;
    }
    pushed_ = 0;
    levels_.clear();
    return result;
  }

 private:
  std::int64_t pushed_ = 0;
  std::vector<Sums> levels_;
};

}  // namespace tilelearn::linear
