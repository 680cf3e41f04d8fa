// Greedy k-means++ as one cooperative launch: all steps on the device, a grid barrier between phases.
#pragma once

#include "kmeans/kmeans_masses.cuh"

namespace tilelearn::kmeans::cuda {

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

/// Greedy k-means++: each step takes the last centre in, draws the trials, compares what they would leave; two
/// barriers of the grid a step. O(n k d log k).
template <typename T>
__global__ void __launch_bounds__(init_threads)
    plus_plus(Rows<T> rows, int k, Source source, Masses masses, double* square, T* centers) {
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
      draw_trials(
          rows.n, masses, total, source, index, tried, [&](std::int64_t i) { return mass(value(i), factor); }, drawn);
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

}  // namespace tilelearn::kmeans::cuda
