// The k-d order: a radix sort for every level above windows of 1024 rows, one kernel for the levels below.
#include <algorithm>
#include <bit>
#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "dbscan/dbscan_tiles.cuh"
#include "dbscan/dbscan_tiles_order_kernels.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;

namespace {

constexpr std::int64_t most_order_blocks = 1 << 16;
/// Rows up to which any order will do.
constexpr std::int64_t few_rows_to_order = 512;
constexpr int key_bits = 32;
/// Bits of a value that a key should have, and of a pass of the sort.
constexpr int wanted_value_bits = 16;
constexpr int pass_bits = 8;

__global__ void number_rows(std::int32_t* order, std::int64_t n) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < n; i += tilelearn::cuda::thread_count())
    order[i] = static_cast<std::int32_t>(i);
}

int bit_width(std::int64_t value) { return std::bit_width(static_cast<std::uint64_t>(value)); }

/// Splits all nodes of a level at a time.
template <typename T>
class LevelSplitter {
 public:
  LevelSplitter(const T* X, std::int64_t n, int d, std::int32_t* order, const Device& device)
      : X_(X),
        n_(n),
        d_(d),
        device_(device),
        order_(order),
        sorted_order_(device, n),
        keys_(device, n),
        sorted_keys_(device, n),
        low_(device, nodes(leaf_shift + 1) * d),
        high_(device, nodes(leaf_shift + 1) * d),
        splits_(device, nodes(leaf_shift + 1)) {
    std::size_t bytes = 0;
    sort(nullptr, bytes, key_bits);
    scratch_ = Buffer<std::uint8_t>(device, static_cast<std::int64_t>(bytes));
  }

  /// Nodes of 2^shift places: each is sorted along its widest column.
  void split(int shift) {
    const cudaStream_t stream = device_.stream();
    const std::int64_t count = nodes(shift);
    const int node_bits = bit_width(count - 1);
    const int sorted_bits = std::min(key_bits, (node_bits + wanted_value_bits + pass_bits - 1) / pass_bits * pass_bits);
    const int value_bits = sorted_bits - node_bits;
    low_.fill_bytes(0xFF);
    high_.fill_bytes(0);
    const Extents<T> extents{low_.data(), high_.data()};
    find_extents<<<blocks_for(n_, extent_places), order_threads, 0, stream>>>(X_, n_, d_, order_, shift, extents);
    choose_splits<<<blocks_for(count, order_threads / 32), order_threads, 0, stream>>>(
        extents, static_cast<std::int32_t>(count), d_, value_bits, splits_.data());
    make_keys<<<blocks_for(n_, order_threads, most_order_blocks), order_threads, 0, stream>>>(
        X_, n_, d_, order_, shift, value_bits, splits_.data(), keys_.data());
    check_launch();
    std::size_t bytes = static_cast<std::size_t>(scratch_.size());
    sort(scratch_.data(), bytes, sorted_bits);
    check(cudaMemcpyAsync(order_, sorted_order_.data(), static_cast<std::size_t>(n_) * sizeof(std::int32_t),
                          cudaMemcpyDeviceToDevice, stream));
  }

 private:
  [[nodiscard]] std::int64_t nodes(int shift) const { return ((n_ - 1) >> shift) + 1; }

  void sort(void* scratch, std::size_t& bytes, int bits) {
    check(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys_.data(), sorted_keys_.data(), order_,
                                          sorted_order_.data(), n_, 0, bits, device_.stream()));
  }

  const T* X_;
  std::int64_t n_;
  int d_;
  Device device_;
  std::int32_t* order_;
  Buffer<std::int32_t> sorted_order_;
  Buffer<std::uint32_t> keys_;
  Buffer<std::uint32_t> sorted_keys_;
  Buffer<Ordered<T>> low_;
  Buffer<Ordered<T>> high_;
  Buffer<Split<T>> splits_;
  Buffer<std::uint8_t> scratch_;
};

}  // namespace

template <typename T>
Buffer<std::int32_t> k_d_order(const T* X, std::int64_t n, int d, const Device& device) {
  if (n <= few_rows_to_order) return {};
  const cudaStream_t stream = device.stream();
  Buffer<std::int32_t> order(device, n);
  number_rows<<<blocks_for(n, order_threads, most_order_blocks), order_threads, 0, stream>>>(order.data(), n);
  check_launch();
  if (n > leaf_places) {
    LevelSplitter<T> splitter(X, n, d, order.data(), device);
    for (int shift = bit_width(n - 1); shift > leaf_shift; --shift) splitter.split(shift);
  }
  split_leaves<<<blocks_for(n, leaf_places), leaf_places, 0, stream>>>(X, n, d, order.data());
  check_launch();
  return order;
}

template Buffer<std::int32_t> k_d_order(const float*, std::int64_t, int, const Device&);
template Buffer<std::int32_t> k_d_order(const double*, std::int64_t, int, const Device&);

}  // namespace tilelearn::dbscan::cuda
