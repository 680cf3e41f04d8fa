// Launches of the cells.
#include "kmeans/kmeans_cells_kernels.cuh"

#include <algorithm>
#include <cmath>

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::multiprocessors;

namespace {

/// Cells of the whole grid, so that the table of labels takes 64 KB; fewer where there are few rows.
constexpr std::int64_t most_cells = 32768;
constexpr std::int64_t rows_a_cell = 16;
constexpr int most_cells_a_column = 4096;
/// Below this many multiplications building the cells costs more than comparing all centres.
constexpr double least_work = 4e6;
constexpr std::int64_t least_rows = 4096;

template <typename T, int d>
void launch_look_up(const Rows<T>& rows, const CellGrid<T>& grid, const T* centers, int k, const std::uint16_t* single,
                    const CellRecord* records, std::int32_t* labels, const LoopState* state, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(grid.count) * sizeof *single;
  check(cudaFuncSetAttribute(look_up<T, d>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  look_up<T, d>
      <<<blocks_for(rows.n, lookup_threads * lookup_rows, 2 * multiprocessors()), lookup_threads, bytes, stream>>>(
          rows.X, rows.n, grid, centers, k, single, records, labels, state);
  check_launch();
}

}  // namespace

template <typename T>
bool CellIndex<T>::serves(const Rows<T>& rows, std::int64_t k) {
  return rows.d <= most_cell_columns && k > 1 && k < several_candidates && rows.scale == 1.0 && rows.n >= least_rows &&
         static_cast<double>(rows.n) * static_cast<double>(k) * rows.d >= least_work;
}

template <typename T>
CellIndex<T>::CellIndex(const Rows<T>& rows, const Statistics& statistics, const Device& device) {
  const auto wanted = static_cast<double>(std::min(most_cells, rows.n / rows_a_cell));
  const int along = std::clamp(static_cast<int>(std::pow(wanted, 1.0 / rows.d)), 1, most_cells_a_column);
  grid_.count = 1;
  for (int j = 0; j < rows.d; ++j) {
    const auto column = static_cast<std::size_t>(j);
    const double width = statistics.highest[column] - statistics.lowest[column];
    // A hair less than the width asks for, so that the highest value falls inside.
    const double per_unit = std::isfinite(width) && width > 0.0 ? along / width * (1.0 - 1e-6) : 1.0;
    grid_.low[j] = static_cast<T>(statistics.lowest[column]);
    grid_.per_unit[j] = std::isfinite(static_cast<T>(per_unit)) ? static_cast<T>(per_unit) : T{1};
    grid_.cells[j] = along;
    grid_.count *= along;
  }
  single_ = Buffer<std::uint16_t>(device, grid_.count);
  records_ = Buffer<CellRecord>(device, grid_.count);
}

template <typename T>
void CellIndex<T>::assign(const Rows<T>& rows, const T* centers, int k, std::int32_t* labels, const LoopState* state,
                          const Device& device) const {
  const cudaStream_t stream = device.stream();
  build_cells<<<blocks_for(grid_.count, cell_threads), cell_threads, 0, stream>>>(
      grid_, centers, k, rows.d, single_.data(), records_.data(), state);
  check_launch();
  const auto launch = [&](auto columns) {
    launch_look_up<T, decltype(columns)::value>(rows, grid_, centers, k, single_.data(), records_.data(), labels, state,
                                                stream);
  };
  switch (rows.d) {
    case 1:
      return launch(std::integral_constant<int, 1>{});
    case 2:
      return launch(std::integral_constant<int, 2>{});
    case 3:
      return launch(std::integral_constant<int, 3>{});
    default:
      return launch(std::integral_constant<int, 4>{});
  }
}

template class CellIndex<float>;
template class CellIndex<double>;

}  // namespace tilelearn::kmeans::cuda
