// The Gram matrix of up to 128 augmented columns: one leaf a block, whose warps share the upper tiles.
//
// Rows come through a ring of chunks in shared memory, are brought into units once, as a panel of doubles, and from
// there go to the tensor cores. Bound by reading X up to about 60 columns, by float64 tensor arithmetic from there on.
#pragma once

#include "linear/gram_stages.cuh"
#include "linear/gram_tiles.cuh"

namespace tilelearn::linear::cuda {

/// How a block is made up for so many groups of 8 columns.
template <int groups_>
struct NarrowShape {
  static constexpr int groups = groups_;
  static constexpr int columns = groups * group_columns;
  static constexpr int tiles = UpperTiles{groups}.count();
  /// Warps that share the tiles, so that sums and operands fit the registers.
  static constexpr int most_role_tiles = 13;
  static constexpr int roles = (tiles + most_role_tiles - 1) / most_role_tiles;
  static constexpr int role_tiles = (tiles + roles - 1) / roles;
  /// Warps that share the rows, each taking steps of every chunk.
  static constexpr int row_groups = groups <= 8 ? 2 : 1;
  static constexpr int warps = roles * row_groups;
  static constexpr int threads = 32 * warps;
  /// Rows of a chunk, and chunks on their way.
  static constexpr int rows = 16;
  static constexpr int stages = 4;
  static constexpr int stride = panel_stride(columns);
  /// Rows of a chunk that a warp brings into units.
  static constexpr int own_rows = (rows + warps - 1) / warps;
  static constexpr std::int64_t leaf_rows = 4096;
  static constexpr int elements = tiles * tile_size;
};

/// What brings a column of a stage into the panel.
struct ColumnPlan {
  ColumnUnit unit;
  StageColumn place;
};

/// A chunk in units: panel[row][column], rows from `count` on and columns behind the ones 0; a warp some rows.
template <typename Shape, typename T>
__device__ inline void fill_panel(const T* stage, int count, const ColumnPlan* plans, double* panel) {
  const int first = static_cast<int>(threadIdx.x / 32) * Shape::own_rows;
  for (int j = static_cast<int>(threadIdx.x % 32); j < Shape::columns; j += 32) {
    const ColumnPlan plan = plans[j];
    const T* from = stage + plan.place.begin + first * plan.place.step;
    double* to = panel + first * Shape::stride + j;
    if (first + Shape::own_rows <= count) {
      T values[Shape::own_rows];
#pragma unroll
      for (int r = 0; r < Shape::own_rows; ++r) values[r] = from[r * plan.place.step];
#pragma unroll
      for (int r = 0; r < Shape::own_rows; ++r)
        to[r * Shape::stride] = in_units(static_cast<double>(values[r]), plan.unit);
      continue;
    }
    for (int r = 0; r < Shape::own_rows && first + r < Shape::rows; ++r)
      to[r * Shape::stride] =
          first + r < count ? in_units(static_cast<double>(from[r * plan.place.step]), plan.unit) : 0.0;
  }
}

/// The rows of a panel that fall to a warp, to the tiles of its role.
template <typename Shape, bool weighted, int role>
__device__ inline void add_panel(const double* panel, const double* weights, int row_group,
                                 double (&sums)[Shape::role_tiles][4]) {
  constexpr int first = role * Shape::role_tiles;
  constexpr int count = Shape::tiles - first < Shape::role_tiles ? Shape::tiles - first : Shape::role_tiles;
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 2
  for (int step = row_group; step < Shape::rows / step_rows; step += Shape::row_groups) {
    const int r = step * step_rows + lane % step_rows;
    const double* row = panel + r * Shape::stride + lane / step_rows;
    double right[Shape::groups];
    double left[Shape::groups];
#pragma unroll
    for (int g = 0; g < Shape::groups; ++g) {
      right[g] = row[g * group_columns];
      left[g] = weighted ? right[g] * weights[r] : right[g];
    }
    add_step<Shape::groups, first, count>(left, right, sums);
  }
}

/// result[block] = the upper tiles of leaf first_leaf + block.
template <typename T, int groups, bool weighted>
__global__ void __launch_bounds__(NarrowShape<groups>::threads)
    gram_narrow(const __grid_constant__ DeviceRows<T> rows, const ColumnUnit* units, std::int64_t first_leaf,
                double* result) {
  using Shape = NarrowShape<groups>;
  extern __shared__ __align__(16) unsigned char memory[];
  constexpr int panel_size = Shape::rows * Shape::stride;
  auto* panels = reinterpret_cast<double*>(memory);  // [2][row][column]
  auto* weights = panels + 2 * panel_size;           // [2][row]
  auto* plans = reinterpret_cast<ColumnPlan*>(weights + 2 * Shape::rows);
  auto* stages = reinterpret_cast<T*>(plans + Shape::columns);
  const StageLayout<T, Shape::rows> layout(rows);
  const int thread = static_cast<int>(threadIdx.x);
  const int role = thread / 32 % Shape::roles;
  const int row_group = thread / 32 / Shape::roles;
  if (thread < Shape::stages) stages[thread * layout.size + layout.zero] = T{0};
  for (int j = thread; j < Shape::columns; j += Shape::threads) plans[j] = {units[j], StageColumn(rows, layout, j)};
  const std::int64_t begin = (first_leaf + blockIdx.x) * Shape::leaf_rows;
  const int leaf = static_cast<int>(min(Shape::leaf_rows, rows.n - begin));
  ChunkCopies<Shape::rows, Shape::stages> copies(leaf);
  const auto start = [&](int first, int count, int stage) {
    start_chunk(rows, layout, begin + first, count, {thread, Shape::threads}, stages + stage * layout.size);
  };
  const auto fill = [&](int first, int stage, int buffer) {
    const int count = min(Shape::rows, leaf - first);
    const T* chunk = stages + stage * layout.size;
    fill_panel<Shape>(chunk, count, plans, panels + buffer * panel_size);
    if (weighted && thread < Shape::rows)
      weights[buffer * Shape::rows + thread] =
          thread < count ? static_cast<double>(chunk[layout.weight_begin + thread]) * rows.weight_scale : 0.0;
  };
  double sums[Shape::role_tiles][4] = {};
  const auto add = [&](int buffer) {
    for_constants<Shape::roles>([&]<int number>(std::integral_constant<int, number>) {
      if (role == number)
        add_panel<Shape, weighted, number>(panels + buffer * panel_size, weights + buffer * Shape::rows, row_group,
                                           sums);
    });
  };

  // While some warps fill the next panel others multiply the present one: half of them begin with the one, half with
  // the other.
  copies.begin(start);
  fill(0, 0, 0);
  int stage = 0;
  int buffer = 0;
  for (int first = 0; first < leaf; first += Shape::rows) {
    stage = stage + 1 == Shape::stages ? 0 : stage + 1;
    copies.next(start);
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      if ((part ^ (thread / 32 & 1)) == 0)
        add(buffer);
      else if (first + Shape::rows < leaf)
        fill(first + Shape::rows, stage, buffer ^ 1);
    }
    buffer ^= 1;
  }

