// Rows of linear models as kernels see them: augmented rows in units, copied to shared memory from any layout.
#pragma once

#include <cstdint>
#include <vector>

#include <cuda_pipeline_primitives.h>

#include "core/cuda_support.cuh"
#include "linear/gram.hpp"

namespace tilelearn::linear::cuda {

/// A matrix on the device.
template <typename T>
struct DeviceBlock {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
  int columns;

  explicit DeviceBlock(const MatrixView<const T>& view)
      : data(view.data()),
        row_stride(view.row_stride()),
        column_stride(view.column_stride()),
        columns(static_cast<int>(view.columns())) {}

  [[nodiscard]] __host__ __device__ bool by_rows() const { return column_stride == 1; }
  /// Rows follow one another without gaps, from a multiple of 16 bytes on.
  [[nodiscard]] __device__ bool is_packed() const {
    return by_rows() && row_stride == columns && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  }
  [[nodiscard]] __device__ const T* at(std::int64_t row, int column) const {
    return data + row * row_stride + column * column_stride;
  }
};

/// Rows of gram.hpp.
template <typename T>
struct DeviceRows {
  DeviceBlock<T> X;
  DeviceBlock<T> Y;
  const T* weights;  ///< null for none
  std::int64_t weight_stride;
  double weight_scale;
  std::int64_t n;

  DeviceRows(const Rows<T>& rows, const Units& units)
      : X(rows.X),
        Y(rows.Y),
        weights(rows.weights ? rows.weights->data() : nullptr),
        weight_stride(rows.weights ? rows.weights->stride() : 0),
        weight_scale(units.weight_scale),
        n(rows.X.rows()) {}

  [[nodiscard]] __host__ __device__ int width() const { return X.columns + Y.columns + 1; }
  [[nodiscard]] __device__ double weight(std::int64_t row) const {
    return weights == nullptr ? 1.0 : static_cast<double>(weights[row * weight_stride]) * weight_scale;
  }
  /// The value of a column of X or Y, 0 for the other columns of an augmented row: their units say what they are.
  [[nodiscard]] __device__ T value(std::int64_t row, int column) const {
    if (column < X.columns) return *X.at(row, column);
    if (column < X.columns + Y.columns) return *Y.at(row, column - X.columns);
    return T{0};
  }
};

/// Scale and shift (times the scale) of a column. The column of ones has the scale 0 and the shift -1.
using ColumnUnit = double2;

/// `count` columns, those behind the ones without anything in them. The copy is complete on return.
inline tilelearn::cuda::Buffer<ColumnUnit> upload_units(const Units& units, std::int64_t count, const Device& device) {
  std::vector<ColumnUnit> host(static_cast<std::size_t>(count), ColumnUnit{0.0, 0.0});
  for (std::size_t j = 0; j < units.shift.size(); ++j) host[j] = {units.scale[j], units.shift[j] * units.scale[j]};
  host[units.shift.size()] = {0.0, -1.0};
  return tilelearn::cuda::to_device(host, device);
}

/// x scale - shift. Scales are powers of two, so that the product is exact where it is in range.
__device__ inline double in_units(double x, const ColumnUnit& unit) { return fma(x, unit.x, -unit.y); }

/// The same, and what float64 does not hold of it.
__device__ inline DoubleDouble in_units_exactly(double x, const ColumnUnit& unit) {
  return two_sum(x * unit.x, -unit.y);
}

/// Threads that copy together: whole warps.
struct Team {
  int thread;
  int threads;
};

/// Values from one column of a chunk to the next, where chunks lie column by column: whole vectors of 16 bytes, spread
/// over the banks.
template <typename T, int chunk>
inline constexpr int stage_column = chunk + 16 / static_cast<int>(sizeof(T));

/// Starts the copy of columns [first_column, + columns) of rows [first, + count) of a chunk to shared memory: row by
/// row, `row_stride` apart, or column by column, stage_column apart.
template <int chunk, typename T>
__device__ inline void start_copy(const DeviceBlock<T>& block, bool by_rows, std::int64_t first, int count,
                                  int first_column, int columns, int row_stride, const Team& team, T* to) {
  constexpr int vector = 16 / sizeof(T);
  if (!by_rows) {
    const T* from = block.at(first, first_column);
    if (count == chunk && block.row_stride == 1 && block.column_stride % vector == 0 &&
        reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      constexpr int vectors = chunk / vector;
      for (int i = team.thread; i < columns * vectors; i += team.threads)
        __pipeline_memcpy_async(to + i / vectors * stage_column<T, chunk> + i % vectors * vector,
                                from + i / vectors * block.column_stride + i % vectors * vector, 16);
      return;
    }
    for (int i = team.thread; i < columns * chunk; i += team.threads)
      if (i % chunk < count)
        __pipeline_memcpy_async(to + i / chunk * stage_column<T, chunk> + i % chunk,
                                from + i % chunk * block.row_stride + i / chunk * block.column_stride, sizeof(T));
    return;
  }
  if (columns == block.columns && row_stride == columns && block.is_packed() && count == chunk) {
    static_assert(chunk % vector == 0);
    const T* packed = block.at(first, 0);
    for (int i = team.thread * vector; i < chunk * columns; i += team.threads * vector)
      __pipeline_memcpy_async(to + i, packed + i, 16);
    return;
  }
  const T* from = block.at(first, first_column);
  if (columns % vector == 0 && row_stride % vector == 0 && block.row_stride % vector == 0 &&
      reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    for (int c = team.thread % 32 * vector; c < columns; c += 32 * vector)
#pragma unroll 4
      for (int r = team.thread / 32; r < count; r += team.threads / 32)
        __pipeline_memcpy_async(to + r * row_stride + c, from + r * block.row_stride + c, 16);
    return;
  }
  for (int c = team.thread % 32; c < columns; c += 32)
#pragma unroll 4
    for (int r = team.thread / 32; r < count; r += team.threads / 32)
      __pipeline_memcpy_async(to + r * row_stride + c, from + r * block.row_stride + c, sizeof(T));
}

}  // namespace tilelearn::linear::cuda
