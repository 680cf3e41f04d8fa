// Float64 tensor instructions on augmented rows: 16 columns by 8 columns, four rows at a time.
//
// mma.m16n8k4 takes the first operand by rows and the second by columns; of A^T A both come from the same registers:
// lane l holds row l % 4, column l / 4 of each group of 8 columns. (m8n8k4 runs at half the rate on sm_90.)
#pragma once

#include <cstdint>
#include <utility>

#include "core/cuda_support.cuh"

namespace tilelearn::linear::cuda {

inline constexpr int group_columns = 8;
inline constexpr int step_rows = 4;
/// Two groups by one: 16 x 8 sums, four a lane.
inline constexpr int tile_size = 2 * group_columns * group_columns;

/// sums += (a0, a1)^T b: lane l holds row l / 4, columns 2 (l % 4) and 2 (l % 4) + 1 of the tile, then row l / 4 + 8.
__device__ inline void multiply_add(double (&sums)[4], double a0, double a1, double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a0), "d"(a1), "d"(b));
#else
  const auto half = [b](double& first, double& second, double a) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(first), "+d"(second)
        : "d"(a), "d"(b));
  };
  half(sums[0], sums[1], a0);
  half(sums[2], sums[3], a1);
#endif
}

/// Stores a tile of 16 x 8 values, row-major.
__device__ inline void store_tile(double* tile, const double (&sums)[4]) {
  auto* pairs = reinterpret_cast<double2*>(tile) + threadIdx.x % 32;
  pairs[0] = {sums[0], sums[1]};
  pairs[32] = {sums[2], sums[3]};
}

/// Place of a value of the 16 x 8 tile at [row / 16][column / 8].
__host__ __device__ constexpr int place_in_tile(int row, int column) {
  return row % (2 * group_columns) * group_columns + column % group_columns;
}

/// Doubles from one row of a panel in shared memory to the next, so that the 16 lanes that load together meet no bank
/// twice: 4 or 12 modulo 16.
__host__ __device__ constexpr int panel_stride(int columns) { return columns + 4; }

/// The tiles on and above the diagonal of `groups` x `groups`, row of tiles by row of tiles: row r begins at group 2 r.
struct UpperTiles {
  int groups;

  [[nodiscard]] __host__ __device__ constexpr int count() const { return first_of((groups + 1) / 2); }
  /// The number of the first tile of a row.
  [[nodiscard]] __host__ __device__ constexpr int first_of(int row) const { return row * (groups - row + 1); }
  [[nodiscard]] __host__ __device__ constexpr int row_of(int number) const {
    int row = 0;
    while (number >= first_of(row + 1)) ++row;
    return row;
  }
  [[nodiscard]] __host__ __device__ constexpr int group_of(int number) const {
    const int row = row_of(number);
    return 2 * row + number - first_of(row);
  }
  /// The place of a value of the upper triangle among all tiles' values.
  [[nodiscard]] __host__ __device__ constexpr int place(int row, int column) const {
    const int tile_row = row / (2 * group_columns);
    return (first_of(tile_row) + column / group_columns - 2 * tile_row) * tile_size + place_in_tile(row, column);
  }
};

/// A pair of panels on or above the diagonal, row by row.
struct PanelPair {
  int row;
  int column;
};
__host__ __device__ constexpr PanelPair panel_pair(int panels, int number) {
  int row = 0;
  while (number >= panels - row) {
    number -= panels - row;
    ++row;
  }
  return {row, row + number};
}
__host__ __device__ constexpr std::int64_t number_of_pair(std::int64_t panels, std::int64_t row, std::int64_t column) {
  return row * panels - row * (row - 1) / 2 + column - row;
}

/// calls function(integral_constant) for 0 .. count - 1.
template <int count, typename Function>
__device__ inline void for_constants(const Function& function) {
  [&]<int... numbers>(std::integer_sequence<int, numbers...>) {
    (function(std::integral_constant<int, numbers>{}), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// The tiles [first, first + count) plus four rows, of which this lane holds one value a group.
template <int groups, int first, int count, int room>
__device__ inline void add_step(const double (&left)[groups], const double (&right)[groups], double (&sums)[room][4]) {
  for_constants<count>([&]<int number>(std::integral_constant<int, number>) {
    constexpr UpperTiles tiles{groups};
    constexpr int row = tiles.row_of(first + number);
    constexpr int column = tiles.group_of(first + number);
    const double below = 2 * row + 1 < groups ? left[2 * row + 1 < groups ? 2 * row + 1 : 0] : 0.0;
    multiply_add(sums[number], left[2 * row], below, right[column]);
  });
}

/// matrix[p][p], upper triangle, from UpperTiles of groups.
inline __global__ void unpack_tiles(const double* values, const __grid_constant__ UpperTiles tiles, int p,
                                    double* matrix) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < std::int64_t{p} * p;
       i += tilelearn::cuda::thread_count()) {
    const int row = static_cast<int>(i / p);
    const int column = static_cast<int>(i % p);
    matrix[i] = row <= column ? values[tiles.place(row, column)] : 0.0;
  }
}

}  // namespace tilelearn::linear::cuda
