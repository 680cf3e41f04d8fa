// Sets that any number of threads join at once. The root of a set is its least member, whatever the order of the joins.
//
// Source: S. V. Jayanti, R. E. Tarjan, A randomized concurrent algorithm for disjoint set union, PODC 2016 (linking by
// index in place of random order).
#pragma once

#include <atomic>
#include <cstdint>

namespace tilelearn::dbscan::cpu {

class UnionFind {
 public:
  /// `parents`: parent of each member, itself for a set of one; outlives this.
  explicit UnionFind(std::int32_t* parents) : parents_(parents) {}

  /// The least member of the set of `member`, as far as joins under way have come.
  [[nodiscard]] std::int32_t root(std::int32_t member) const {
    for (;;) {
      const std::int32_t parent = load(member);
      if (parent == member) return member;
      const std::int32_t grandparent = load(parent);
      // Any ancestor may stand as the parent: halves the path, and a race does no harm.
      if (grandparent != parent) at(member).store(grandparent, std::memory_order_relaxed);
      member = grandparent;
    }
  }

  void join(std::int32_t a, std::int32_t b) const {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      std::int32_t higher = a < b ? b : a;
      const std::int32_t lower = a < b ? a : b;
      std::int32_t expected = higher;
      if (at(higher).compare_exchange_strong(expected, lower, std::memory_order_relaxed)) return;
    }
  }

  /// Whether `member` is in the set of `root`, which is a root or was one.
  [[nodiscard]] bool is_in(std::int32_t member, std::int32_t of_root) const {
    return load(member) == of_root || root(member) == root(of_root);
  }

  [[nodiscard]] bool joined(std::int32_t a, std::int32_t b) const { return root(a) == root(b); }

 private:
  [[nodiscard]] std::atomic_ref<std::int32_t> at(std::int32_t member) const {
    return std::atomic_ref<std::int32_t>(parents_[member]);
  }
  [[nodiscard]] std::int32_t load(std::int32_t member) const { return at(member).load(std::memory_order_relaxed); }

  std::int32_t* parents_;
};

}  // namespace tilelearn::dbscan::cpu
