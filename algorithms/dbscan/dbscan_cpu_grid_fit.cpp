// DBSCAN by a grid: the steps of a fit, and predict.
#include <algorithm>

#include "dbscan/dbscan_cpu_chunks.hpp"
#include "dbscan/dbscan_cpu_fit.hpp"
#include "dbscan/dbscan_cpu_grid_steps.hpp"
#include "dbscan/dbscan_cpu_numbering.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

/// Labels of the cells of core rows, in `cell_labels` and in the result. Returns the number of clusters.
template <typename T>
std::int32_t label_core_cells(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& core,
                              const Context& context, std::int32_t* cell_labels, std::int32_t* labels) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  auto* parents = scratch.take<std::int32_t>(core.cells, "parents of the cells");
  join_cells(rows, frame, core, context.within(scratch), parents);
  auto* least_rows = scratch.take<std::int32_t>(core.cells, "least rows of the cells");
  const Chunks cells(core.cells, context.threads);
  const auto for_cells = [&](const auto& body) {
    cells.for_each([&](int chunk) {
      for (std::int64_t cell = cells.begin(chunk); cell < cells.end(chunk); ++cell) body(cell);
    });
  };
  for_cells([&](std::int64_t cell) {
    least_rows[cell] = *std::min_element(core.order + core.starts[cell], core.order + core.starts[cell + 1]);
  });
  const std::int32_t clusters = number_sets(
      UnionFind(parents), core.cells, [least_rows](std::int64_t cell) { return least_rows[cell]; }, rows.n,
      context.within(scratch), cell_labels, labels);
  const Chunks all(rows.n, context.threads);
  all.for_each([&](int chunk) { std::fill(labels + all.begin(chunk), labels + all.end(chunk), noise); });
  for_cells([&](std::int64_t cell) {
    for (std::int32_t p = core.starts[cell]; p < core.starts[cell + 1]; ++p) labels[core.order[p]] = cell_labels[cell];
  });
  return clusters;
}

}  // namespace

template <typename T>
std::optional<std::int32_t> fit_grid(const Rows<T>& rows, const Density& density, const Context& context,
                                     const FitResult& result) {
  GridFrame frame;
  if (rows.d > most_grid_columns || !density.only_grows ||
      !make_frame(extent_of(rows, context.threads), context.ball, frame))
    return std::nullopt;
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  const GridRows<T> grid = sort_into_grid(rows, nullptr, rows.n, frame, inner);
  auto* is_core = scratch.take<std::uint8_t>(rows.n, "core flags in order");
  find_core(rows, frame, grid, density, inner, is_core);
  const GridRows<T> core = select_rows(grid, rows.d, is_core, 1, inner);
  const GridRows<T> others = select_rows(grid, rows.d, is_core, 0, inner);
  auto* cell_labels = scratch.take<std::int32_t>(core.cells, "labels of the cells");
  const std::int32_t clusters = label_core_cells(rows, frame, core, inner, cell_labels, result.labels);
  assign_least_label(others, rows, core, cell_labels, frame, inner, result.labels);
  const Chunks all(rows.n, context.threads);
  all.for_each([&](int chunk) {
    for (std::int64_t p = all.begin(chunk); p < all.end(chunk); ++p) result.is_core[grid.order[p]] = is_core[p];
  });
  return clusters;
}

template <typename T>
bool predict_grid(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                  const Context& context, std::int32_t* labels) {
  /// More rows in a cell are too many to compare with every row asked for that comes near.
  constexpr std::int32_t most_rows = 1024;
  GridFrame frame;
  if (rows.d > most_grid_columns) return false;
  const Extent extent = extent_of(components, context.threads);
  if (!make_frame(extent, context.ball, frame)) return false;
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  const GridRows<T> data = sort_into_grid(components, nullptr, components.n, frame, inner);
  for (std::int64_t cell = 0; cell < data.cells; ++cell)
    if (data.size(cell) > most_rows) return false;
  // Rows further out than eps are near nobody, and the frame has no cells for them.
  auto* inside = scratch.take<std::int32_t>(rows.n, "rows near the components");
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    bool near = true;
    for (int j = 0; j < rows.d; ++j) {
      const double x = double{rows.row(i)[j]};
      near = near && x >= extent.low[j] - frame.eps && x <= extent.high[j] + frame.eps;
    }
    if (near)
      inside[count++] = static_cast<std::int32_t>(i);
    else
      labels[i] = noise;
  }
  auto* cell_labels = scratch.take<std::int32_t>(data.cells, "labels of the cells");
  for (std::int64_t cell = 0; cell < data.cells; ++cell)
    cell_labels[cell] = component_labels[data.order[data.starts[cell]]];
  const GridRows<T> queries = sort_into_grid(rows, inside, count, frame, inner);
  assign_least_label(queries, components, data, cell_labels, frame, inner, labels);
  return true;
}

template std::optional<std::int32_t> fit_grid(const Rows<float>&, const Density&, const Context&, const FitResult&);
template std::optional<std::int32_t> fit_grid(const Rows<double>&, const Density&, const Context&, const FitResult&);
template bool predict_grid(const Rows<float>&, const Rows<float>&, const std::int32_t*, const Context&, std::int32_t*);
template bool predict_grid(const Rows<double>&, const Rows<double>&, const std::int32_t*, const Context&,
                           std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
