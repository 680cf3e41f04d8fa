// Which pairs of a strip and a tile are within eps, by one warp: 16 x 64 pairs, two tile rows a lane.
//
// float data are evaluated in float32 where eps allows: differences, squares and sums of d terms that are not negative
// round by at most d + 3 parts in 2^24, and what underflows is below 2^-29 of eps^2 for d <= 65536. A sum at or below
// `inside` is certainly within eps, one at or above `outside` certainly not; dbscan_within.hpp decides the others.
#pragma once

#include <cmath>
#include <cstdint>

#include "dbscan/dbscan_tiles.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr unsigned full_warp = 0xFFFFFFFF;
inline constexpr unsigned all_strip_rows = (1u << strip_rows) - 1;

/// Bounds of an evaluation in A.
template <typename A>
struct TileBand {
  A inside;
  A outside;
  A scale;
};

/// Exponents of eps, and columns, for which float32 evaluates.
inline constexpr int float_exponent = 60;
inline constexpr int most_float_columns = 1 << 16;

inline bool float_evaluates(const Ball& ball) {
  return std::abs(std::ilogb(ball.eps)) <= float_exponent && ball.d <= most_float_columns;
}

/// For A = float: float_evaluates(ball), and eps is a float.
template <typename A>
TileBand<A> make_tile_band(const Ball& ball) {
  constexpr A nothing = 0;
  constexpr A everything = INFINITY;
  if (ball.norm == Norm::chebyshev) {  // rounding is monotone: only a difference that rounds to eps is open
    const auto eps = static_cast<A>(ball.eps);
    return {std::nextafter(eps, nothing), std::nextafter(eps, everything), A{1}};
  }
  if constexpr (sizeof(A) == sizeof(double)) return {ball.inside, ball.outside, ball.scale};
  const double limit = ball.norm == Norm::euclidean ? ball.eps * ball.eps : ball.eps;
  const double bound = (ball.d + ball.d / 16.0 + 8.0) * 0x1p-24;
  return {std::nextafter(static_cast<A>(limit * (1.0 - bound)), nothing),
          std::nextafter(static_cast<A>(limit * (1.0 + bound)), everything), A{1}};
}

/// The distance (or its square) with one more column.
template <Norm norm, typename A>
__device__ inline A with_column(A sum, A difference) {
  if constexpr (norm == Norm::euclidean) return fma(difference, difference, sum);
  if constexpr (norm == Norm::manhattan) return sum + fabs(difference);
  return max(sum, fabs(difference));
}

template <typename A, typename T>
__device__ inline A scaled_difference(T x, T y, const TileBand<A>& band) {
  if constexpr (sizeof(A) == sizeof(float)) return x - y;
  return (A{x} - A{y}) * band.scale;
}

/// Sixteen bytes of values.
template <typename T>
struct alignas(16) Vector16 {
  T value[16 / sizeof(T)];
};

/// Columns after which pairs that are all too far are given up.
inline constexpr int columns_a_check = 32;
/// Rows of a strip evaluated together: sums of `rows` x 2 pairs are held in registers.
template <typename A>
inline constexpr int rows_together = sizeof(A) == sizeof(float) ? 16 : 8;
/// Fewer rows are evaluated by so many at a time.
inline constexpr int few_rows = 4;

/// Adds the columns of all pairs of `rows` strip rows and the lane's two tile rows; load(q, column) gives the strip's.
template <Norm norm, int rows, typename T, typename A, typename Load>
__device__ inline void add_columns(const Load& load, const T* tile, int d, const TileBand<A>& band, A (&sum)[rows][2]) {
  const T* others = tile + threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = A{0};
  for (int begin = 0; begin < d; begin += columns_a_check) {
    const int end = min(begin + columns_a_check, d);
#pragma unroll 2
    for (int j = begin; j < end; ++j) {
      T q[rows];
      load(q, j);
      const T other[2] = {others[std::int64_t{j} * tile_rows], others[std::int64_t{j} * tile_rows + 32]};
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int u = 0; u < 2; ++u) sum[r][u] = with_column<norm>(sum[r][u], scaled_difference(q[r], other[u], band));
    }
    if (end == d) return;
    A least = sum[0][0];
#pragma unroll
    for (int r = 0; r < rows; ++r) least = min(least, min(sum[r][0], sum[r][1]));
    if (__all_sync(full_warp, least >= band.outside)) return;
  }
}

/// Of the lane's tile rows: bits of the strip rows within eps of them.
struct NearRows {
  unsigned of[2];
};

/// Of the open strip rows (bits), those that are within eps of one row. Rare.
template <typename T>
__device__ __noinline__ unsigned decide_open(unsigned open, const Tiles<T>& queries, std::int64_t first_slot,
                                             const Tiles<T>& others, std::int64_t slot, const Ball& ball) {
  const T* y = others.X + std::int64_t{others.order[slot]} * others.d;
  unsigned result = 0;
  for (; open != 0; open &= open - 1) {
    const int r = __ffs(static_cast<int>(open)) - 1;
    const T* x = queries.X + std::int64_t{queries.order[first_slot + r]} * queries.d;
    if (within(x, y, ball)) result |= 1u << r;
  }
  return result;
}

