// Which pairs of a strip and a tile are within eps, by one warp: 16 x 64 pairs, two tile rows a lane.
//
// Under the euclidean norm the tensor cores decide first (dbscan_tiles_tensor.cuh); where they leave more than a few
// pairs open, and under the other norms, all pairs are evaluated in the arithmetic A.
//
// float data are evaluated in float32 where eps allows: differences, squares and sums of d terms that are not negative
// round by at most d + 3 parts in 2^24, and what underflows is below 2^-29 of eps^2 for d <= 65536. A sum at or below
// `inside` is certainly within eps, one at or above `outside` certainly not; dbscan_within.hpp decides the others.
#pragma once

#include <cmath>
#include <cstdint>

#include "dbscan/dbscan_tiles.cuh"
#include "dbscan/dbscan_tiles_tensor.cuh"

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

/// The definition (dbscan_within.hpp) by a warp, a lane every 32nd column. All lanes return the answer.
template <typename T>
__device__ bool within_by_warp(const T* x, const T* y, const Ball& ball) {
  const int lane = threadIdx.x % 32;
  if (ball.norm == Norm::chebyshev) {
    bool far = false;
    for (int j = lane; j < ball.d; j += 32) far = far || !difference_within(double{x[j]}, double{y[j]}, ball.eps);
    return !__any_sync(full_warp, far);
  }
  double sum = 0.0;
  for (int j = lane; j < ball.d; j += 32) {
    const double t = (double{x[j]} - double{y[j]}) * ball.scale;
    sum = ball.norm == Norm::manhattan ? sum + fabs(t) : fma(t, t, sum);
  }
  for (int h = 16; h > 0; h /= 2) sum += __shfl_xor_sync(full_warp, sum, h);
  if (sum <= ball.inside) return true;
  if (sum >= ball.outside) return false;
  bool near = false;
  if (lane == 0) near = exactly_within(x, y, ball);
  return __any_sync(full_warp, near);
}

/// Of the open pairs, those that are within eps.
template <typename T>
__device__ __noinline__ NearRows decide_open(NearRows open, const Tiles<T>& queries, std::int64_t first_slot,
                                             const Tiles<T>& others, std::int32_t tile, const Ball& ball) {
  const int lane = threadIdx.x % 32;
  NearRows near{};
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    for (unsigned lanes = __ballot_sync(full_warp, open.of[u] != 0); lanes != 0; lanes &= lanes - 1) {
      const int owner = __ffs(static_cast<int>(lanes)) - 1;
      const std::int64_t slot = std::int64_t{tile} * tile_rows + owner + 32 * u;
      const T* y = others.X + std::int64_t{others.order[slot]} * others.d;
      for (unsigned rows = __shfl_sync(full_warp, open.of[u], owner); rows != 0; rows &= rows - 1) {
        const int r = __ffs(static_cast<int>(rows)) - 1;
        const T* x = queries.X + std::int64_t{queries.order[first_slot + r]} * queries.d;
        if (within_by_warp(x, y, ball) && lane == owner) near.of[u] |= 1u << r;
      }
    }
  }
  return near;
}

/// Open pairs that are decided one by one rather than by evaluating all again.
__device__ inline int few_open_pairs(int d) { return 8 + d / 2; }
/// Whether a strip's rows are held against the boxes of tiles before the pairs are evaluated. The tensor cores take
/// about as long as the look at a box: where few looks have left no more than a few rows, tiles are taken unseen for a
/// while.
class BoxLooks {
 public:
  __device__ bool is_due(const TensorOperands& operands) {
    if (!operands.present()) return true;
    if (looks_ < looks_a_round) {
      ++looks_;
      return true;
    }
    if (of_use_ >= least_of_use || looks_ == looks_a_round + tiles_unseen) {
      looks_ = 1;
      of_use_ = 0;
      return true;
    }
    ++looks_;
    return false;
  }
  __device__ void take(bool was_of_use) { of_use_ += was_of_use ? 1 : 0; }

 private:
  static constexpr int looks_a_round = 128;
  static constexpr int least_of_use = 16;
  static constexpr int tiles_unseen = 1024;
  int looks_ = 0;  ///< of this round, tiles taken unseen after them included
  int of_use_ = 0;
};

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
  [[nodiscard]] __device__ unsigned rows_near(std::int32_t tile, BoxLooks& looks) const {
    if (!looks.is_due(others.operands)) return all_strip_rows;
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
    const unsigned rows = __ballot_sync(full_warp, !(sum >= band.outside)) & all_strip_rows;
    looks.take(__popc(rows) <= few_rows);
    return rows;
  }

  /// The pairs of strip rows `rows` and those of the lane's two tile rows that are `wanted`.
  [[nodiscard]] __device__ NearRows within_eps(unsigned rows, std::int32_t tile, const bool (&wanted)[2]) const {
    NearRows near{};
    NearRows open{};
    const auto keep_asked = [&] {
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        near.of[u] = wanted[u] ? near.of[u] & rows : 0;
        open.of[u] &= near.of[u];
      }
      return __any_sync(full_warp, (open.of[0] | open.of[1]) != 0);
    };
    bool any_open = false;
    bool decided = false;
    if constexpr (norm == Norm::euclidean) {
      if (others.operands.present()) {
        evaluate_by_tensor(queries.operands, strip, others.operands, tile, ball.eps, near, open);
        any_open = keep_asked();
        decided = !any_open ||
                  __reduce_add_sync(full_warp, __popc(open.of[0]) + __popc(open.of[1])) <= few_open_pairs(others.d);
      }
    }
    if (!decided) {
      near = open = {};
      if (__popc(rows) > few_rows) {
        evaluate_together<0>(rows, tile, near, open);
      } else {
        evaluate_few(rows, tile, near, open);
      }
      any_open = keep_asked();
    }
    if (any_open) {
      const NearRows found = decide_open(open, queries, first_slot(), others, tile, ball);
#pragma unroll
      for (int u = 0; u < 2; ++u) near.of[u] ^= open.of[u] ^ found.of[u];
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
