// Clustering and predicting by the grid: launches.
#include <algorithm>
#include <type_traits>

#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "dbscan/dbscan_grid_core_kernels.cuh"
#include "dbscan/dbscan_grid_label_kernels.cuh"
#include "dbscan/dbscan_grid_unite_kernels.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::with_scratch;

namespace {

/// Pairs that the queue of unions has room for at least.
constexpr std::int64_t few_pairs = 1024;

template <typename T>
Band<T> band_of(const Ball& ball) {
  if constexpr (std::is_same_v<T, double>) {
    if (ball.norm == Norm::chebyshev) return {ball.eps * (1.0 - 0x1p-50), ball.eps * (1.0 + 0x1p-50)};
    return {ball.inside, ball.outside};
  } else {
    // d + 3 roundings to float, four times that for safety
    const double limit = ball.norm == Norm::euclidean ? ball.eps * ball.eps : ball.eps;
    const double bound = (ball.d + 8) * 0x1p-23;
    return {static_cast<float>(limit * (1.0 - bound)), static_cast<float>(limit * (1.0 + bound))};
  }
}

/// The memory of OpenRows, empty at first.
class OpenSet {
 public:
  OpenSet(std::int64_t rows, const Device& device) : words_(device, (rows + 31) / 32 + 1) { clear(); }

  void clear() { words_.fill_bytes(0); }
  [[nodiscard]] OpenRows rows() const { return {words_.data(), words_.data() + words_.size() - 1}; }

 private:
  Buffer<std::uint32_t> words_;
};

}  // namespace

template <typename T>
template <int d>
GridView<T, d> Grid<T>::view() const {
  return {shape_,
          search_.ball,
          band_of<T>(search_.ball),
          n_,
          reinterpret_cast<const Point<T, d>*>(points_.data()),
          row_of_.data(),
          cell_of_.data(),
          cell_start_.data(),
          cell_x_.data(),
          block_end_.data(),
          cell_count_.data()};
}

template <typename T>
template <int d>
void Grid<T>::mark_core_rows(std::uint32_t* core, std::int32_t* first_row, std::int32_t* list, std::int32_t* list_size,
                             std::int32_t* counted, OpenRows open) {
  const cudaStream_t stream = device_.stream();
  const unsigned blocks = blocks_for(n_, grid_threads);
  if (search_.weights != nullptr) {
    mark_core_weighted<T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), search_.weights, search_.threshold,
                                                                  search_.stops_early, core, first_row);
  } else {
    const auto min_samples = static_cast<std::int32_t>(std::min<std::int64_t>(search_.min_samples, INT32_MAX));
    mark_core<T, d>
        <<<blocks, grid_threads, 0, stream>>>(view<d>(), min_samples, core, first_row, list, list_size, counted, open);
    mark_core_of_list<T, d>
        <<<blocks, grid_threads, 0, stream>>>(view<d>(), min_samples, list, list_size, counted, core, first_row, open);
    decide_core<T, d>
        <<<blocks, grid_threads, 0, stream>>>(view<d>(), min_samples, list, list_size, open, core, first_row);
  }
  check_launch();
}

template <typename T>
template <int d>
void Grid<T>::unite_cells(const std::int32_t* first_row, std::int32_t* parent) {
  const cudaStream_t stream = device_.stream();
  const unsigned blocks = blocks_for(n_, grid_threads);
  start_runs<T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), first_row, parent);
  check_launch();
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, parent, parent, ::cuda::maximum<>{}, n_, stream);
  });
  const auto capacity = static_cast<std::int32_t>(std::max<std::int64_t>(few_pairs, n_ / 4));
  const Buffer<int2> pairs(device_, capacity);
  Buffer<std::int32_t> count(device_, 1);
  const PairQueue queue{pairs.data(), count.data(), capacity};
  const unsigned some_blocks = 8 * static_cast<unsigned>(tilelearn::cuda::multiprocessors());
  for (const Neighbours which : {Neighbours::next_along_1, Neighbours::next_along_2, Neighbours::all}) {
    if ((which == Neighbours::next_along_1 && d < 2) || (which == Neighbours::next_along_2 && d < 3)) continue;
    count.fill_bytes(0);
    unite_neighbours<false, T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), first_row, parent, which, queue);
    unite_queued<T, d><<<some_blocks, grid_threads, 0, stream>>>(view<d>(), parent, queue);
    unite_neighbours<true, T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), first_row, parent, which, queue);
    shorten_ways<<<blocks, grid_threads, 0, stream>>>(parent, cell_count_.data());
    check_launch();
  }
}

template <typename T>
template <int d>
void Grid<T>::cluster_in(std::int32_t* labels, RankedBits& clusters) {
  const cudaStream_t stream = device_.stream();
  const unsigned blocks = blocks_for(n_, grid_threads);
  Buffer<std::int32_t> first_row(device_, n_);
  Buffer<std::int32_t> list(device_, n_);
  Buffer<std::int32_t> list_size(device_, 1);
  OpenSet open(n_, device_);
  start_cells<<<blocks, grid_threads, 0, stream>>>(first_row.data(), n_);
  {
    const Buffer<std::uint32_t> core(device_, (std::int64_t{n_} + 31) / 32);
    list_size.fill_bytes(0);
    mark_core_rows<d>(core.data(), first_row.data(), list.data(), list_size.data(), labels, open.rows());
    list_size.fill_bytes(0);
    mask_points<T, d><<<blocks, grid_threads, 0, stream>>>(reinterpret_cast<Point<T, d>*>(points_.data()), n_,
                                                           core.data(), list.data(), list_size.data());
    check_launch();
  }
  Buffer<std::int32_t> parent(device_, n_);
  unite_cells<d>(first_row.data(), parent.data());
  number_clusters(parent.data(), first_row.data(), n_, cell_count_.data(), clusters, device_);
  label_core_rows<T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), parent.data(), labels);
  open.clear();
  label_other_rows<T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), search_.X, list.data(), list_size.data(),
                                                              parent.data(), labels, open.rows());
  decide_other_rows<T, d><<<blocks, grid_threads, 0, stream>>>(view<d>(), search_.X, list.data(), list_size.data(),
                                                               parent.data(), open.rows(), labels);
  check_launch();
}

template <typename T>
void Grid<T>::cluster(std::int32_t* labels, RankedBits& clusters) {
  for_columns(search_.ball.d, [&](auto columns) { cluster_in<decltype(columns)::value>(labels, clusters); });
}

template <typename T>
void Grid<T>::query(const std::int32_t* labels_of_rows, const T* queries, std::int64_t m, std::int32_t* labels) const {
  const cudaStream_t stream = device_.stream();
  const Buffer<std::int32_t> cluster_of(device_, n_);
  const OpenSet open(m, device_);
  label_cells<<<blocks_for(n_, grid_threads), grid_threads, 0, stream>>>(
      cell_start_.data(), cell_count_.data(), row_of_.data(), labels_of_rows, cluster_of.data());
  check_launch();
  for_columns(search_.ball.d, [&](auto columns) {
    constexpr int d = decltype(columns)::value;
    const unsigned blocks = blocks_for(m, grid_threads);
    label_queries<T, d>
        <<<blocks, grid_threads, 0, stream>>>(view<d>(), queries, m, cluster_of.data(), labels, open.rows());
    decide_queries<T, d>
        <<<blocks, grid_threads, 0, stream>>>(view<d>(), queries, m, cluster_of.data(), open.rows(), labels);
  });
  check_launch();
}

template class Grid<float>;
template class Grid<double>;

}  // namespace tilelearn::dbscan::cuda
