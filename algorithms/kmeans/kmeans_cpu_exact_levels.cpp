// Exact loops of one x86-64 level (TILELEARN_LEVEL): squared distances in float64, words of fixed-point sums.
#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu::TILELEARN_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
typedef double Lanes __attribute__((vector_size(width * sizeof(double))));

inline Lanes load(const double* from) { return *reinterpret_cast<const Lanes*>(from); }

inline Lanes fused(Lanes a, Lanes b, Lanes c) {
  Lanes result{};
  for (int i = 0; i < width; ++i) result[i] = __builtin_fma(a[i], b[i], c[i]);
  return result;
}

/// `candidates` distances for 2 * width lanes; candidates lie `d` apart.
template <int candidates>
inline void squares_block(const double* lanes, std::int64_t d, const double* first, double* out) {
  Lanes sum[candidates][2] = {};
  for (std::int64_t j = 0; j < d; ++j) {
    const Lanes x0 = load(lanes + j * exact_lanes);
    const Lanes x1 = load(lanes + j * exact_lanes + width);
#pragma GCC unroll 4
    for (int c = 0; c < candidates; ++c) {
      const Lanes t0 = x0 - first[c * d + j];
      const Lanes t1 = x1 - first[c * d + j];
      sum[c][0] = fused(t0, t0, sum[c][0]);
      sum[c][1] = fused(t1, t1, sum[c][1]);
    }
  }
  for (std::int64_t c = 0; c < candidates; ++c) {
    *reinterpret_cast<Lanes*>(out + c * exact_lanes) = sum[c][0];
    *reinterpret_cast<Lanes*>(out + c * exact_lanes + width) = sum[c][1];
  }
}

void squares(const double* lanes, std::int64_t d, const double* candidates, std::int64_t count, double* out) {
  constexpr int block = 4;
  for (int half = 0; half < exact_lanes; half += 2 * width) {
    std::int64_t c = 0;
    for (; c + block <= count; c += block)
      squares_block<block>(lanes + half, d, candidates + c * d, out + c * exact_lanes + half);
    for (; c < count; ++c) squares_block<1>(lanes + half, d, candidates + c * d, out + c * exact_lanes + half);
  }
}

/// Four neighbouring values, at any address.
constexpr std::int64_t quad = 4;
template <typename T>
struct Quad {
  typedef T Vector __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T))));
};

/// Four columns of four rows, written column by column.
template <typename T>
inline void transpose_block(const T* const* rows, std::int64_t first, double scale, double* lanes) {
  typedef Quad<double>::Vector Doubles;
  typedef typename Quad<T>::Vector Values;
  constexpr std::int64_t column = exact_lanes;
  Doubles row[quad];
#pragma GCC unroll 4
  for (int r = 0; r < quad; ++r)
    row[r] = __builtin_convertvector(*reinterpret_cast<const Values*>(rows[r] + first), Doubles) * scale;
  const Doubles low02 = __builtin_shufflevector(row[0], row[2], 0, 4, 1, 5);
  const Doubles high02 = __builtin_shufflevector(row[0], row[2], 2, 6, 3, 7);
  const Doubles low13 = __builtin_shufflevector(row[1], row[3], 0, 4, 1, 5);
  const Doubles high13 = __builtin_shufflevector(row[1], row[3], 2, 6, 3, 7);
  *reinterpret_cast<Doubles*>(lanes) = __builtin_shufflevector(low02, low13, 0, 4, 1, 5);
  *reinterpret_cast<Doubles*>(lanes + column) = __builtin_shufflevector(low02, low13, 2, 6, 3, 7);
  *reinterpret_cast<Doubles*>(lanes + 2 * column) = __builtin_shufflevector(high02, high13, 0, 4, 1, 5);
  *reinterpret_cast<Doubles*>(lanes + 3 * column) = __builtin_shufflevector(high02, high13, 2, 6, 3, 7);
}

template <typename T>
void transpose(const T* const* rows, int count, std::int64_t d, double scale, double* lanes) {
  const T* full[exact_lanes];
  for (int l = 0; l < exact_lanes; ++l) full[l] = rows[l < count ? l : count - 1];
  const std::int64_t whole = d / quad * quad;
  for (int l = 0; l < exact_lanes; l += quad)
    for (std::int64_t j = 0; j < whole; j += quad) transpose_block(full + l, j, scale, lanes + j * exact_lanes + l);
  for (int l = 0; l < exact_lanes; ++l)
    for (std::int64_t j = whole; j < d; ++j) lanes[j * exact_lanes + l] = static_cast<double>(full[l][j]) * scale;
}

