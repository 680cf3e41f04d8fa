// Integer masses of rows on a CUDA device: their totals in any order, and rows drawn in proportion to them, by a block,
// a warp or the whole grid.
#pragma once

#include <cooperative_groups.h>

#include "core/philox.hpp"
#include "kmeans/kmeans_formulas.hpp"
#include "kmeans/kmeans_rows.cuh"

namespace tilelearn::kmeans::cuda {

using Word = unsigned long long;

/// Threads of a block in every kernel here.
inline constexpr int init_threads = 256;
/// Candidates whose distances one thread accumulates at a time.
inline constexpr int trial_group = 4;
/// trials(k) for the largest k.
inline constexpr int most_trials = 24;

/// The masses of the rows, as totals of parts of the rows: part p has rows [p part_rows, (p + 1) part_rows).
struct Masses {
  Word* parts;  ///< [part_count]
  std::int64_t part_count;
  std::int64_t part_rows;  ///< a multiple of init_threads
  Word* totals;            ///< [total_slots + 2 trials]: of the masses, and of what each trial would leave
  Word* largest;           ///< bits of max w' d2
  std::int64_t* rows;      ///< one row drawn by weight
  double* distances;       ///< [trials][n] distances to the rows drawn, null where they are taken again when needed
};

/// Totals in turn: one is added to while the next is cleared and the one before may still be read.
inline constexpr int total_slots = 3;

/// Where the random numbers come from.
struct Source {
  std::uint64_t seed;
  std::uint64_t first;  ///< stream of the first centre
  std::uint64_t next;   ///< stream of the others
};

__device__ inline Word mass(double value, double factor) { return static_cast<Word>(value * factor); }

/// Sum over the block, in every thread.
__device__ inline Word block_total(Word value) {
  __shared__ Word part[init_threads / 32];
  for (int h = 16; h > 0; h /= 2) value += __shfl_xor_sync(0xFFFFFFFF, value, h);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (int i = 0; i < init_threads / 32; ++i) value += part[i];
  return value;
}

/// Inclusive prefix sum over the block.
__device__ inline Word block_prefix(Word value) {
  __shared__ Word part[init_threads / 32];
  const int lane = threadIdx.x % 32;
  for (int h = 1; h < 32; h *= 2) {
    const Word below = __shfl_up_sync(0xFFFFFFFF, value, h);
    if (lane >= h) value += below;
  }
  __syncthreads();
  if (lane == 31) part[threadIdx.x / 32] = value;
  __syncthreads();
  for (unsigned i = 0; i < threadIdx.x / 32; ++i) value += part[i];
  return value;
}

/// The first i in [0, count) whose inclusive prefix sum of value(i) exceeds target; target becomes what is left of it
/// before i. For the whole block; the answer is in every thread.
template <typename Value>
__device__ std::int64_t block_search(std::int64_t count, Word& target, const Value& value) {
  __shared__ std::int64_t found;
  __shared__ Word before;
  __syncthreads();
  if (threadIdx.x == 0) {
    found = -1;
    before = 0;
  }
  __syncthreads();
  for (std::int64_t begin = 0; begin < count; begin += init_threads) {
    const std::int64_t i = begin + threadIdx.x;
    const Word mine = i < count ? value(i) : 0;
    const Word sum = block_prefix(mine) + before;
    __syncthreads();
    if (mine > 0 && sum > target && sum - mine <= target) {
      found = i;
      before = sum - mine;
    } else if (threadIdx.x == init_threads - 1 && sum <= target) {
      before = sum;
    }
    __syncthreads();
    if (found >= 0) break;
  }
  target -= before;
  const std::int64_t result = found;
  __syncthreads();
  return result;
}

/// The row that `bits` draw among masses value(row) with part totals `parts`. For the whole block.
template <typename Value>
__device__ std::int64_t block_draw(std::int64_t n, const Masses& masses, const Word* parts, Word total,
                                   std::uint64_t bits, const Value& value) {
  Word target = mulhi(bits, total);
  const std::int64_t part = block_search(masses.part_count, target, [&](std::int64_t p) { return parts[p]; });
  const std::int64_t begin = part * masses.part_rows;
  const std::int64_t count = min(masses.part_rows, n - begin);
  return begin + block_search(count, target, [&](std::int64_t i) { return value(begin + i); });
}

/// block_search by one warp; the answer is in every lane.
template <typename Value>
__device__ std::int64_t warp_search(std::int64_t count, Word& target, const Value& value) {
  const int lane = threadIdx.x % 32;
  Word before = 0;
  for (std::int64_t begin = 0; begin < count; begin += 32) {
    const Word mine = begin + lane < count ? value(begin + lane) : 0;
    Word sum = mine;
    for (int h = 1; h < 32; h *= 2) {
      const Word below = __shfl_up_sync(0xFFFFFFFF, sum, h);
      if (lane >= h) sum += below;
    }
    const unsigned above = __ballot_sync(0xFFFFFFFF, before + sum > target);
    if (above == 0) {
      before += __shfl_sync(0xFFFFFFFF, sum, 31);
      continue;
    }
    const int found = __ffs(static_cast<int>(above)) - 1;
    target -= before + __shfl_sync(0xFFFFFFFF, sum - mine, found);
    return begin + found;
  }
  return count - 1;
}

/// The rows of all trials of one centre into drawn[0 .. tried), a warp a trial. For the whole block; every block draws
/// the same rows for itself, so that no barrier of the grid is needed.
template <typename Value>
__device__ void draw_trials(std::int64_t n, const Masses& masses, Word total, const Source& source, std::uint64_t index,
                            int tried, const Value& value, std::int64_t* drawn) {
  for (int trial = threadIdx.x / 32; trial < tried; trial += init_threads / 32) {
    Word target = mulhi(philox::bits(source.seed, source.next, index + trial), total);
    const std::int64_t part = warp_search(masses.part_count, target, [&](std::int64_t p) { return masses.parts[p]; });
    const std::int64_t begin = part * masses.part_rows;
    const std::int64_t row =
        begin + warp_search(min(masses.part_rows, n - begin), target, [&](std::int64_t i) { return value(begin + i); });
    if (threadIdx.x % 32 == 0) drawn[trial] = row;
  }
  __syncthreads();
}

/// Parts and total of value(row) over the grid; *total must be 0 before.
template <typename Value>
__device__ void take_parts(std::int64_t n, const Masses& masses, Word* parts, Word* total, const Value& value) {
  for (std::int64_t p = blockIdx.x; p < masses.part_count; p += gridDim.x) {
    Word sum = 0;
    for (std::int64_t i = p * masses.part_rows + threadIdx.x; i < min(n, (p + 1) * masses.part_rows); i += init_threads)
      sum += value(i);
    sum = block_total(sum);
    if (threadIdx.x != 0) continue;
    parts[p] = sum;
    atomicAdd(total, sum);
  }
}

/// Takes parts and total of value(row) 2^e, growing e until the total is large enough. All blocks; ends with a barrier.
template <typename Grid, typename Value>
__device__ Word take_masses(const Grid& grid, std::int64_t n, const Masses& masses, int& exponent, const Value& value) {
  for (;;) {
    if (grid.thread_rank() == 0) masses.totals[0] = 0;
    grid.sync();
    const double factor = fixed_point::power_of_two(exponent);
    take_parts(n, masses, masses.parts, masses.totals, [&](std::int64_t i) { return mass(value(i), factor); });
    grid.sync();
    const Word total = *static_cast<volatile Word*>(masses.totals);
    grid.sync();
    if (total >= small_total || exponent >= max_mass_exponent) return total;
    exponent = clamp_mass_exponent(exponent + mass_shift(total, n));
  }
}

/// Draws one row by weight into masses.rows[0]. All blocks; ends with a barrier.
template <typename T, typename Grid>
__device__ std::int64_t draw_by_weight(const Grid& grid, const Rows<T>& rows, const Masses& masses,
                                       std::uint64_t bits) {
  int exponent = mass_exponent(rows.n, 0);
  const auto value = [&](std::int64_t i) { return rows.weight(i); };
  const Word total = take_masses(grid, rows.n, masses, exponent, value);
  if (blockIdx.x == 0) {
    const double factor = fixed_point::power_of_two(exponent);
    const std::int64_t row =
        block_draw(rows.n, masses, masses.parts, total, bits, [&](std::int64_t i) { return mass(value(i), factor); });
    if (threadIdx.x == 0) masses.rows[0] = row;
  }
  grid.sync();
  const std::int64_t row = *static_cast<volatile std::int64_t*>(masses.rows);
  grid.sync();
  return row;
}

template <typename T>
__device__ void copy_row(const Rows<T>& rows, std::int64_t row, T* centre) {
  if (blockIdx.x != 0) return;
  for (int j = threadIdx.x; j < rows.d; j += init_threads) centre[j] = rows.X[row * rows.d + j];
}

}  // namespace tilelearn::kmeans::cuda
