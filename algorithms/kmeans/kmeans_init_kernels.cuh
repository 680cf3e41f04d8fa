// Kernels of the initialisation. The two sequential ones (greedy k-means++, random rows) are one cooperative launch
// each: all steps on the device, a grid barrier between phases.
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
  Word* parts;              ///< [part_count]
  std::int64_t part_count;
  std::int64_t part_rows;   ///< a multiple of init_threads
  Word* totals;             ///< [total_slots + 2 trials]: of the masses, and of what each trial would leave
  Word* largest;            ///< bits of max w' d2
  std::int64_t* rows;       ///< one row drawn by weight
  double* distances;        ///< [trials][n] distances to the rows drawn, null where they are taken again when needed
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
__device__ void draw_trials(std::int64_t n, const Masses& masses, Word total, const Source& source,
                            std::uint64_t index, int tried, const Value& value, std::int64_t* drawn) {
  for (int trial = threadIdx.x / 32; trial < tried; trial += init_threads / 32) {
    Word target = mulhi(philox::bits(source.seed, source.next, index + trial), total);
    const std::int64_t part = warp_search(masses.part_count, target, [&](std::int64_t p) { return masses.parts[p]; });
    const std::int64_t begin = part * masses.part_rows;
    const std::int64_t row = begin + warp_search(min(masses.part_rows, n - begin), target,
                                                 [&](std::int64_t i) { return value(begin + i); });
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
__device__ std::int64_t draw_by_weight(const Grid& grid, const Rows<T>& rows, const Masses& masses, std::uint64_t bits) {
  int exponent = mass_exponent(rows.n, 0);
  const auto value = [&](std::int64_t i) { return rows.weight(i); };
  const Word total = take_masses(grid, rows.n, masses, exponent, value);
  if (blockIdx.x == 0) {
    const double factor = fixed_point::power_of_two(exponent);
    const std::int64_t row = block_draw(rows.n, masses, masses.parts, total, bits,
                                        [&](std::int64_t i) { return mass(value(i), factor); });
    if (threadIdx.x == 0) masses.rows[0] = row;
  }
  grid.sync();
  const std::int64_t row = *static_cast<volatile std::int64_t*>(masses.rows);
  grid.sync();
  return row;
}

/// Distances of all rows to the first centre, the largest w' d2 into *masses.largest (0 before).
template <typename T>
__device__ void take_first_centre(const Rows<T>& rows, std::int64_t centre, double* square, Word* largest) {
  const T* c = rows.X + centre * rows.d;
  double most = 0.0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * init_threads + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * init_threads) {
    square[i] = squared_distance(rows.X + i * rows.d, c, rows.d, rows.scale);
    const double weight = rows.weight(i);
    if (weight > 0.0) most = fmax(most, weight * square[i]);
  }
  for (int h = 16; h > 0; h /= 2) most = fmax(most, __shfl_xor_sync(0xFFFFFFFF, most, h));
  if (threadIdx.x % 32 == 0) atomicMax(largest, static_cast<Word>(__double_as_longlong(most)));
}

/// square[i] = min(square[i], distance to one more centre, which was trial number `trial`), and the masses of that.
/// *total must be 0 before.
template <typename T>
__device__ void take_centre(const Rows<T>& rows, std::int64_t centre, int trial, const Masses& masses, double factor,
                            double* square, Word* total) {
  const T* c = rows.X + centre * rows.d;
  take_parts(rows.n, masses, masses.parts, total, [&](std::int64_t i) {
    const double distance = masses.distances != nullptr && trial >= 0
                                ? masses.distances[trial * rows.n + i]
                                : squared_distance(rows.X + i * rows.d, c, rows.d, rows.scale);
    const double nearest = fmin(square[i], distance);
    square[i] = nearest;
    const double weight = rows.weight(i);
    return weight > 0.0 ? mass(weight * nearest, factor) : 0;
  });
}

/// Lanes that share a row in try_each, two trials each: a power of two up to 16.
constexpr int trial_lanes(int count) {
  int lanes = 1;
  while (2 * lanes < count) lanes *= 2;
  return lanes;
}

/// Adds the mass that each trial would leave, for all rows, and keeps the distances. For few rows: a row is shared by
/// several lanes, so that there is work for the whole grid.
template <typename T>
__device__ void try_each(const Rows<T>& rows, const Masses& masses, const std::int64_t* drawn, int count,
                         const double* square, double factor, Word* totals) {
  __shared__ Word block_sum[most_trials];
  const int lanes = trial_lanes(count);
  const int lane = threadIdx.x % lanes;
  const int trial[2] = {min(2 * lane, count - 1), min(2 * lane + 1, count - 1)};
  const T* c[2] = {rows.X + drawn[trial[0]] * rows.d, rows.X + drawn[trial[1]] * rows.d};
  if (threadIdx.x < most_trials) block_sum[threadIdx.x] = 0;
  __syncthreads();
  Word sum[2] = {0, 0};
  const std::int64_t step = std::int64_t{gridDim.x} * (init_threads / lanes);
  for (std::int64_t i = (std::int64_t{blockIdx.x} * init_threads + threadIdx.x) / lanes; i < rows.n; i += step) {
    const T* x = rows.X + i * rows.d;
    double distance[2] = {0.0, 0.0};
#pragma unroll 16
    for (int j = 0; j < rows.d; ++j) {
      const double value = scaled(x[j], rows.scale);
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        const double t = value - scaled(c[u][j], rows.scale);
        distance[u] = fma(t, t, distance[u]);
      }
    }
    const double weight = rows.weight(i);
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      masses.distances[trial[u] * rows.n + i] = distance[u];
      if (weight > 0.0) sum[u] += mass(weight * fmin(square[i], distance[u]), factor);
    }
  }