/// One strip of one set of rows, and the tiles of the same or another set.
template <Norm norm, typename T, typename A>
struct StripPairs {
  const Tiles<T>& queries;
  const Tiles<T>& others;
  const Ball& ball;
  const TileBand<A>& band;
  std::int32_t strip;

  [[nodiscard]] __device__ std::int64_t first_slot() const { return std::int64_t{strip} * strip_rows; }
  /// The strip's values: [column][64], sixteen of them in use.
  [[nodiscard]] __device__ const T* values() const {
    return queries.tile(strip / strips_a_tile) + strip % strips_a_tile * strip_rows;
  }

  /// Strip rows that are near enough to the box of a tile, as bits; half of the columns a half warp.
  [[nodiscard]] __device__ unsigned rows_near(std::int32_t tile) const {
    const int lane = threadIdx.x % 32;
    const T* box = others.boxes + std::int64_t{tile / fan} * others.d * 2 * fan + tile % fan;
    const T* row = values() + lane % strip_rows;
    A sum = 0;
    for (int j = lane / strip_rows; j < others.d; j += 2) {
      const T x = row[std::int64_t{j} * tile_rows];
      const T low = box[std::int64_t{j} * 2 * fan];
      const T high = box[(std::int64_t{j} * 2 + 1) * fan];
      const A gap = max(max(scaled_difference(low, x, band), scaled_difference(x, high, band)), A{0});
      sum = with_column<norm>(sum, gap);
    }
    const A other_half = __shfl_xor_sync(full_warp, sum, strip_rows);
    sum = norm == Norm::chebyshev ? max(sum, other_half) : sum + other_half;
    return __ballot_sync(full_warp, !(sum >= band.outside)) & all_strip_rows;
  }

  /// The pairs of strip rows `rows` and those of the lane's two tile rows that are `wanted`.
  [[nodiscard]] __device__ NearRows within_eps(unsigned rows, std::int32_t tile, const bool (&wanted)[2]) const {
    NearRows near{};
    NearRows open{};
    if (__popc(rows) > few_rows) {
      evaluate_together<0>(rows, tile, near, open);
    } else {
      evaluate_few(rows, tile, near, open);
    }
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      near.of[u] = wanted[u] ? near.of[u] & rows : 0;
      open.of[u] &= near.of[u];
    }
    if (__any_sync(full_warp, (open.of[0] | open.of[1]) != 0)) {
      const std::int64_t slot = std::int64_t{tile} * tile_rows + threadIdx.x % 32;
      for (int u = 0; u < 2; ++u) {
        if (open.of[u] == 0) continue;
        near.of[u] ^= open.of[u] ^ decide_open(open.of[u], queries, first_slot(), others, slot + 32 * u, ball);
      }
    }
    return near;
  }

 private:
  /// Takes the sums of one strip row into the bits.
  __device__ void take(const A (&sum)[2], int row, NearRows& near, NearRows& open) const {
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      if (sum[u] < band.outside) near.of[u] |= 1u << row;
      if (sum[u] > band.inside) open.of[u] |= 1u << row;
    }
  }

  /// Rows first .. of the strip, rows_together at a time.
  template <int first>
  __device__ void evaluate_together(unsigned rows, std::int32_t tile, NearRows& near, NearRows& open) const {
    constexpr int together = rows_together<A>;
    if ((rows >> first & ((1u << together) - 1)) != 0) {
      A sum[together][2];
      const T* strip_values = values() + first;
      const auto load = [&](T(&q)[together], int j) {
        constexpr int width = 16 / sizeof(T);
        const auto* from = reinterpret_cast<const Vector16<T>*>(strip_values + std::int64_t{j} * tile_rows);
#pragma unroll
        for (int v = 0; v < together / width; ++v) {
          const Vector16<T> part = from[v];
#pragma unroll
          for (int i = 0; i < width; ++i) q[v * width + i] = part.value[i];
        }
      };
      add_columns<norm>(load, others.tile(tile), others.d, band, sum);
#pragma unroll
      for (int r = 0; r < together; ++r) take(sum[r], first + r, near, open);
    }
    if constexpr (first + together < strip_rows) evaluate_together<first + together>(rows, tile, near, open);
  }

  __device__ void evaluate_few(unsigned rows, std::int32_t tile, NearRows& near, NearRows& open) const {
    int row[few_rows];
#pragma unroll
    for (int i = 0; i < few_rows; ++i) {
      row[i] = __ffs(static_cast<int>(rows)) - 1;
      if ((rows & (rows - 1)) != 0) rows &= rows - 1;  // the last row fills the places that are left
    }
    A sum[few_rows][2];
    const T* strip_values = values();
    const auto load = [&](T(&q)[few_rows], int j) {
#pragma unroll
      for (int i = 0; i < few_rows; ++i) q[i] = strip_values[std::int64_t{j} * tile_rows + row[i]];
    };
    add_columns<norm>(load, others.tile(tile), others.d, band, sum);
#pragma unroll
    for (int i = 0; i < few_rows; ++i) take(sum[i], row[i], near, open);
  }
};

}  // namespace tilelearn::dbscan::cuda
