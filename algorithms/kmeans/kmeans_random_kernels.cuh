// Random rows as first centres: one cooperative launch.
#pragma once

#include "kmeans/kmeans_masses.cuh"

namespace tilelearn::kmeans::cuda {

/// k rows by weight without replacement. `left` are the weights of the rows that are left.
template <typename T>
__global__ void __launch_bounds__(init_threads)
    random_rows(Rows<T> rows, int k, Source source, Masses masses, double* left, T* centers) {
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
      const std::int64_t row =
          block_draw(rows.n, masses, masses.parts, total,
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

}  // namespace tilelearn::kmeans::cuda