#pragma unroll
  for (int u = 0; u < 2; ++u) {
    for (int h = lanes; h < 32; h *= 2) sum[u] += __shfl_xor_sync(0xFFFFFFFF, sum[u], h);
    if (static_cast<int>(threadIdx.x % 32) < lanes && 2 * lane + u < count) atomicAdd(block_sum + 2 * lane + u, sum[u]);
  }
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < count && block_sum[threadIdx.x] > 0)
    atomicAdd(totals + threadIdx.x, block_sum[threadIdx.x]);
  __syncthreads();
}

/// The same with a thread a row and a few trials together, so that X is read once for each group of trials.
template <typename T>
__device__ void try_together(const Rows<T>& rows, const std::int64_t* drawn, int count, const double* square,
                             double factor, Word* totals) {
  for (int begin = 0; begin < count; begin += trial_group) {
    const T* c[trial_group];
#pragma unroll
    for (int u = 0; u < trial_group; ++u) c[u] = rows.X + drawn[min(begin + u, count - 1)] * rows.d;
    Word sum[trial_group] = {};
    for (std::int64_t i = std::int64_t{blockIdx.x} * init_threads + threadIdx.x; i < rows.n;
         i += std::int64_t{gridDim.x} * init_threads) {
      const double weight = rows.weight(i);
      if (!(weight > 0.0)) continue;
      const T* x = rows.X + i * rows.d;
      double distance[trial_group] = {};
#pragma unroll 4
      for (int j = 0; j < rows.d; ++j) {
        const double value = scaled(x[j], rows.scale);
#pragma unroll
        for (int u = 0; u < trial_group; ++u) {
          const double t = value - scaled(c[u][j], rows.scale);
          distance[u] = fma(t, t, distance[u]);
        }
      }
#pragma unroll
      for (int u = 0; u < trial_group; ++u) sum[u] += mass(weight * fmin(square[i], distance[u]), factor);
    }
#pragma unroll
    for (int u = 0; u < trial_group; ++u) {
      const Word total = block_total(sum[u]);
      if (threadIdx.x == 0 && begin + u < count && total > 0) atomicAdd(totals + begin + u, total);
    }
  }
}

/// The trial that leaves the least mass, the first of equals; in every thread.
__device__ inline int best_trial(const volatile Word* totals, int count) {
  const int lane = threadIdx.x % 32;
  Word least = lane < count ? totals[lane] : ~Word{0};
  int best = lane;
  for (int h = 16; h > 0; h /= 2) {
    const Word other = __shfl_xor_sync(0xFFFFFFFF, least, h);
    const int other_trial = __shfl_xor_sync(0xFFFFFFFF, best, h);
    if (other < least || (other == least && other_trial < best)) {
      least = other;
      best = other_trial;
    }
  }
  return best;
}

template <typename T>
__device__ void copy_row(const Rows<T>& rows, std::int64_t row, T* centre) {
  if (blockIdx.x != 0) return;
  for (int j = threadIdx.x; j < rows.d; j += init_threads) centre[j] = rows.X[row * rows.d + j];
}

