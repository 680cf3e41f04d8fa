// What is kept of the scores: best, candidates within twice the bound, and at the end of a row its label or its place
// in a queue.
#pragma once

#include "kmeans/kmeans_filter_prepare.cuh"

namespace tilelearn::kmeans::cuda {

/// Twice the bound B for a row with |x^|^2 and |x~ - x^|^2.
__device__ inline float twice_bound(float norm2, float error2, float largest, float largest_error, int groups) {
  // Sums of K float16 products in float32, each aligned and truncated to 24 bits or better: K 2^-23 of the terms,
  // and 2^-21 for the roundings of x - m, c - m and the norm's slots.
  const float rounding = static_cast<float>(groups * group_slots) * 0x1p-23f + 0x1p-21f;
  const float truth = 0x1p-40f;
  const auto root = [](float square) {
    float result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(square));  // within 2^-22; the factor 2.02 covers it
    return result;
  };
  const float x = root(norm2);
  const float bound = root(error2) * largest + x * largest_error + rounding * (x * largest + largest * largest) +
                      truth * (norm2 + largest * largest);
  return 2.02f * bound + 1e-30f;
}

/// What a thread knows of one of its rows from the columns it holds, a quarter of all: the quads are merged at the end.
struct RowState {
  float best;         ///< largest score so far
  float twice_bound;  ///< 2 B
  float code;         ///< one + place of the only score within 2 B of it in its tile; other sums: several
  int first_column;   ///< of that tile
};
/// Code of a score above the threshold before its place is added.
inline constexpr float one = 4096.0f;
inline constexpr float several = 4 * one;

__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(0xFFFFFFFF, value, 1);
  return value + __shfl_xor_sync(0xFFFFFFFF, value, 2);
}

/// a b + c, clamped to [0, 1].
__device__ inline float saturating_fma(float a, float b, float c) {
  float result;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}

/// Takes one tile of scores into the state of rows lane / 4 and lane / 4 + 8.
///
/// Two passes over the accumulators: the maximum, then for the scores above max - 2 B the sum of (one + place) on the
/// FMA pipe: saturate((s - threshold) 2^100) is 1 above the threshold and 0 below. A sum in [one, 2 one) names the
/// only candidate.
template <int columns>
__device__ inline void take_scores(const float (&acc)[columns / 2], int first_column, RowState (&rows)[2]) {
  constexpr float steep = 0x1p100f;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = fmaxf(acc[2 * half], acc[2 * half + 1]);
#pragma unroll
    for (int i = 1; i < columns / 8; ++i) most = fmaxf(most, fmaxf(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]));
    RowState& row = rows[half];
    const float best = fmaxf(row.best, most);
    const float threshold = best - row.twice_bound;
    const float offset = -threshold * steep;
    float sum[2] = {0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < columns / 8; ++i)
#pragma unroll
      for (int c = 0; c < 2; ++c)
        sum[c] =
            fmaf(saturating_fma(acc[4 * i + 2 * half + c], steep, offset), one + static_cast<float>(2 * i + c), sum[c]);
    const float code = sum[0] + sum[1];
    const bool anew = row.best < threshold;  // what was found before is out of reach
    row.code = anew ? code : code != 0.0f ? several : row.code;
    row.first_column = anew ? first_column : row.first_column;
    row.best = best;
  }
}

/// The one column of a lane's code, or -1.
__device__ inline int column_of(const RowState& row) {
  const int place = static_cast<int>(row.code - one);
  if (!(row.code >= one && row.code < 2 * one) || static_cast<float>(place) != row.code - one) return -1;
  return row.first_column + place / 2 * 8 + 2 * static_cast<int>(threadIdx.x % 4) + place % 2;
}

/// What the four lanes that share a row know together.
struct RowEnd {
  float best;
  int candidates;  ///< 1 or 2: first and last are all candidates; 3: there may be more
  int first;
  int last;
};

__device__ inline RowEnd merge_quad(const RowState& row) {
  const auto across = [](auto value, auto combine) {
    value = combine(value, __shfl_xor_sync(0xFFFFFFFF, value, 1));
    return combine(value, __shfl_xor_sync(0xFFFFFFFF, value, 2));
  };
  RowEnd end{};
  end.best = across(row.best, [](float a, float b) { return fmaxf(a, b); });
  const bool alive = row.best >= end.best - row.twice_bound;
  const int column = column_of(row);
  const int mine = !alive ? 0 : column < 0 ? 3 : 1;
  end.candidates = across(mine, [](int a, int b) { return min(a + b, 3); });
  end.first = across(mine == 1 ? column : INT32_MAX, [](int a, int b) { return min(a, b); });
  end.last = across(mine == 1 ? column : -1, [](int a, int b) { return max(a, b); });
  return end;
}

/// Adds the centres of this tile that reach a queued row's threshold to its candidates, for entries `entry` and
/// entry + 8 of the queue. A row without a threshold gets a count that no list holds.
template <int columns>
__device__ inline void take_candidates(const float (&acc)[columns / 2], int first_column, int k, const Queue& queue,
                                       int entry, int queued) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int mine = entry + 8 * half;
    if (mine >= queued || mine >= static_cast<int>(queue.candidate_capacity)) continue;
    const float threshold = queue.threshold[mine];
    if (isnan(threshold) && lane == 0 && first_column == 0)
      atomicAdd(queue.candidate_count + mine, most_candidates + 1u);
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < columns / 8; ++i) most = fmaxf(most, fmaxf(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]));
    if (!(most >= threshold)) continue;
#pragma unroll
    for (int i = 0; i < columns / 4; ++i) {
      if (!(acc[4 * (i / 2) + 2 * half + i % 2] >= threshold)) continue;
      const int column = first_column + i / 2 * 8 + 2 * lane + i % 2;
      if (column >= k) continue;
      const std::uint32_t place = atomicAdd(queue.candidate_count + mine, 1u);
      if (place < most_candidates) queue.candidate[std::int64_t{mine} * most_candidates + place] = column;
    }
  }
}

/// Label of a row that is decided, or its place in a queue.
template <typename T>
__device__ inline void end_row(const FilterArguments<T>& a, int row, const RowEnd& end, float twice_bound) {
  const bool certain = twice_bound < INFINITY && end.best > padding_score + twice_bound + 1.0f && end.last < a.k;
  if (certain && end.candidates == 1) {
    a.labels[row] = end.first;
    return;
  }
  if (certain && end.candidates == 2) {
    const std::uint32_t place = atomicAdd(a.queue.pair_count, 1u);
    if (place < a.queue.candidate_capacity) {
      std::uint32_t* pair = a.queue.pair + std::int64_t{place} * 3;
      pair[0] = static_cast<std::uint32_t>(row);
      pair[1] = static_cast<std::uint32_t>(end.first);
      pair[2] = static_cast<std::uint32_t>(end.last);
      return;
    }
  }
  const std::uint32_t place = atomicAdd(a.queue.count, 1u);
  a.queue.row[place] = static_cast<std::uint32_t>(row);
  a.queue.threshold[place] = certain ? end.best - twice_bound : NAN;
}

}  // namespace tilelearn::kmeans::cuda