  // The row groups' sums are added in their order.
  double* out = result + std::int64_t{blockIdx.x} * Shape::elements;
  double* mine = Shape::row_groups == 1 ? out : panels + row_group * Shape::elements;
  __syncthreads();
#pragma unroll
  for (int number = 0; number < Shape::role_tiles; ++number) {
    const int tile = role * Shape::role_tiles + number;
    if (tile < Shape::tiles) store_tile(mine + tile * tile_size, sums[number]);
  }
  if constexpr (Shape::row_groups > 1) {
    __syncthreads();
    for (int i = thread; i < Shape::elements; i += Shape::threads) {
      double sum = panels[i];
#pragma unroll
      for (int g = 1; g < Shape::row_groups; ++g) sum += panels[g * Shape::elements + i];
      out[i] = sum;
    }
  }
}

/// Bytes of shared memory of a block.
template <typename T, int groups>
int narrow_shared_bytes(const DeviceRows<T>& rows) {
  using Shape = NarrowShape<groups>;
  const int work = 2 * Shape::rows * (Shape::stride + 1) * static_cast<int>(sizeof(double)) +
                   Shape::columns * static_cast<int>(sizeof(ColumnPlan)) +
                   Shape::stages * StageLayout<T, Shape::rows>(rows).size * static_cast<int>(sizeof(T));
  const int end = Shape::row_groups * Shape::elements * static_cast<int>(sizeof(double));
  return work > end ? work : end;
}

}  // namespace tilelearn::linear::cuda
