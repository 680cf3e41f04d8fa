// Launches of the cells.
#include "kmeans/kmeans_cells_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

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
/// Rows that the slabs are laid out by, evenly spread over the data.
constexpr std::int64_t sampled_rows = 8192;
/// Of so many rows of the sample one at each end of a column counts as far.
constexpr std::size_t rows_a_far_row = 1000;
/// Fine bins over which the density of a sample is taken.
constexpr std::size_t bins_of_density = 64;
/// Below this many multiplications building the cells costs more than comparing all centres.
constexpr double least_work = 4e6;
constexpr std::int64_t least_rows = 4096;

template <typename T, int d>
void launch_look_up(const Rows<T>& rows, const CellGrid<T>& grid, const T* centers, int k, const std::uint16_t* single,
                    const CellRecord* records, std::int32_t* labels, const LoopState* state, cudaStream_t stream) {
  const std::size_t bytes = (static_cast<std::size_t>(grid.count) + d * fine_bins) * sizeof *single;
  check(cudaFuncSetAttribute(look_up<T, d>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  look_up<T, d>
      <<<blocks_for(rows.n, lookup_threads * lookup_rows, 2 * multiprocessors()), lookup_threads, bytes, stream>>>(
          rows.X, rows.n, grid, centers, k, single, records, labels, state);
  check_launch();
}

/// Cuts fine bins into slabs of equal sums of weight: first_bin gets slabs + 1 bins, slab_of_bin the slab of each.
void cut_slabs(const std::vector<double>& weight, int slabs, std::uint16_t* slab_of_bin, std::uint16_t* first_bin) {
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  double before = 0.0;
  int slab = 0;
  first_bin[0] = 0;
  for (int bin = 0; bin < fine_bins; ++bin) {
    while (slab + 1 < slabs && before * slabs >= (slab + 1) * total)
      first_bin[++slab] = static_cast<std::uint16_t>(bin);
    slab_of_bin[bin] = static_cast<std::uint16_t>(slab);
    before += weight[static_cast<std::size_t>(bin)];
  }
  while (slab < slabs) first_bin[++slab] = fine_bins;
}

/// Lays fine bins over a column's sample, and slabs over the bins. Slabs hold equal sums of the cube root of the
/// density: narrow where rows are many, without slabs of a few rows that reach across half of the column.
template <typename T>
void lay_out_column(const Matrix<T>& sample, int column, int slabs, CellGrid<T>& grid, std::uint16_t* slab_of_bin,
                    std::uint16_t* first_bin) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < sample.rows(); ++i) values.push_back(sample(i, column));
  std::sort(values.begin(), values.end());
  // A few far rows are left to the outermost slabs, else all the others would share one bin.
  const std::size_t cut = values.size() / rows_a_far_row;
  const T low = values[cut];
  const T high = values[values.size() - 1 - cut];
  const double width = static_cast<double>(high) - static_cast<double>(low);
  if (!(width > 0.0)) slabs = 1;
  const auto per_unit = static_cast<T>(std::isfinite(width) && width > 0.0 ? fine_bins / width : 1.0);
  grid.low[column] = low;
  grid.per_unit[column] = std::isfinite(per_unit) && per_unit > 0 ? per_unit : T{1};
  grid.slabs[column] = slabs;
  std::vector<double> density(fine_bins / bins_of_density);
  for (std::int64_t i = 0; i < sample.rows(); ++i) {
    const double bin = static_cast<double>((sample(i, column) - low) * grid.per_unit[column]);
    density[static_cast<std::size_t>(std::clamp(bin, 0.0, fine_bins - 1.0)) / bins_of_density] += 1.0;
  }
  std::vector<double> weight;
  for (std::size_t bin = 0; bin < fine_bins; ++bin) weight.push_back(std::cbrt(density[bin / bins_of_density]));
  cut_slabs(weight, slabs, slab_of_bin, first_bin);
}

}  // namespace

template <typename T>
bool CellIndex<T>::serves(const Rows<T>& rows, std::int64_t k) {
  return rows.d <= most_cell_columns && k > 1 && k < several_candidates && rows.scale == 1.0 && rows.n >= least_rows &&
         static_cast<double>(rows.n) * static_cast<double>(k) * rows.d >= least_work;
}

template <typename T>
CellIndex<T>::CellIndex(const Rows<T>& rows, const Statistics& statistics, const Device& device) {
  const std::int64_t step = std::max<std::int64_t>(1, rows.n / sampled_rows);
  const Matrix<T> sample =
      copy_to(MatrixView<const T>(rows.X, (rows.n + step - 1) / step, rows.d, step * rows.d, 1, device), Device::cpu());
  const auto wanted = static_cast<double>(std::min(most_cells, rows.n / rows_a_cell));
  const int slabs = std::clamp(static_cast<int>(std::pow(wanted, 1.0 / rows.d)), 1, fine_bins);
  const std::size_t bins = static_cast<std::size_t>(rows.d) * fine_bins;
  std::vector<std::uint16_t> tables(2 * bins + static_cast<std::size_t>(rows.d));
  grid_.count = 1;
  for (int j = 0; j < rows.d; ++j) {
    lay_out_column(sample, j, slabs, grid_, tables.data() + j * fine_bins, tables.data() + bins + j * (fine_bins + 1));
    grid_.lowest[j] = static_cast<T>(statistics.lowest[static_cast<std::size_t>(j)]);
    grid_.highest[j] = static_cast<T>(statistics.highest[static_cast<std::size_t>(j)]);
    grid_.count *= grid_.slabs[j];
  }
  slabs_ = Buffer<std::uint16_t>(device, static_cast<std::int64_t>(tables.size()));
  device.impl().copy_from_host(slabs_.data(), tables.data(), slabs_.size() * std::int64_t{sizeof(std::uint16_t)});
  grid_.slab_of_bin = slabs_.data();
  grid_.first_bin = slabs_.data() + bins;
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
