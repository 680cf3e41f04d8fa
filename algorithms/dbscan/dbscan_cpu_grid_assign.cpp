// The least label in reach of each row, by a grid: the cells near a row's cell, near lines first; cells whose label is
// no less than what was met are left out.
#include <algorithm>
#include <limits>

#include "dbscan/dbscan_cpu_grid_rows.hpp"
#include "dbscan/dbscan_cpu_grid_steps.hpp"
#include "dbscan/dbscan_cpu_grid_windows.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr std::int32_t no_label = std::numeric_limits<std::int32_t>::max();

template <typename T>
class LabelSearch {
 public:
  LabelSearch(const Rows<T>& rows, const GridRows<T>& data, const std::int32_t* labels, CellSize size, const Ball& ball)
      : data_(data), labels_(labels), size_(size), search_(rows, data, ball) {}

  [[nodiscard]] std::int32_t least_label(const Point<T>& point, const Range* cells, int count) const {
    std::int32_t best = no_label;
    for (int r = 0; r < count; ++r)
      size_ == CellSize::within_eps ? look_at_cells(point, cells[r], best) : look_at_rows(point, cells[r], best);
    return best == no_label ? noise : best;
  }

 private:
  [[nodiscard]] std::int32_t label_at(std::int32_t position) const { return labels_[data_.order[position]]; }

  /// All rows of a cell have one label.
  void look_at_cells(const Point<T>& point, const Range& cells, std::int32_t& best) const {
    for (std::int32_t cell = cells.first; cell < cells.last; ++cell) {
      const std::int32_t label = label_at(data_.starts[cell]);
      if (label < best && search_.any(point, {data_.starts[cell], data_.starts[cell + 1]})) best = label;
    }
  }
  void look_at_rows(const Point<T>& point, const Range& cells, std::int32_t& best) const {
    search_.for_masks(point, {data_.starts[cells.first], data_.starts[cells.last]},
                      [&](std::int32_t first, std::uint64_t mask) {
                        for (; mask != 0; mask &= mask - 1)
                          best = std::min(best, label_at(first + __builtin_ctzll(mask)));
                        return true;
                      });
  }

  const GridRows<T>& data_;
  const std::int32_t* labels_;
  CellSize size_;
  RowSearch<T> search_;
};

}  // namespace

template <typename T>
void assign_least_label(const GridRows<T>& queries, const Rows<T>& data_rows, const GridRows<T>& data,
                        const std::int32_t* data_labels, const GridFrame& frame, const Context& context,
                        std::int32_t* labels) {
  if (data.n == 0) {
    for (std::int64_t p = 0; p < queries.n; ++p) labels[queries.order[p]] = noise;
    return;
  }
  const LabelSearch<T> search(data_rows, data, data_labels, frame.size, context.ball);
  for_cells(frame, queries, data, Windows::Side::all, context, [&](Windows& windows, std::int64_t cell) {
    const int count = windows.find(queries.keys[cell], box_of_cell(queries, frame.d, cell));
    for (std::int32_t p = queries.starts[cell]; p < queries.starts[cell + 1]; ++p)
      labels[queries.order[p]] = search.least_label(Point<T>(queries, frame.d, p), windows.ranges(), count);
  });
}

template void assign_least_label(const GridRows<float>&, const Rows<float>&, const GridRows<float>&,
                                 const std::int32_t*, const GridFrame&, const Context&, std::int32_t*);
template void assign_least_label(const GridRows<double>&, const Rows<double>&, const GridRows<double>&,
                                 const std::int32_t*, const GridFrame&, const Context&, std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
