// What is found in the neighbourhood of each row: rows counted, or their weights added, by several threads at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "dbscan/dbscan_cpu_search.hpp"

namespace tilelearn::dbscan::cpu {

/// Counts of rows. Members are numbered from 0.
class Counts {
 public:
  using Amount = std::int32_t;

  Counts(const Density& density, std::int64_t members, detail::CpuWorkspace& workspace)
      : enough_(density.min_samples), counts_(workspace.take<Amount>(members, "counts of neighbours")) {
    std::fill_n(counts_, members, 0);
  }

  /// The amount of one row.
  static Amount of(std::int32_t /*row*/) { return 1; }
  static void add(Amount& sum, Amount more) { sum += more; }

  /// True if `member` is core whatever else is found.
  bool credit(std::int64_t member, Amount more) {
    return std::atomic_ref<Amount>(counts_[member]).fetch_add(more, std::memory_order_relaxed) + more >= enough_;
  }
  /// After all of a neighbourhood was credited, or enough of it.
  [[nodiscard]] bool is_core(std::int64_t member) const { return counts_[member] >= enough_; }

 private:
  std::int64_t enough_;
  Amount* counts_;
};

/// Exact sums of weights.
class WeightSums {
 public:
  using Amount = fixed_point::Words;

  WeightSums(const Density& density, std::int64_t members, detail::CpuWorkspace& workspace)
      : density_(density), sums_(workspace.take<Amount>(members, "sums of weights")) {
    std::fill_n(sums_, members, Amount{0, 0});
  }

  [[nodiscard]] Amount of(std::int32_t row) const { return density_.words[row]; }
  static void add(Amount& sum, const Amount& more) {
    sum.high += more.high;
    sum.low += more.low;
  }

  /// True if `member` is core whatever else is found. The two words are not added as one, so that this may be missed
  /// once; where weights only grow, what is seen is never more than what is there.
  bool credit(std::int64_t member, const Amount& more) {
    Amount& sum = sums_[member];
    const Amount now{
        std::atomic_ref<std::int64_t>(sum.high).fetch_add(more.high, std::memory_order_relaxed) + more.high,
        std::atomic_ref<std::int64_t>(sum.low).fetch_add(more.low, std::memory_order_relaxed) + more.low};
    return density_.only_grows && reaches(now, density_.threshold);
  }
  [[nodiscard]] bool is_core(std::int64_t member) const { return reaches(sums_[member], density_.threshold); }

 private:
  const Density& density_;
  Amount* sums_;
};

}  // namespace tilelearn::dbscan::cpu
