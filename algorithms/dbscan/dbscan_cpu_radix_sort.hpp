// Numbers the rows in the order of their keys: a stable radix sort from the lowest digit up, by any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "dbscan/dbscan_cpu_chunks.hpp"

namespace tilelearn::dbscan::cpu {

/// n keys and the rows that they belong to.
template <typename Key>
struct KeyedRows {
  Key* keys;
  std::int32_t* rows;
};

namespace radix {

inline constexpr int most_digit_bits = 11;

/// One digit of every key; counts has room for 2^digit_bits numbers a chunk.
template <typename Key>
void sort_by_digit(const KeyedRows<Key>& from, const KeyedRows<Key>& to, const Chunks& chunks, int shift,
                   int digit_bits, std::int64_t* counts) {
  const std::int64_t buckets = std::int64_t{1} << digit_bits;
  const auto digit = [shift, buckets](Key key) { return static_cast<std::int64_t>(key >> shift) & (buckets - 1); };
  chunks.for_each([&](int chunk) {
    std::int64_t* mine = counts + chunk * buckets;
    std::fill_n(mine, buckets, 0);
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) ++mine[digit(from.keys[i])];
  });
  std::int64_t place = 0;
  for (std::int64_t b = 0; b < buckets; ++b) place = make_places(counts + b, chunks.count(), buckets, place);
  chunks.for_each([&](int chunk) {
    std::int64_t* mine = counts + chunk * buckets;
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const std::int64_t to_place = mine[digit(from.keys[i])]++;
      to.keys[to_place] = from.keys[i];
      to.rows[to_place] = from.rows[i];
    }
  });
}

}  // namespace radix

/// Sorts n keys of `bits` bits with their rows, equal keys in the order they had; `other` has room for as many. Returns
/// where the sorted ones are: one of the two. O(n bits).
template <typename Key>
KeyedRows<Key> radix_sort(KeyedRows<Key> keyed, KeyedRows<Key> other, std::int64_t n, int bits,
                          const Context& context) {
  const int passes = (bits + radix::most_digit_bits - 1) / radix::most_digit_bits;
  if (passes == 0) return keyed;
  const int digit_bits = (bits + passes - 1) / passes;
  const Chunks chunks(n, context.threads);
  detail::CpuWorkspace scratch = context.workspace.nested();
  auto* counts = scratch.take<std::int64_t>(std::int64_t{chunks.count()} << digit_bits, "counts of the sort");
  for (int pass = 0; pass < passes; ++pass) {
    radix::sort_by_digit(keyed, other, chunks, pass * digit_bits, digit_bits, counts);
    std::swap(keyed, other);
  }
  return keyed;
}

}  // namespace tilelearn::dbscan::cpu