/// Rows whose chains of fused operations run side by side.
constexpr int chains = 8;

template <int rows_at_once, typename T>
inline void labelled_block(const T* rows, std::int64_t d, double scale, const T* centers, const std::int32_t* labels,
                           double* out) {
  const T* center[rows_at_once];
  double sum[rows_at_once] = {};
  for (int r = 0; r < rows_at_once; ++r) center[r] = centers + labels[r] * d;
  for (std::int64_t j = 0; j < d; ++j)
    for (int r = 0; r < rows_at_once; ++r) {
      const double t = static_cast<double>(rows[r * d + j]) * scale - static_cast<double>(center[r][j]) * scale;
      sum[r] = __builtin_fma(t, t, sum[r]);
    }
  for (int r = 0; r < rows_at_once; ++r) out[r] = sum[r];
}

template <typename T>
void labelled(const T* rows, std::int64_t count, std::int64_t d, double scale, const T* centers,
              const std::int32_t* labels, double* out) {
  std::int64_t i = 0;
  for (; i + chains <= count; i += chains) labelled_block<chains>(rows + i * d, d, scale, centers, labels + i, out + i);
  for (; i < count; ++i) labelled_block<1>(rows + i * d, d, scale, centers, labels + i, out + i);
}

template <typename T>
void moments(const ChunkMoments<T>& chunk) {
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    if (chunk.weights != nullptr && !(chunk.weights[i] > 0.0)) continue;
    const T* x = chunk.rows + i * chunk.d;
    for (std::int64_t j = 0; j < chunk.columns; ++j) {
      const auto value = static_cast<double>(x[j]);
      const double t = value * chunk.scale - static_cast<double>(chunk.pilot[j]) * chunk.scale;
      chunk.sum1[j] += t;
      chunk.sum2[j] = __builtin_fma(t, t, chunk.sum2[j]);
      const double size = __builtin_fabs(value);
      chunk.max_abs[j] = size > chunk.max_abs[j] ? size : chunk.max_abs[j];
      chunk.min_abs[j] = size < chunk.min_abs[j] ? size : chunk.min_abs[j];
    }
  }
}

inline std::uint64_t bits_of(double value) { return __builtin_bit_cast(std::uint64_t, value); }

/// Adds (sign 1) or takes away (sign -1, as an unsigned number) the biased words of one row.
template <typename T>
inline void add_words(const SumMoves<T>& moves, const T* x, double weight, std::uint64_t sign, std::int64_t cluster) {
  const std::int64_t d = moves.d;
  std::uint64_t* high = moves.high + cluster * d;
  if (moves.low_factors == nullptr) {
    for (std::int64_t j = 0; j < d; ++j)
      high[j] += sign * bits_of(static_cast<double>(x[j]) * moves.factors[j] + rounding_magic);
    return;
  }
  std::uint64_t* low = moves.low + cluster * d;
  for (std::int64_t j = 0; j < d; ++j) {
    const double y = weight * (static_cast<double>(x[j]) * moves.scale) * moves.factors[j];
    const double biased = y + rounding_magic;
    high[j] += sign * bits_of(biased);
    low[j] += sign * bits_of((y - (biased - rounding_magic)) * moves.low_factors[j] + rounding_magic);
  }
}

template <typename T>
void move(const SumMoves<T>& moves) {
  for (std::int64_t i = 0; i < moves.count; ++i) {
    if (moves.from[i] == moves.to[i]) continue;
    const double weight = moves.weights == nullptr ? 1.0 : moves.weights[i];
    if (!(weight > 0.0)) continue;
    const T* x = moves.rows + i * moves.d;
    add_words(moves, x, weight, 1, moves.to[i]);
    if (moves.from[i] >= 0) add_words(moves, x, weight, ~std::uint64_t{0}, moves.from[i]);
  }
}

template <typename T>
constexpr ExactLoops<T> table() {
  return {transpose<T>, labelled<T>, moments<T>, move<T>};
}

}  // namespace

void set_exact_loops(Loops& loops) {
  loops.exact_float = table<float>();
  loops.exact_double = table<double>();
  loops.squares = squares;
}

}  // namespace tilelearn::kmeans::cpu::TILELEARN_LEVEL
