// Copies between layouts inside device memory.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"

namespace tilelearn::cuda {

inline constexpr int copy_tile = 32;
inline constexpr int copy_tile_rows = 8;

template <typename Element>
struct Strided {
  Element* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// One tile of 32 x 32 elements a block. Each side is walked along its own smaller stride, with the tile in shared
/// memory between them, so that a transposition reads and writes whole sectors. Bytes: read once, written once.
template <typename Element>
__global__ void copy_strided(Strided<Element> to, Strided<const Element> from, std::int64_t rows,
                             std::int64_t columns) {
  __shared__ Element tile[copy_tile][copy_tile + 1];
  const std::int64_t tiles_across = (columns + copy_tile - 1) / copy_tile;
  const std::int64_t row0 = blockIdx.x / tiles_across * copy_tile;
  const std::int64_t column0 = blockIdx.x % tiles_across * copy_tile;
  const bool read_rows = llabs(from.column_stride) <= llabs(from.row_stride);
  for (int i = threadIdx.y; i < copy_tile; i += copy_tile_rows) {
    const int r = read_rows ? i : threadIdx.x;
    const int c = read_rows ? threadIdx.x : i;
    if (row0 + r < rows && column0 + c < columns)
      tile[r][c] = from.data[(row0 + r) * from.row_stride + (column0 + c) * from.column_stride];
  }
  __syncthreads();
  const bool write_rows = llabs(to.column_stride) <= llabs(to.row_stride);
  for (int i = threadIdx.y; i < copy_tile; i += copy_tile_rows) {
    const int r = write_rows ? i : threadIdx.x;
    const int c = write_rows ? threadIdx.x : i;
    if (row0 + r < rows && column0 + c < columns)
      to.data[(row0 + r) * to.row_stride + (column0 + c) * to.column_stride] = tile[r][c];
  }
}

template <typename Element>
void launch_copy_strided(const detail::StridedBlock& to, const detail::StridedBlock& from, std::int64_t rows,
                         std::int64_t columns, cudaStream_t stream) {
  const std::int64_t tiles = (rows + copy_tile - 1) / copy_tile * ((columns + copy_tile - 1) / copy_tile);
  if (tiles > INT32_MAX) throw InvalidArgument("copy: too many elements for a copy between layouts");
  copy_strided<Element><<<static_cast<unsigned>(tiles), dim3(copy_tile, copy_tile_rows), 0, stream>>>(
      {static_cast<Element*>(to.data), to.row_stride, to.column_stride},
      {static_cast<const Element*>(from.data), from.row_stride, from.column_stride}, rows, columns);
  check_launch();
}

}  // namespace tilelearn::cuda
