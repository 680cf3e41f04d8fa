// Which rows are core, by a grid: all rows of a cell that is dense enough by itself, else by the rows of the cells
// near.
#include <algorithm>

#include "dbscan/dbscan_cpu_grid_rows.hpp"
#include "dbscan/dbscan_cpu_grid_steps.hpp"
#include "dbscan/dbscan_cpu_grid_windows.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

/// Whether enough rows are near.
template <typename T>
class CountRows {
 public:
  CountRows(const GridRows<T>& grid, const Density& density, const RowSearch<T>& search,
            detail::CpuWorkspace& /*workspace*/)
      : grid_(grid), enough_(density.min_samples), search_(search) {}

  [[nodiscard]] bool is_dense(std::int64_t cell) const { return grid_.size(cell) >= enough_; }

  [[nodiscard]] bool may_be_enough(const Range* ranges, int count) const {
    std::int64_t rows = 0;
    for (int r = 0; r < count; ++r) rows += ranges[r].last - ranges[r].first;
    return rows >= enough_;
  }

  [[nodiscard]] bool is_core(const Point<T>& point, const Range* ranges, int count) const {
    const Found found = search_.count(point, ranges, count, enough_);
    if (found.inside >= enough_) return true;
    return found.inside + found.open >= enough_ && is_core_exactly(point, ranges, count);
  }

 private:
  /// For the few rows that the filter leaves open.
  [[nodiscard]] bool is_core_exactly(const Point<T>& point, const Range* ranges, int count) const {
    std::int64_t inside = 0;
    for (int r = 0; r < count; ++r)
      search_.for_masks(point, ranges[r], [&inside](std::int32_t /*first*/, std::uint64_t mask) {
        inside += __builtin_popcountll(mask);
        return true;
      });
    return inside >= enough_;
  }

  const GridRows<T>& grid_;
  std::int64_t enough_;
  const RowSearch<T>& search_;
};

/// Whether weights that are not negative sum to enough.
template <typename T>
class AddWeights {
 public:
  AddWeights(const GridRows<T>& grid, const Density& density, const RowSearch<T>& search,
             detail::CpuWorkspace& workspace)
      : density_(density), search_(search), order_(grid.order) {
    auto* sums = workspace.take<fixed_point::Words>(grid.cells, "weights of the cells");
    for (std::int64_t cell = 0; cell < grid.cells; ++cell) {
      sums[cell] = {0, 0};
      for (std::int32_t p = grid.starts[cell]; p < grid.starts[cell + 1]; ++p) add(sums[cell], p);
    }
    sums_ = sums;
  }

  [[nodiscard]] bool is_dense(std::int64_t cell) const { return reaches(sums_[cell], density_.threshold); }

  [[nodiscard]] bool may_be_enough(const Range* /*ranges*/, int /*count*/) const { return true; }

  [[nodiscard]] bool is_core(const Point<T>& point, const Range* ranges, int count) const {
    fixed_point::Words sum{0, 0};
    for (int r = 0; r < count && !reaches(sum, density_.threshold); ++r)
      search_.for_masks(point, ranges[r], [&](std::int32_t first, std::uint64_t mask) {
        for (; mask != 0; mask &= mask - 1) add(sum, first + __builtin_ctzll(mask));
        return !reaches(sum, density_.threshold);
      });
    return reaches(sum, density_.threshold);
  }

 private:
  void add(fixed_point::Words& sum, std::int32_t position) const {
    const fixed_point::Words& weight = density_.words[order_[position]];
    sum.high += weight.high;
    sum.low += weight.low;
  }

  const Density& density_;
  const RowSearch<T>& search_;
  const std::int32_t* order_;
  const fixed_point::Words* sums_;
};

/// The cells of one block.
template <typename T, typename Amount>
void search_block(const GridFrame& frame, const GridRows<T>& grid, const Amount& amount, Windows& windows,
                  std::int64_t block, std::uint8_t* is_core) {
  const std::int64_t begin = block * block_cells;
  const std::int64_t end = std::min(begin + block_cells, grid.cells);
  windows.start(grid.keys[begin]);
  Range rows[Windows::most_lines];
  for (std::int64_t cell = begin; cell < end; ++cell) {
    const std::int32_t first = grid.starts[cell];
    const std::int32_t last = grid.starts[cell + 1];
    if (amount.is_dense(cell)) {
      std::fill(is_core + first, is_core + last, std::uint8_t{1});
      continue;
    }
    const int count = windows.find(grid.keys[cell], box_of_cell(grid, frame.d, cell));
    const int lines = rows_of_ranges(grid, windows.ranges(), count, rows);
    if (!amount.may_be_enough(rows, lines)) {
      std::fill(is_core + first, is_core + last, std::uint8_t{0});
      continue;
    }
    for (std::int32_t p = first; p < last; ++p)
      is_core[p] = amount.is_core(Point<T>(grid, frame.d, p), rows, lines) ? 1 : 0;
  }
}

template <template <typename> class Amount, typename T>
void find_core_by(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Density& density,
                  const Context& context, std::uint8_t* is_core) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  const RowSearch<T> search(rows, grid, context.ball);
  const Amount<T> amount(grid, density, search, scratch);
#pragma omp parallel num_threads(useful_threads(context.threads, 16.0 * static_cast <double>(grid.n)))
  {
    Windows windows(frame, grid, Windows::Side::all);
#pragma omp for schedule(dynamic)
    for (std::int64_t block = 0; block < block_count(grid.cells); ++block)
      if (!context.stop.poll()) search_block(frame, grid, amount, windows, block, is_core);
  }
  context.stop.check();
}

}  // namespace

template <typename T>
void find_core(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Density& density,
               const Context& context, std::uint8_t* is_core) {
  if (density.words == nullptr) return find_core_by<CountRows>(rows, frame, grid, density, context, is_core);
  find_core_by<AddWeights>(rows, frame, grid, density, context, is_core);
}

template void find_core(const Rows<float>&, const GridFrame&, const GridRows<float>&, const Density&, const Context&,
                        std::uint8_t*);
template void find_core(const Rows<double>&, const GridFrame&, const GridRows<double>&, const Density&, const Context&,
                        std::uint8_t*);

}  // namespace tilelearn::dbscan::cpu
