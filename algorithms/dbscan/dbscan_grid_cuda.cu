// Launches of the grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "dbscan/dbscan_grid_core_kernels.cuh"
#include "dbscan/dbscan_grid_label_kernels.cuh"
#include "dbscan/dbscan_grid_sort_kernels.cuh"
#include "dbscan/dbscan_grid_unite_kernels.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;

namespace {

constexpr double most_cells = 1 << 30;
/// Grid rows for each row of X at most, and blocks of cells where the grid rows leave a choice.
constexpr std::int64_t grid_rows_a_row = 4;
constexpr double blocks_a_row = 1.0;
constexpr std::int64_t few_rows = 1024;
/// float evaluations are safe for eps within 2^+-60.
constexpr int most_float_exponent = 60;

/// Cell sides in units of eps, a little below what keeps rows of a cell within eps of each other.
double cell_side(Norm norm, int d) {
  constexpr double less = 1.0 - 0x1p-18;
  switch (norm) {
    case Norm::euclidean:
      return less / std::sqrt(static_cast<double>(d));
    case Norm::manhattan:
      return less / d;
    default:
      return less;
  }
}

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

/// Calls cub's function once for the size of its scratch and once with it.
template <typename Call>
void with_scratch(const Device& device, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  const Buffer<std::uint8_t> scratch(device, static_cast<std::int64_t>(bytes));
  check(call(scratch.data(), bytes));
}

template <typename Call>
void for_columns(int d, const Call& call) {
  switch (d) {
    case 1:
      return call(std::integral_constant<int, 1>{});
    case 2:
      return call(std::integral_constant<int, 2>{});
    default:
      return call(std::integral_constant<int, 3>{});
  }
}

}  // namespace

template <typename T>
std::optional<GridShape> Grid<T>::shape(const Search<T>& search, const Extremes& extremes) {
  const Ball& ball = search.ball;
  if (ball.d > most_grid_columns || ball.scale != 1.0) return std::nullopt;
  if (sizeof(T) == sizeof(float) && std::abs(std::ilogb(ball.eps)) > most_float_exponent) return std::nullopt;
  GridShape shape{};
  shape.per_unit = 1.0 / (ball.eps * cell_side(ball.norm, ball.d));
  if (!std::isfinite(shape.per_unit) || shape.per_unit < std::numeric_limits<double>::min()) return std::nullopt;
  shape.reach = static_cast<float>(ball.eps * shape.per_unit * (1.0 + 0x1p-20));
  shape.most_offset = static_cast<int>(shape.reach + 1.0f + cell_margin);
  double cells[most_grid_columns];
  for (int j = 0; j < ball.d; ++j) {
    // The same steps as in kernels, so that the largest value has the last cell.
    cells[j] = std::floor((extremes.high[j] - extremes.low[j]) * shape.per_unit) + 1.0;
    if (!(cells[j] <= most_cells)) return std::nullopt;
  }
  std::iota(shape.column, shape.column + ball.d, 0);
  std::stable_sort(shape.column, shape.column + ball.d, [&](int a, int b) { return cells[a] > cells[b]; });
  double rows = 1.0;
  for (int a = 0; a < most_grid_columns; ++a) {
    shape.cells[a] = a < ball.d ? static_cast<int>(cells[shape.column[a]]) : 1;
    shape.low[a] = a < ball.d ? extremes.low[shape.column[a]] : 0.0;
    if (a > 0) rows *= shape.cells[a];
  }
  if (rows > static_cast<double>(std::max(few_rows, std::min<std::int64_t>(grid_rows_a_row * search.n, 1 << 30))))
    return std::nullopt;
  const double most_blocks = std::max(rows, std::max<double>(few_rows, blocks_a_row * static_cast<double>(search.n)));
  const auto blocks_in_row = [&](int shift) { return ((shape.cells[0] - 1) >> shift) + 1; };
  while (rows * blocks_in_row(shape.block_shift) > most_blocks) ++shape.block_shift;
  shape.row_blocks = blocks_in_row(shape.block_shift);
  return shape;
}

template <typename T>
Grid<T>::Grid(const Search<T>& search, const GridShape& shape, const Device& device)
    : search_(search), shape_(shape), device_(device), n_(static_cast<std::int32_t>(search.n)) {
  for_columns(search.ball.d, [&](auto columns) { build<decltype(columns)::value>(); });
}

template <typename T>
template <int d>
void Grid<T>::build() {
  if (shape_.size() <= std::int64_t{UINT32_MAX})
    sort_rows<std::uint32_t, d>();
  else
    sort_rows<std::uint64_t, d>();
}

template <typename T>
template <typename Key, int d>
void Grid<T>::sort_rows() {
  const cudaStream_t stream = device_.stream();
  const unsigned blocks = blocks_for(n_, grid_threads);
  Buffer<Key> keys(device_, n_);
  row_of_ = Buffer<std::int32_t>(device_, n_);
  {
    Buffer<Key> other_keys(device_, n_);
    Buffer<std::int32_t> other_rows(device_, n_);
    make_keys<T, d><<<blocks, grid_threads, 0, stream>>>(search_.X, n_, shape_, keys.data(), row_of_.data());
    check_launch();
    cub::DoubleBuffer<Key> sorted_keys(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::int32_t> sorted_rows(row_of_.data(), other_rows.data());
    int bits = 1;
    while (bits < 63 && shape_.size() > std::int64_t{1} << bits) ++bits;
    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, sorted_keys, sorted_rows, n_, 0, bits, stream);
    });
    if (sorted_keys.Current() != keys.data()) std::swap(keys, other_keys);
    if (sorted_rows.Current() != row_of_.data()) std::swap(row_of_, other_rows);
  }
  points_ = Buffer<T>(device_, std::int64_t{n_} * d);
  gather_points<T, d><<<blocks, grid_threads, 0, stream>>>(search_.X, n_, shape_, row_of_.data(),
                                                           reinterpret_cast<Point<T, d>*>(points_.data()));
  check_launch();
  cell_of_ = Buffer<std::int32_t>(device_, n_);
  cell_start_ = Buffer<std::int32_t>(device_, std::int64_t{n_} + 1);
  cell_x_ = Buffer<std::int32_t>(device_, n_);
  block_end_ = Buffer<std::int32_t>(device_, shape_.blocks());
  cell_count_ = Buffer<std::int32_t>(device_, 1);
  block_end_.fill_bytes(0);
  const auto starts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), StartsCell<Key>{keys.data()});
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, starts, cell_of_.data(), n_, stream);
  });
  describe_cells<<<blocks, grid_threads, 0, stream>>>(keys.data(), cell_of_.data(), n_, shape_, cell_start_.data(),
                                                      cell_x_.data(), block_end_.data(), cell_count_.data());
  check_launch();
  with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(scratch, bytes, block_end_.data(), block_end_.data(), ::cuda::maximum<>{},
                                          static_cast<int>(shape_.blocks()), stream);
  });
}

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
  const auto capacity = static_cast<std::int32_t>(std::max<std::int64_t>(few_rows, n_ / 4));
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
