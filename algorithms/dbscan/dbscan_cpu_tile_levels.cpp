// Tile loops of one x86-64 level (TILELEARN_LEVEL): rows against the 64 rows of a tile, one a lane, left off after a
// few columns where no lane can be within eps any more. Products and sums may be fused or not: a Band covers both.
#include "dbscan/dbscan_cpu_lanes.hpp"
#include "dbscan/dbscan_cpu_levels.hpp"

namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL {

namespace {

/// Vectors that are summed side by side for each of two rows: enough independent sums to hide their latency.
constexpr int group = 4;
constexpr int pair = 2;
/// Columns between two looks whether any lane is still near.
constexpr int columns_between_looks = 8;

/// Sums of one row with group * width rows of a tile.
template <typename T>
struct Sums {
  typedef typename Lane<T>::Values Values;
  Values of[group];

  template <typename Metric>
  inline void join(const Values (&column)[group], T x) {
#pragma GCC unroll 4
    for (int g = 0; g < group; ++g) of[g] = Metric::template join<T>(of[g], column[g] - x);
  }
  [[nodiscard]] inline std::uint64_t near(T outside) const {
    std::uint64_t result = 0;
#pragma GCC unroll 4
    for (int g = 0; g < group; ++g) result |= bits_not_at_least(of[g], outside) << (g * Lane<T>::width);
    return result;
  }
  [[nodiscard]] inline std::uint64_t inside(T limit) const {
    std::uint64_t result = 0;
#pragma GCC unroll 4
    for (int g = 0; g < group; ++g) result |= bits_at_most(of[g], limit) << (g * Lane<T>::width);
    return result;
  }
};

/// Two rows x and y against group * width rows of the tile.
template <typename T, typename Metric>
inline void pair_masks(const T* x, const T* y, const T* tile, int d, Band<T> band, int shift,
                       std::uint64_t (&inside)[pair], std::uint64_t (&near)[pair]) {
  Sums<T> of_x{};
  Sums<T> of_y{};
  int j = 0;
  for (;;) {
    const int last = d - j < columns_between_looks ? d : j + columns_between_looks;
    for (; j < last; ++j) {
      typename Lane<T>::Values column[group];
#pragma GCC unroll 4
      for (int g = 0; g < group; ++g) column[g] = load(tile + j * tile_rows + g * Lane<T>::width);
      of_x.template join<Metric>(column, x[j]);
      of_y.template join<Metric>(column, y[j]);
    }
    const std::uint64_t near_x = of_x.near(band.outside);
    const std::uint64_t near_y = of_y.near(band.outside);
    if ((near_x | near_y) == 0) return;
    if (j < d) continue;
    near[0] |= near_x << shift;
    near[1] |= near_y << shift;
    inside[0] |= of_x.inside(band.inside) << shift;
    inside[1] |= of_y.inside(band.inside) << shift;
    return;
  }
}

template <typename T, typename Metric>
void masks(const T* const* x, int count, const T* tile, int d, Band<T> band, std::uint64_t* inside,
           std::uint64_t* near) {
  constexpr int step = group * Lane<T>::width;
  for (int q = 0; q < count; q += pair) {
    std::uint64_t row_inside[pair] = {};
    std::uint64_t row_near[pair] = {};
    for (int first = 0; first < tile_rows; first += step)
      pair_masks<T, Metric>(x[q], x[q + 1 < count ? q + 1 : q], tile + first, d, band, first, row_inside, row_near);
    for (int r = 0; r < pair && q + r < count; ++r) {
      inside[q + r] = row_inside[r];
      near[q + r] = row_near[r];
    }
  }
}

template <typename T, typename Metric>
std::uint64_t near_box(const T* tile, const T* box, int d, T outside) {
  typedef typename Lane<T>::Values Values;
  const int columns = box_columns(d);
  std::uint64_t result = 0;
  for (int first = 0; first < tile_rows; first += Lane<T>::width) {
    Values sum{};
    for (int j = 0; j < d; ++j) {
      const Values x = load(tile + j * tile_rows + first);
      sum = Metric::template join<T>(sum, larger(larger(box[j] - x, x - box[columns + j]), Values{}));
    }
    result |= bits_not_at_least(sum, outside) << first;
  }
  return result;
}

typedef typename Lane<double>::Values Doubles;

template <typename T>
inline Doubles load_doubles(const T* from) {
  typedef T Narrow __attribute__((vector_size(Lane<double>::width * sizeof(T)), aligned(sizeof(T))));
  return __builtin_convertvector(*reinterpret_cast<const Narrow*>(from), Doubles);
}

template <typename T, typename Metric>
Span span(const T* a, const T* b, int d, double scale) {
  const int columns = box_columns(d);
  Doubles least{};
  Doubles most{};
  for (int j = 0; j < columns; j += Lane<double>::width) {
    const Doubles above = (load_doubles(b + columns + j) - load_doubles(a + j)) * scale;
    const Doubles below = (load_doubles(a + columns + j) - load_doubles(b + j)) * scale;
    least = Metric::template join<double>(least, larger(larger(-above, -below), Doubles{}));
    most = Metric::template join<double>(most, larger(above, below));
  }
  Span sum{0.0, 0.0};
  for (int lane = 0; lane < Lane<double>::width; ++lane) {
    sum.least = Metric::joined(sum.least, least[lane]);
    sum.most = Metric::joined(sum.most, most[lane]);
  }
  return sum;
}

/// In the order of Norm.
template <typename T>
inline void set_loops(TileLoops<T> (&loops)[norms]) {
  loops[0] = {masks<T, Euclidean>, near_box<T, Euclidean>, span<T, Euclidean>};
  loops[1] = {masks<T, Manhattan>, near_box<T, Manhattan>, span<T, Manhattan>};
  loops[2] = {masks<T, Chebyshev>, near_box<T, Chebyshev>, span<T, Chebyshev>};
}

}  // namespace

void set_tile_loops(Loops& loops) {
  set_loops(loops.tile_float);
  set_loops(loops.tile_double);
}

}  // namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL
