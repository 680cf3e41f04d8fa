// The Gram matrix on a GPU: which kernel, leaves in batches, and the matrix from its tiles.
#include "linear/gram_direct_kernels.cuh"
#include "linear/gram_narrow_kernels.cuh"
#include "linear/gram_pairs_kernels.cuh"
#include "linear/gram_wide_kernels.cuh"
#include "linear/leaf_sums.cuh"
#include "linear/linear_passes.cuh"

namespace tilelearn::linear::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::to_host;

namespace {

constexpr int unpack_threads = 256;
constexpr std::int64_t most_unpack_blocks = 1 << 12;
/// Augmented columns whose sums fit the registers of a block.
constexpr std::int64_t most_leaf_columns = 128;

unsigned unpack_blocks(int p) { return blocks_for(std::int64_t{p} * p, unpack_threads, most_unpack_blocks); }

constexpr std::int64_t leaves_of(std::int64_t n, std::int64_t leaf_rows) { return (n + leaf_rows - 1) / leaf_rows; }

template <typename Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
}

/// A kernel whose blocks take a leaf each and leave UpperTiles.
template <typename T>
struct LeafKernel {
  void (*kernel)(DeviceRows<T>, const ColumnUnit*, std::int64_t, double*);
  int threads;
  int shared_bytes;
  std::int64_t leaf_rows;
  int groups;
};

template <int groups, typename T>
LeafKernel<T> direct_kernel(const DeviceRows<T>& rows) {
  using Shape = DirectShape<groups>;
  return {rows.weights == nullptr ? gram_direct<T, groups, false> : gram_direct<T, groups, true>, Shape::threads,
          direct_shared_bytes<T, groups>(rows), Shape::leaf_rows, groups};
}

template <int groups, typename T>
LeafKernel<T> narrow_kernel(const DeviceRows<T>& rows) {
  using Shape = NarrowShape<groups>;
  return {rows.weights == nullptr ? gram_narrow<T, groups, false> : gram_narrow<T, groups, true>, Shape::threads,
          narrow_shared_bytes<T, groups>(rows), Shape::leaf_rows, groups};
}

/// The narrowest that holds the columns.
template <typename T>
LeafKernel<T> leaf_kernel(const DeviceRows<T>& rows) {
  const int p = rows.width();
  if (p <= 16) return direct_kernel<2>(rows);
  if (p <= 32) return direct_kernel<4>(rows);
  if (p <= 64) return narrow_kernel<8>(rows);
  if (p <= 104) return narrow_kernel<13>(rows);
  return narrow_kernel<16>(rows);
}

template <typename T>
Buffer<double> leaf_matrix(const DeviceRows<T>& rows, const Units& units, const Device& device) {
  const int p = rows.width();
  const LeafKernel<T> leaf = leaf_kernel(rows);
  const UpperTiles upper{leaf.groups};
  const Buffer<ColumnUnit> column_units = upload_units(units, leaf.groups * group_columns, device);
  allow_shared_memory(leaf.kernel, leaf.shared_bytes);
  const Buffer<double> tiles = sum_leaves<double>(
      leaves_of(rows.n, leaf.leaf_rows), std::int64_t{upper.count()} * tile_size, device,
      [&](std::int64_t first, std::int64_t count, double* sums) {
        leaf.kernel<<<static_cast<unsigned>(count), leaf.threads, static_cast<std::size_t>(leaf.shared_bytes),
                      device.stream()>>>(rows, column_units.data(), first, sums);
      });
  Buffer<double> matrix(device, std::int64_t{p} * p);
  unpack_tiles<<<unpack_blocks(p), unpack_threads, 0, device.stream()>>>(tiles.data(), upper, p, matrix.data());
  check_launch();
  return matrix;
}

template <typename T>
Buffer<double> wide_matrix(const DeviceRows<T>& rows, const Units& units, const Device& device) {
  const int p = rows.width();
  const int panels = (p + wide_columns - 1) / wide_columns;
  const int pairs = panels * (panels + 1) / 2;
  const Buffer<ColumnUnit> column_units = upload_units(units, std::int64_t{panels} * wide_columns, device);
  constexpr int bytes = wide_shared_bytes<T>();
  allow_shared_memory(gram_wide<T>, bytes);
  const Buffer<double> tiles = sum_leaves<double>(
      leaves_of(rows.n, wide_leaf_rows), std::int64_t{pairs} * wide_elements, device,
      [&](std::int64_t first, std::int64_t count, double* sums) {
        const dim3 grid(static_cast<unsigned>(pairs), static_cast<unsigned>(count));
        gram_wide<<<grid, wide_threads, bytes, device.stream()>>>(rows, column_units.data(), panels, first, sums);
      });
  Buffer<double> matrix(device, std::int64_t{p} * p);
  unpack_wide<<<unpack_blocks(p), unpack_threads, 0, device.stream()>>>(tiles.data(), p, panels, matrix.data());
  check_launch();
  return matrix;
}

template <typename T>
Gram pairs_gram(const DeviceRows<T>& rows, const Units& units, const Device& device) {
  const int p = rows.width();
  const int tiles = (p + pair_columns - 1) / pair_columns;
  const int pairs = tiles * (tiles + 1) / 2;
  const std::int64_t leaf_rows = pair_leaf_rows(p);
  const Buffer<ColumnUnit> column_units = upload_units(units, std::int64_t{tiles} * pair_columns, device);
  const Buffer<double2> sums =
      sum_leaves<double2>(leaves_of(rows.n, leaf_rows), std::int64_t{pairs} * pair_elements, device,
                          [&](std::int64_t first, std::int64_t count, double2* to) {
                            const dim3 grid(static_cast<unsigned>(pairs), static_cast<unsigned>(count));
                            gram_pairs<<<grid, dim3(pair_side, pair_side), 0, device.stream()>>>(
                                rows, column_units.data(), tiles, leaf_rows, first, to);
                          });
  const std::int64_t size = std::int64_t{p} * p;
  const Buffer<double> high(device, size);
  const Buffer<double> low(device, size);
  unpack_pairs<<<unpack_blocks(p), unpack_threads, 0, device.stream()>>>(sums.data(), p, tiles, high.data(),
                                                                         low.data());
  check_launch();
  return {p, to_host(high.data(), size, device), to_host(low.data(), size, device)};
}

}  // namespace

template <typename T>
Gram gram(const Rows<T>& rows, const Units& units, Precision precision) {
  const Device& device = rows.X.device();
  const tilelearn::cuda::CurrentDevice current(device.index());
  const DeviceRows<T> device_rows(rows, units);
  if (precision == Precision::double_double) return pairs_gram(device_rows, units, device);
  const Buffer<double> matrix = rows.width() <= most_leaf_columns ? leaf_matrix(device_rows, units, device)
                                                                  : wide_matrix(device_rows, units, device);
  return {rows.width(), to_host(matrix.data(), matrix.size(), device), {}};
}

template Gram gram(const Rows<float>&, const Units&, Precision);
template Gram gram(const Rows<double>&, const Units&, Precision);

}  // namespace tilelearn::linear::cuda
