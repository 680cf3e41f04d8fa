// The grid of a search: its shape, and the rows sorted by cell.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "dbscan/dbscan_grid_sort_kernels.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::with_scratch;

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

template class Grid<float>;
template class Grid<double>;

}  // namespace tilelearn::dbscan::cuda
