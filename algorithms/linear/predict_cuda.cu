// Predictions of a plane on a GPU: a row a thread, its values through shared memory. Bytes: X once, Y once.
#include <algorithm>

#include "linear/linear_passes.cuh"
#include "linear/linear_rows.cuh"
#include "linear/plane_vectors.hpp"

namespace tilelearn::linear::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::to_device;

namespace {

constexpr int rows_a_block = 128;
/// Columns that a block holds at a time.
template <typename T>
constexpr int most_columns = sizeof(T) == sizeof(float) ? 64 : 32;
/// Tiles on their way: one is used while the next comes.
constexpr int tiles_held = 2;
/// Sums of a product run in so many lanes, which are then added in order: as on the CPU.
constexpr int lanes = 8;

/// A part of the work of a block: some columns of some rows, for one target. Where a tile holds all columns it serves
/// all targets.
struct Part {
  std::int64_t first;
  int target;
  int column;
};

/// How a tile lies in shared memory.
template <typename T>
struct TileShape {
  int width;
  int row_stride;
  int column_stride;
  int size;

  __host__ __device__ explicit TileShape(const DeviceBlock<T>& X)
      : width(X.columns < most_columns<T> ? X.columns : most_columns<T>) {
    // Rows without gaps are copied as one piece; else an odd number of vectors apart, since threads read a row each.
    constexpr int vector = 16 / sizeof(T);
    constexpr int too_many_conflicts = 8;
    const bool gapless = width == X.columns && width % too_many_conflicts != 0;
    row_stride = !X.by_rows() ? 1 : gapless ? width : vector * ((width + vector - 1) / vector | 1);
    column_stride = X.by_rows() ? 1 : stage_column<T, rows_a_block>;
    size = X.by_rows() ? rows_a_block * row_stride : width * column_stride;
    size = (size + 3) / 4 * 4;
  }
};

/// Y[n][t] = X coef + intercept; plane is [target][d + 1], the intercept last.
template <typename T>
__global__ void __launch_bounds__(rows_a_block)
    predict_rows(const __grid_constant__ DeviceBlock<T> X, std::int64_t n, const double* plane, int targets, T* Y,
                 std::int64_t y_stride, int* not_finite) {
  // A NaN or infinity in a row leaves a sum that is none: 0 times it is NaN.
  extern __shared__ __align__(16) unsigned char memory[];
  auto* tiles = reinterpret_cast<T*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const int d = X.columns;
  const TileShape<T> shape(X);
  const bool one_tile = d <= shape.width;
  const auto rows_of = [&](const Part& part) {
    return static_cast<int>(min(std::int64_t{rows_a_block}, n - part.first));
  };
  const auto columns_of = [&](const Part& part) { return min(shape.width, d - part.column); };
  const auto advance = [&](Part& part) {
    part.column += shape.width;
    if (part.column < d) return;
    part.column = 0;
    if (!one_tile && ++part.target < targets) return;
    part.target = 0;
    part.first += std::int64_t{gridDim.x} * rows_a_block;
  };
  const auto start = [&](const Part& part, int tile) {
    if (part.first < n)
      start_copy<rows_a_block>(X, X.by_rows(), part.first, rows_of(part), part.column, columns_of(part),
                               shape.row_stride, {thread, rows_a_block}, tiles + tile * shape.size);
    __pipeline_commit();
  };
  Part part{std::int64_t{blockIdx.x} * rows_a_block, 0, 0};
  Part next = part;
  start(next, 0);
  bool bad = false;
  double sums[lanes] = {};
  for (int tile = 0; part.first < n; tile ^= 1) {
    advance(next);
    start(next, tile ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    if (thread < rows_of(part)) {
      const T* row = tiles + tile * shape.size + thread * shape.row_stride;
      const int columns = columns_of(part);
      for (int k = part.target; k < (one_tile ? targets : part.target + 1); ++k) {
        const double* coef = plane + std::int64_t{k} * (d + 1) + part.column;
        const auto add = [&](int c, int lane) {
          sums[lane] = fma(__ldg(coef + c), static_cast<double>(row[c * shape.column_stride]), sums[lane]);
        };
        int c = 0;
        for (; c + lanes <= columns; c += lanes)
#pragma unroll
          for (int l = 0; l < lanes; ++l) add(c + l, l);
#pragma unroll
        for (int l = 0; l < lanes; ++l)
          if (c + l < columns) add(c + l, l);
        if (part.column + columns < d) continue;
        double sum = 0.0;
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          sum += l == d % lanes ? sums[l] + coef[columns] : sums[l];
          sums[l] = 0.0;
        }
        bad = bad || !isfinite(sum);
        Y[(part.first + thread) * y_stride + k] = static_cast<T>(sum);
      }
    }
    part = next;
    __syncthreads();
  }
  if (bad) *not_finite = 1;
}

}  // namespace

template <typename T>
bool predict(const MatrixView<const T>& X, const Plane& plane, const MatrixView<T>& Y) {
  const Device& device = X.device();
  const tilelearn::cuda::CurrentDevice current(device.index());
  const std::int64_t d = X.columns();
  const Buffer<double> device_plane = to_device(by_target(plane, d, d + 1), device);
  Buffer<int> not_finite(device, 1);
  not_finite.fill_bytes(0);
  const DeviceBlock<T> block(X);
  const int bytes = tiles_held * TileShape<T>(block).size * static_cast<int>(sizeof(T));
  check(cudaFuncSetAttribute(predict_rows<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  int blocks_together = 1;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_together, predict_rows<T>, rows_a_block,
                                                      static_cast<std::size_t>(bytes)));
  const std::int64_t most_blocks = std::int64_t{blocks_together} * tilelearn::cuda::multiprocessors();
  predict_rows<<<tilelearn::cuda::blocks_for(X.rows(), rows_a_block, most_blocks), rows_a_block,
                 static_cast<std::size_t>(bytes), device.stream()>>>(
      block, X.rows(), device_plane.data(), static_cast<int>(Y.columns()), Y.data(), Y.row_stride(), not_finite.data());
  check_launch();
  return tilelearn::cuda::to_host(not_finite.data(), 1, device).front() == 0;
}

template bool predict(const MatrixView<const float>&, const Plane&, const MatrixView<float>&);
template bool predict(const MatrixView<const double>&, const Plane&, const MatrixView<double>&);

}  // namespace tilelearn::linear::cuda