/// Greedy k-means++: each step takes the last centre in, draws the trials, compares what they would leave; two
/// barriers of the grid a step. O(n k d log k).
template <typename T>
__global__ void __launch_bounds__(init_threads) plus_plus(Rows<T> rows, int k, Source source, Masses masses,
                                                          double* square, T* centers) {
  const auto grid = cooperative_groups::this_grid();
  const int tried = trials(k);
  const auto value = [&](std::int64_t i) {
    const double weight = rows.weight(i);
    return weight > 0.0 ? weight * square[i] : 0.0;
  };
  std::int64_t centre = draw_by_weight(grid, rows, masses, philox::bits(source.seed, source.first, 0));
  copy_row(rows, centre, centers);
  if (k == 1) return;
  if (grid.thread_rank() == 0) *masses.largest = 0;
  grid.sync();
  take_first_centre(rows, centre, square, masses.largest);
  grid.sync();
  if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < 2 * tried) masses.totals[total_slots + threadIdx.x] = 0;
  const double largest = __longlong_as_double(static_cast<long long>(*static_cast<volatile Word*>(masses.largest)));
  int exponent = largest > 0.0 ? mass_exponent(rows.n, ilogb(largest)) : 0;
  Word total = largest > 0.0 ? take_masses(grid, rows.n, masses, exponent, value) : 0;
  double factor = fixed_point::power_of_two(exponent);
  __shared__ std::int64_t drawn[most_trials];
  for (int t = 1; t < k; ++t) {
    const std::uint64_t index = static_cast<std::uint64_t>(t) * tried;
    const int slot = t % total_slots;
    int best = -1;
    if (total == 0) {
      centre = draw_by_weight(grid, rows, masses, philox::bits(source.seed, source.next, index));
    } else {
      Word* totals = masses.totals + total_slots + t % 2 * tried;
      draw_trials(rows.n, masses, total, source, index, tried, [&](std::int64_t i) { return mass(value(i), factor); },
                  drawn);
      if (grid.thread_rank() == 0) masses.totals[slot] = 0;
      if (blockIdx.x == 0 && static_cast<int>(threadIdx.x) < tried)
        masses.totals[total_slots + (t + 1) % 2 * tried + threadIdx.x] = 0;
      if (masses.distances != nullptr) {
        try_each(rows, masses, drawn, tried, square, factor, totals);
      } else {
        try_together(rows, drawn, tried, square, factor, totals);
      }
      grid.sync();
      best = best_trial(totals, tried);
      centre = drawn[best];
    }
    copy_row(rows, centre, centers + std::int64_t{t} * rows.d);
    if (t + 1 == k || total == 0) continue;
    take_centre(rows, centre, best, masses, factor, square, masses.totals + slot);
    grid.sync();
    total = *static_cast<volatile Word*>(masses.totals + slot);
    if (total < small_total && exponent < max_mass_exponent) {
      exponent = clamp_mass_exponent(exponent + mass_shift(total, rows.n));
      total = take_masses(grid, rows.n, masses, exponent, value);
      factor = fixed_point::power_of_two(exponent);
    }
  }
}

/// k rows by weight without replacement. `left` are the weights of the rows that are left.
template <typename T>
__global__ void __launch_bounds__(init_threads) random_rows(Rows<T> rows, int k, Source source, Masses masses, double* left, T* centers) {
  const auto grid = cooperative_groups::this_grid();
  for (std::int64_t i = grid.thread_rank(); i < rows.n; i += static_cast<std::int64_t>(grid.size()))
    left[i] = rows.weight(i);
  int exponent = mass_exponent(rows.n, 0);
  const auto value = [&](std::int64_t i) { return *static_cast<volatile double*>(left + i); };
  grid.sync();
  Word total = take_masses(grid, rows.n, masses, exponent, value);
  for (int t = 0; t < k; ++t) {
    if (blockIdx.x == 0) {
      const double factor = fixed_point::power_of_two(exponent);
      const auto mass_of = [&](std::int64_t i) { return mass(value(i), factor); };
      const std::int64_t row = block_draw(rows.n, masses, masses.parts, total,
                                          philox::bits(source.seed, source.next, static_cast<std::uint64_t>(t)), mass_of);
      copy_row(rows, row, centers + std::int64_t{t} * rows.d);
      if (threadIdx.x == 0) {
        const Word gone = mass_of(row);
        masses.parts[row / masses.part_rows] -= gone;
        masses.totals[0] -= gone;
        left[row] = 0.0;
      }
    }
    grid.sync();
    total = *static_cast<volatile Word*>(masses.totals);
    grid.sync();
    if (t + 1 < k && total < small_total && exponent < max_mass_exponent) {
      exponent = clamp_mass_exponent(exponent + mass_shift(total, rows.n));
      total = take_masses(grid, rows.n, masses, exponent, value);
    }
  }
}

