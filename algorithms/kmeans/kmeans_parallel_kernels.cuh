// The rounds of k-means||.
#pragma once

#include "kmeans/kmeans_masses.cuh"

namespace tilelearn::kmeans::cuda {

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
__global__ void __launch_bounds__(init_threads)
    round_masses(Rows<T> rows, Masses masses, const double* square, bool first, RoundState* state) {
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
    if (largest > 0.0)
      exponent = mass_exponent(rows.n, ilogb(largest));
    else
      total = 0;
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
    const auto index =
        static_cast<std::uint64_t>(round) * static_cast<std::uint64_t>(rows.n) + static_cast<std::uint64_t>(i);
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
    const double distance =
        squared_distance(rows.X + i * rows.d, added + std::int64_t{labels[i]} * rows.d, rows.d, rows.scale);
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
