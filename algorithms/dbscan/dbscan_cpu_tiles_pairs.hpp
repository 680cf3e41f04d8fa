// Rows of one tile against the rows of another: which pairs are within eps, as bits.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_cpu_ties.hpp"
#include "dbscan/dbscan_cpu_tiles.hpp"

namespace tilelearn::dbscan::cpu {

/// Calls body(bit) for the bits of a word from the lowest.
template <typename Body>
void for_bits(std::uint64_t word, const Body& body) {
  for (; word != 0; word &= word - 1) body(__builtin_ctzll(word));
}

template <typename T>
class TilePairs {
 public:
  explicit TilePairs(const Ball& ball)
      : ball_(ball), band_(make_band<T>(ball)), loops_(tile_loops<T>(static_cast<int>(ball.norm))) {}

  /// Calls body(r, mask) for every row r of `queries` (bits of tile `from` of `a`) that has rows of `lanes` (bits of
  /// tile `to` of `b`) within eps; `mask` has a bit for each. body returns whether to go on.
  template <typename Body>
  void for_rows(const Tiles<T>& a, std::int32_t from, std::uint64_t queries, const Tiles<T>& b, std::int32_t to,
                std::uint64_t lanes, const T* lanes_box, const Body& body) const {
    if (queries == 0) return;
    const int d = ball_.d;
    queries &= loops_.near_box(a.tile(from), lanes_box, d, band_.outside);
    const T* rows[batch];
    int numbers[batch];
    while (queries != 0) {
      int count = 0;
      for (; queries != 0 && count < batch; queries &= queries - 1, ++count) {
        numbers[count] = __builtin_ctzll(queries);
        rows[count] = a.values_at(std::int64_t{from} * tile_rows + numbers[count]);
      }
      std::uint64_t inside[batch];
      std::uint64_t near[batch];
      loops_.masks(rows, count, b.tile(to), d, band_, inside, near);
      for (int q = 0; q < count; ++q) {
        const std::uint64_t mask = (inside[q] | decided(rows[q], b, to, near[q] & ~inside[q] & lanes)) & lanes;
        if (mask != 0 && !body(numbers[q], mask)) return;
      }
    }
  }

 private:
  /// Rows whose masks are made at once.
  static constexpr int batch = 8;

  /// Of the rows that the band leaves open, those that are within eps.
  [[nodiscard]] std::uint64_t decided(const T* x, const Tiles<T>& b, std::int32_t to, std::uint64_t open) const {
    std::uint64_t result = 0;
    for_bits(open, [&](int bit) {
      if (within_or_tied(x, b.values_at(std::int64_t{to} * tile_rows + bit), ball_)) result |= 1ULL << bit;
    });
    return result;
  }

  const Ball& ball_;
  Band<T> band_;
  const TileLoops<T>& loops_;
};

}  // namespace tilelearn::dbscan::cpu
