// Float32 filter of one x86-64 level (TILELEARN_LEVEL): a register-blocked product of 32 rows, one a vector lane, with
// panels of centres, reduced to the best and second best score of each row as it goes. Products and sums may be fused
// or not: the bound of kmeans_cpu_assign.cpp covers both.
#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu::TILELEARN_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr int width = 16;
constexpr int panel_width = 8;
#elif defined(__AVX__)
constexpr int width = 8;
constexpr int panel_width = 4;
#else
constexpr int width = 4;
constexpr int panel_width = 4;
#endif
typedef float Lanes __attribute__((vector_size(width * sizeof(float))));
typedef std::int32_t Indices __attribute__((vector_size(width * sizeof(std::int32_t))));

constexpr float huge_score = 3e38F;

inline Lanes load(const float* from) { return *reinterpret_cast<const Lanes*>(from); }

struct Ranking {
  Lanes best = Lanes{} + huge_score;
  Lanes second = Lanes{} + huge_score;
  Indices index{};

  inline void add(Lanes score, std::int32_t center) {
    const Indices better = score < best;
    const Lanes loser = better ? best : score;
    second = loser < second ? loser : second;
    best = better ? score : best;
    index = better ? Indices{} + center : index;
  }
};

/// Scores of 2 * width rows for the centres of one panel.
inline void score_panel(const float* rows, std::int64_t d, const float* centers, const float* half_norms,
                        std::int32_t first_center, Ranking (&ranking)[2]) {
  Lanes score[panel_width][2];
#pragma GCC unroll 8
  for (int c = 0; c < panel_width; ++c) score[c][0] = score[c][1] = Lanes{} + half_norms[c];
  for (std::int64_t j = 0; j < d; ++j) {
    const Lanes x0 = load(rows + j * tile_rows);
    const Lanes x1 = load(rows + j * tile_rows + width);
#pragma GCC unroll 8
    for (int c = 0; c < panel_width; ++c) {
      score[c][0] += x0 * centers[j * panel_width + c];
      score[c][1] += x1 * centers[j * panel_width + c];
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < panel_width; ++c) {
    ranking[0].add(score[c][0], first_center + c);
    ranking[1].add(score[c][1], first_center + c);
  }
}

void filter(const FilterTile& tile) {
  for (int first = 0; first < tile_rows; first += 2 * width) {
    Ranking ranking[2];
    for (std::int64_t p = 0; p < tile.panels; ++p)
      score_panel(tile.rows + first, tile.d, tile.centers + p * tile.d * panel_width, tile.half_norms + p * panel_width,
                  static_cast<std::int32_t>(p * panel_width), ranking);
    for (int v = 0; v < 2; ++v) {
      const int offset = first + v * width;
      const Lanes limit = load(tile.norms + offset) * tile.limit_slope + tile.limit_base;
      const Indices decided = ranking[v].second - ranking[v].best > limit;
      for (int i = 0; i < width; ++i) {
        tile.index[offset + i] = ranking[v].index[i];
        tile.undecided[offset + i] = decided[i] == 0;
      }
    }
  }
}

/// Four neighbouring values, at any address.
constexpr int quad = 4;
template <typename T>
struct Quad {
  typedef T Vector __attribute__((vector_size(quad * sizeof(T)), aligned(sizeof(T))));
};
typedef Quad<float>::Vector FloatQuad;

/// Four columns of one row as the tile holds them.
template <typename T>
inline FloatQuad shifted(const T* x, const T* shift, T scale) {
  typedef typename Quad<T>::Vector Vector;
  const Vector value = *reinterpret_cast<const Vector*>(x) - *reinterpret_cast<const Vector*>(shift);
  return __builtin_convertvector(value * scale, FloatQuad);
}

/// Four rows of four columns, written column by column.
template <typename T>
inline void pack_block(const T* x, std::int64_t d, const T* shift, T scale, float* tile) {
  const FloatQuad a = shifted(x, shift, scale);
  const FloatQuad b = shifted(x + d, shift, scale);
  const FloatQuad c = shifted(x + 2 * d, shift, scale);
  const FloatQuad e = shifted(x + 3 * d, shift, scale);
  const FloatQuad ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  const FloatQuad ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const FloatQuad be_low = __builtin_shufflevector(b, e, 0, 4, 1, 5);
  const FloatQuad be_high = __builtin_shufflevector(b, e, 2, 6, 3, 7);
  auto* out = reinterpret_cast<FloatQuad*>(tile);
  constexpr std::int64_t column = tile_rows / quad;
  out[0] = __builtin_shufflevector(ac_low, be_low, 0, 4, 1, 5);
  out[column] = __builtin_shufflevector(ac_low, be_low, 2, 6, 3, 7);
  out[2 * column] = __builtin_shufflevector(ac_high, be_high, 0, 4, 1, 5);
  out[3 * column] = __builtin_shufflevector(ac_high, be_high, 2, 6, 3, 7);
}

template <typename T>
inline void pack_row(const T* x, std::int64_t first, std::int64_t d, const T* shift, T scale, float* tile) {
  for (std::int64_t j = first; j < d; ++j) tile[j * tile_rows] = static_cast<float>((x[j] - shift[j]) * scale);
}

template <typename T>
void pack(const T* rows, int count, std::int64_t d, const T* shift, T scale, float* tile, float* norms) {
  const std::int64_t whole = d / quad * quad;
  int i = 0;
  for (; i + quad <= count; i += quad) {
    for (std::int64_t j = 0; j < whole; j += quad)
      pack_block(rows + i * d + j, d, shift + j, scale, tile + j * tile_rows + i);
    for (int r = 0; r < quad; ++r) pack_row(rows + (i + r) * d, whole, d, shift, scale, tile + i + r);
  }
  for (; i < count; ++i) pack_row(rows + i * d, 0, d, shift, scale, tile + i);
  for (; i < tile_rows; ++i)
    for (std::int64_t j = 0; j < d; ++j) tile[j * tile_rows + i] = 0.0F;
  for (int first = 0; first < tile_rows; first += width) {
    Lanes norm{};
    for (std::int64_t j = 0; j < d; ++j)
      norm += load(tile + j * tile_rows + first) * load(tile + j * tile_rows + first);
    *reinterpret_cast<Lanes*>(norms + first) = norm;
  }
}

}  // namespace

void set_filter_loops(Loops& loops) {
  loops.pack_float = {pack<float>};
  loops.pack_double = {pack<double>};
  loops.filter = filter;
  loops.panel_width = panel_width;
}

}  // namespace tilelearn::kmeans::cpu::TILELEARN_LEVEL
