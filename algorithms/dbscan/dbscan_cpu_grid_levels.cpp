// Grid loops of one x86-64 level (TILELEARN_LEVEL): one row against ranges of consecutive rows, one a lane. Products
// and sums may be fused or not: a Band covers both.
#include "dbscan/dbscan_cpu_lanes.hpp"
#include "dbscan/dbscan_cpu_levels.hpp"

namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL {

namespace {

/// Sums of x with the rows of one vector from a position.
template <typename T, typename Metric, int d>
inline typename Lane<T>::Values sums(const T* x, const T* const* columns, std::int32_t first) {
  typename Lane<T>::Values sum{};
#pragma GCC unroll 3
  for (int j = 0; j < d; ++j) sum = Metric::template join<T>(sum, load(columns[j] + first) - x[j]);
  return sum;
}

/// The lowest `count` bits, all of a vector's at most.
inline std::uint64_t first_bits(std::int64_t count) {
  constexpr int all = 64;
  return count >= all ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

template <typename T, typename Metric, int d>
Found count_rows(const T* x, const T* const* columns, const Range* ranges, int count, Band<T> band,
                 std::int64_t enough) {
  Found found{0, 0};
  for (int r = 0; r < count && found.inside < enough; ++r)
    for (std::int32_t first = ranges[r].first; first < ranges[r].last; first += Lane<T>::width) {
      const auto sum = sums<T, Metric, d>(x, columns, first);
      const std::uint64_t rows = first_bits(ranges[r].last - first);
      const std::uint64_t inside = bits_at_most(sum, band.inside) & rows;
      const std::uint64_t near = bits_not_at_least(sum, band.outside) & rows;
      found.inside += __builtin_popcountll(inside);
      found.open += __builtin_popcountll(near ^ inside);
      if (found.inside >= enough) break;
    }
  return found;
}

template <typename T, typename Metric, int d>
void range_masks(const T* x, const T* const* columns, std::int32_t first, int count, Band<T> band,
                 std::uint64_t* inside, std::uint64_t* near) {
  std::uint64_t row_inside = 0;
  std::uint64_t row_near = 0;
  for (int done = 0; done < count; done += Lane<T>::width) {
    const auto sum = sums<T, Metric, d>(x, columns, first + done);
    row_inside |= bits_at_most(sum, band.inside) << done;
    row_near |= bits_not_at_least(sum, band.outside) << done;
  }
  const std::uint64_t rows = first_bits(count);
  *inside = row_inside & rows;
  *near = row_near & rows;
}

/// Of the keys from a position that one vector holds, the first of which is the least, how many are below a bound.
constexpr int key_lanes = vector_bytes / sizeof(std::int64_t);
inline int below(const std::int64_t* keys, std::int64_t bound) {
#if defined(__AVX512F__)
  return __builtin_popcount(_mm512_cmplt_epi64_mask(_mm512_loadu_si512(keys), _mm512_set1_epi64(bound)));
#else
  int result = 0;
#pragma GCC unroll 4
  for (int i = 0; i < key_lanes; ++i) result += keys[i] < bound ? 1 : 0;
  return result;
#endif
}

/// The first position from `position` on whose key is not below the bound.
inline std::int32_t advance(const std::int64_t* keys, std::int32_t position, std::int64_t bound) {
  int steps = key_lanes;
  while (steps == key_lanes) {
    steps = below(keys + position, bound);
    position += steps;
  }
  return position;
}

void find_windows(const std::int64_t* keys, const Window* windows, int count, Range* cells) {
  for (int w = 0; w < count; ++w) {
    const std::int32_t first = advance(keys, *windows[w].cursor, windows[w].low);
    *windows[w].cursor = first;
    cells[w] = {first, advance(keys, first, windows[w].high + 1)};
  }
}

template <typename T, typename Metric>
inline void set_loops(GridLoops<T> (&loops)[most_grid_columns]) {
  loops[0] = {count_rows<T, Metric, 1>, range_masks<T, Metric, 1>};
  loops[1] = {count_rows<T, Metric, 2>, range_masks<T, Metric, 2>};
  loops[2] = {count_rows<T, Metric, 3>, range_masks<T, Metric, 3>};
}

/// In the order of Norm.
template <typename T>
inline void set_norms(GridLoops<T> (&loops)[norms][most_grid_columns]) {
  set_loops<T, Euclidean>(loops[0]);
  set_loops<T, Manhattan>(loops[1]);
  set_loops<T, Chebyshev>(loops[2]);
}

}  // namespace

void set_grid_loops(Loops& loops) {
  set_norms(loops.grid_float);
  set_norms(loops.grid_double);
  loops.windows = find_windows;
}

}  // namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL
