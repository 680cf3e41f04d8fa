// The Gram matrix in double-double: one leaf of one 32 x 32 tile of the upper triangle a block, four sums a thread.
#pragma once

#include "linear/gram_tiles.cuh"
#include "linear/linear_rows.cuh"

namespace tilelearn::linear::cuda {

inline constexpr int pair_columns = 32;
inline constexpr int pair_rows = 32;
inline constexpr int pair_side = 16;  ///< threads along a side of a tile
inline constexpr int pair_elements = pair_columns * pair_columns;
/// Rows after which low words are carried: they are float64 themselves, and as large as the rows that they gather.
inline constexpr int rows_a_carry = 4;

/// Rows of a leaf: more for many columns, whose tiles are work enough.
constexpr std::int64_t pair_leaf_rows(int p) { return p <= 128 ? 1024 : 8192; }

/// (high, low) += a b for pairs a and b, the low word carrying what the high one loses.
__device__ inline void add_product(const double2& a, const double2& b, double2& sum) {
  const DoubleDouble product = two_product(a.x, b.x);
  const double cross = fma(a.x, b.y, fma(a.y, b.x, product.low));
  const DoubleDouble high = two_sum(sum.x, product.high);
  sum.x = high.high;
  sum.y += high.low + cross;
}

__device__ inline double2 carried(const double2& sum) {
  const double high = sum.x + sum.y;
  return {high, sum.y - (high - sum.x)};
}

/// result[leaf][tile][32][32]. grid: tiles (upper), leaves; block: 16 x 16.
template <typename T>
__global__ void __launch_bounds__(pair_side* pair_side)
    gram_pairs(const __grid_constant__ DeviceRows<T> rows, const ColumnUnit* units, int tiles, std::int64_t leaf_rows,
               std::int64_t first_leaf, double2* result) {
  __shared__ double2 left[pair_rows][pair_columns];
  __shared__ double2 right[pair_rows][pair_columns];
  const PanelPair place = panel_pair(tiles, static_cast<int>(blockIdx.x));
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  const std::int64_t begin = (first_leaf + blockIdx.y) * leaf_rows;
  const std::int64_t end = min(begin + leaf_rows, rows.n);
  double2 sums[2][2] = {};
  for (std::int64_t first = begin; first < end; first += pair_rows) {
    const int count = static_cast<int>(min(std::int64_t{pair_rows}, end - first));
    __syncthreads();
    for (int i = row * pair_side + column; i < pair_rows * pair_columns; i += pair_side * pair_side) {
      // neighbouring threads read neighbouring values
      const int r = rows.X.by_rows() ? i / pair_columns : i % pair_rows;
      const int c = rows.X.by_rows() ? i % pair_columns : i / pair_rows;
      const auto value = [&](int panel) -> double2 {
        if (r >= count) return {0.0, 0.0};
        const int j = panel * pair_columns + c;
        const DoubleDouble exact = in_units_exactly(static_cast<double>(rows.value(first + r, j)), units[j]);
        return {exact.high, exact.low};
      };
      right[r][c] = value(place.column);
      double2 weighted = place.row == place.column ? right[r][c] : value(place.row);
      if (rows.weights != nullptr && r < count) {
        const double weight = rows.weight(first + r);
        const DoubleDouble product = two_product(weighted.x, weight);
        weighted = {product.high, fma(weighted.y, weight, product.low)};
      }
      left[r][c] = weighted;
    }
    __syncthreads();
    for (int r = 0; r < pair_rows; ++r) {
      const double2 a[2] = {left[r][row], left[r][row + pair_side]};
      const double2 b[2] = {right[r][column], right[r][column + pair_side]};
#pragma unroll
      for (int u = 0; u < 2; ++u)
#pragma unroll
        for (int v = 0; v < 2; ++v) {
          add_product(a[u], b[v], sums[u][v]);
          if (r % rows_a_carry == rows_a_carry - 1) sums[u][v] = carried(sums[u][v]);
        }
    }
  }
  double2* out = result + (std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * pair_elements;
  for (int u = 0; u < 2; ++u)
    for (int v = 0; v < 2; ++v) out[(row + u * pair_side) * pair_columns + column + v * pair_side] = sums[u][v];
}

/// high[p][p] and low[p][p], upper triangles.
inline __global__ void unpack_pairs(const double2* tiles_of_pairs, int p, int tiles, double* high, double* low) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < std::int64_t{p} * p;
       i += tilelearn::cuda::thread_count()) {
    const int row = static_cast<int>(i / p);
    const int column = static_cast<int>(i % p);
    const int g = row / pair_columns;
    const int h = column / pair_columns;
    double2 value{0.0, 0.0};
    if (g <= h) {
      value = tiles_of_pairs[number_of_pair(tiles, g, h) * pair_elements + row % pair_columns * pair_columns +
                             column % pair_columns];
    }
    high[i] = value.x;
    low[i] = value.y;
  }
}

}  // namespace tilelearn::linear::cuda
