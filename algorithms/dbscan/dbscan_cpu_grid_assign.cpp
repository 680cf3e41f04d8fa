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
std::int32_t least_label_near(const Point<T>& point, const RowSearch<T>& search, const GridRows<T>& data,
                              const std::int32_t* cell_labels, const Range* ranges, int count) {
  std::int32_t best = no_label;
  for (int r = 0; r < count; ++r)
    for (std::int32_t cell = ranges[r].first; cell < ranges[r].last; ++cell)
      if (cell_labels[cell] < best && search.any(point, {data.starts[cell], data.starts[cell + 1]}))
        best = cell_labels[cell];
  return best == no_label ? noise : best;
}

}  // namespace

template <typename T>
void assign_least_label(const GridRows<T>& queries, const Rows<T>& data_rows, const GridRows<T>& data,
                        const std::int32_t* cell_labels, const GridFrame& frame, const Context& context,
                        std::int32_t* labels) {
  const RowSearch<T> search(data_rows, data, context.ball);
#pragma omp parallel num_threads(useful_threads(context.threads, 16.0 * static_cast <double>(queries.n)))
  {
    Windows windows(frame, data, Windows::Side::all);
#pragma omp for schedule(dynamic)
    for (std::int64_t block = 0; block < block_count(queries.cells); ++block) {
      if (context.stop.poll()) continue;
      const std::int64_t begin = block * block_cells;
      windows.start(queries.keys[begin]);
      for (std::int64_t cell = begin; cell < std::min(begin + block_cells, queries.cells); ++cell) {
        const int count = windows.find(queries.keys[cell], box_of_cell(queries, frame.d, cell));
        for (std::int32_t p = queries.starts[cell]; p < queries.starts[cell + 1]; ++p)
          labels[queries.order[p]] =
              least_label_near(Point<T>(queries, frame.d, p), search, data, cell_labels, windows.ranges(), count);
      }
    }
  }
  context.stop.check();
}

template void assign_least_label(const GridRows<float>&, const Rows<float>&, const GridRows<float>&,
                                 const std::int32_t*, const GridFrame&, const Context&, std::int32_t*);
template void assign_least_label(const GridRows<double>&, const Rows<double>&, const GridRows<double>&,
                                 const std::int32_t*, const GridFrame&, const Context&, std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
