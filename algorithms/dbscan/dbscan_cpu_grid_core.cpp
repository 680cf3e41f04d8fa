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
  CountRows(const GridRows<T>& grid, const Density& density, const RowSearch<T>& search)
      : grid_(grid), enough_(density.min_samples), search_(search) {}

  [[nodiscard]] bool is_dense(std::int64_t cell) const { return grid_.size(cell) >= enough_; }

  [[nodiscard]] bool may_suffice(const Range* cells, int count) const {
    std::int64_t rows = 0;
    for (int r = 0; r < count; ++r) rows += grid_.starts[cells[r].last] - grid_.starts[cells[r].first];
    return rows >= enough_;
  }

  [[nodiscard]] bool is_core(const Point<T>& point, const Range* rows, int count) const {
    const Found found = search_.count(point, rows, count, enough_);
    if (found.inside >= enough_) return true;
    return found.inside + found.open >= enough_ && is_core_exactly(point, rows, count);
  }

 private:
  /// For the few rows that the filter leaves open.
  [[nodiscard]] bool is_core_exactly(const Point<T>& point, const Range* rows, int count) const {
    std::int64_t inside = 0;
    for (int r = 0; r < count; ++r)
      search_.for_masks(point, rows[r], [&inside](std::int32_t /*first*/, std::uint64_t mask) {
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
      : grid_(grid), density_(density), search_(search) {
    auto* sums = workspace.take<fixed_point::Words>(grid.cells, "weights of the cells");
    for (std::int64_t cell = 0; cell < grid.cells; ++cell) {
      sums[cell] = {0, 0};
      for (std::int32_t p = grid.starts[cell]; p < grid.starts[cell + 1]; ++p) add(sums[cell], weight_at(p));
    }
    sums_ = sums;
  }

  [[nodiscard]] bool is_dense(std::int64_t cell) const { return suffices(sums_[cell]); }

  [[nodiscard]] bool may_suffice(const Range* cells, int count) const {
    fixed_point::Words sum{0, 0};
    for (int r = 0; r < count; ++r)
      for (std::int32_t cell = cells[r].first; cell < cells[r].last; ++cell) add(sum, sums_[cell]);
    return suffices(sum);
  }

  [[nodiscard]] bool is_core(const Point<T>& point, const Range* rows, int count) const {
    fixed_point::Words sum{0, 0};
    for (int r = 0; r < count && !suffices(sum); ++r)
      search_.for_masks(point, rows[r], [&](std::int32_t first, std::uint64_t mask) {
        for (; mask != 0; mask &= mask - 1) add(sum, weight_at(first + __builtin_ctzll(mask)));
        return !suffices(sum);
      });
    return suffices(sum);
  }

 private:
  [[nodiscard]] bool suffices(const fixed_point::Words& sum) const { return reaches(sum, density_.threshold); }
  [[nodiscard]] const fixed_point::Words& weight_at(std::int32_t position) const {
    return density_.words[grid_.order[position]];
  }
  static void add(fixed_point::Words& sum, const fixed_point::Words& more) {
    sum.high += more.high;
    sum.low += more.low;
  }

  const GridRows<T>& grid_;
  const Density& density_;
  const RowSearch<T>& search_;
  const fixed_point::Words* sums_;
};

template <typename T, typename Amount>
void find_core_by(const Amount& amount, const GridFrame& frame, const GridRows<T>& grid, const Context& context,
                  std::uint8_t* is_core) {
  for_cells(frame, grid, grid, Windows::Side::all, context, [&](Windows& windows, std::int64_t cell) {
    const std::int32_t first = grid.starts[cell];
    const std::int32_t last = grid.starts[cell + 1];
    if (frame.size == CellSize::within_eps && amount.is_dense(cell))
      return std::fill(is_core + first, is_core + last, std::uint8_t{1});
    const int found = windows.find(grid.keys[cell], box_of_cell(grid, frame.d, cell));
    if (!amount.may_suffice(windows.ranges(), found))
      return std::fill(is_core + first, is_core + last, std::uint8_t{0});
    Range rows[Windows::most_lines];
    const int count = rows_of_ranges(grid, windows.ranges(), found, rows);
    for (std::int32_t p = first; p < last; ++p)
      is_core[p] = amount.is_core(Point<T>(grid, frame.d, p), rows, count) ? 1 : 0;
  });
}

}  // namespace

template <typename T>
void find_core(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Density& density,
               const Context& context, std::uint8_t* is_core) {
  const RowSearch<T> search(rows, grid, context.ball);
  if (density.words == nullptr) return find_core_by(CountRows<T>(grid, density, search), frame, grid, context, is_core);
  detail::CpuWorkspace scratch = context.workspace.nested();
  find_core_by(AddWeights<T>(grid, density, search, scratch), frame, grid, context, is_core);
}

template void find_core(const Rows<float>&, const GridFrame&, const GridRows<float>&, const Density&, const Context&,
                        std::uint8_t*);
template void find_core(const Rows<double>&, const GridFrame&, const GridRows<double>&, const Density&, const Context&,
                        std::uint8_t*);

}  // namespace tilelearn::dbscan::cpu