/// Takes the first centre of k-means||, and the masses for its first round.
template <typename T>
__global__ void __launch_bounds__(init_threads) first_row(Rows<T> rows, Source source, Masses masses) {
  const auto grid = cooperative_groups::this_grid();
  (void)draw_by_weight(grid, rows, masses, philox::bits(source.seed, source.first, 0));
}

/// What a round of k-means|| begins with.
struct RoundState {
  int exponent;
  Word total;
};

/// Masses of square after a round: exponent and total into *state.
template <typename T>
__global__ void __launch_bounds__(init_threads) round_masses(Rows<T> rows, Masses masses, const double* square, bool first, RoundState* state) {
  const auto grid = cooperative_groups::this_grid();
  const auto value = [&](std::int64_t i) {
    const double weight = rows.weight(i);
    return weight > 0.0 ? weight * square[i] : 0.0;
  };
  int exponent = state->exponent;
  Word total = 1;
  if (first) {
    if (grid.thread_rank() == 0) *masses.largest = 0;
    grid.sync();
    double most = 0.0;
    for (std::int64_t i = grid.thread_rank(); i < rows.n; i += static_cast<std::int64_t>(grid.size()))
      most = fmax(most, value(i));
    for (int h = 16; h > 0; h /= 2) most = fmax(most, __shfl_xor_sync(0xFFFFFFFF, most, h));
    if (threadIdx.x % 32 == 0) atomicMax(masses.largest, static_cast<Word>(__double_as_longlong(most)));
    grid.sync();
    const double largest = __longlong_as_double(static_cast<long long>(*static_cast<volatile Word*>(masses.largest)));
    if (largest > 0.0) exponent = mass_exponent(rows.n, ilogb(largest));
    else total = 0;
  }
  grid.sync();
  if (total > 0) total = take_masses(grid, rows.n, masses, exponent, value);
  if (grid.thread_rank() == 0) *state = {exponent, total};
}

/// joined[i] = 1 where row i joins the candidates in this round.
template <typename T>
__global__ void join_round(Rows<T> rows, Source source, int round, std::uint64_t oversampling, const double* square,
                           const RoundState* state, std::uint8_t* joined) {
  const double factor = fixed_point::power_of_two(state->exponent);
  const Word total = state->total;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double weight = rows.weight(i);
    const Word here = weight > 0.0 ? mass(weight * square[i], factor) : 0;
    const auto index = static_cast<std::uint64_t>(round) * static_cast<std::uint64_t>(rows.n) + static_cast<std::uint64_t>(i);
    joined[i] = here > 0 && joins(philox::bits(source.seed, source.next, index), total, here, oversampling) ? 1 : 0;
  }
}

/// Candidate number c is row chosen[c]. One block a candidate.
template <typename T>
__global__ void gather_rows(Rows<T> rows, const std::int64_t* chosen, T* out) {
  for (int j = threadIdx.x; j < rows.d; j += blockDim.x)
    out[std::int64_t{blockIdx.x} * rows.d + j] = rows.X[chosen[blockIdx.x] * rows.d + j];
}

/// Nearest candidate so far and its distance, after new candidates numbered from first_number.
template <typename T>
__global__ void take_candidates_of_round(Rows<T> rows, const T* added, const std::int32_t* labels, int first_number,
                                         double* square, std::int32_t* numbers) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double distance = squared_distance(rows.X + i * rows.d, added + std::int64_t{labels[i]} * rows.d, rows.d, rows.scale);
    if (first_number > 0 && !(distance < square[i])) continue;
    square[i] = distance;
    numbers[i] = first_number + labels[i];
  }
}

/// Fixed-point sums of w' by nearest candidate: words[2 c] high, words[2 c + 1] low.
template <typename T>
__global__ void weigh_candidates(Rows<T> rows, const std::int32_t* numbers, Word* words) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double weight = rows.weight(i);
    if (!(weight > 0.0)) continue;
    const double scaled = weight * fixed_point::grid_factor(0);
    const double high = rint(scaled);
    atomicAdd(words + 2 * numbers[i], static_cast<Word>(static_cast<long long>(high)));
    atomicAdd(words + 2 * numbers[i] + 1,
              static_cast<Word>(static_cast<long long>(rint((scaled - high) * fixed_point::low_factor))));
  }
}

}  // namespace tilelearn::kmeans::cuda
