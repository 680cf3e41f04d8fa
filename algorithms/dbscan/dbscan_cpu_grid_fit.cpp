// DBSCAN by a grid: the steps of a fit, and predict.
#include <algorithm>

#include "dbscan/dbscan_cpu_chunks.hpp"
#include "dbscan/dbscan_cpu_fit.hpp"
#include "dbscan/dbscan_cpu_grid_steps.hpp"
#include "dbscan/dbscan_cpu_numbering.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

/// A row has fewer companions than this in a cell of rows within eps of each other: then single rows cost less.
constexpr double few_companions = 2.0;
/// More than so many rows to count, or so many rows in a cell to compare with any number of new rows, are cheaper by
/// tiles, which take many at once.
constexpr std::int64_t most_min_samples = 1 << 13;
constexpr std::int32_t most_rows_in_cell = 1 << 10;

/// A frame that suits the rows; false where none does.
template <typename T>
bool choose_frame(const Rows<T>& rows, const Extent& extent, const Ball& ball, GridFrame& frame) {
  if (!make_frame(extent, ball, CellSize::within_eps, frame)) return false;
  return mean_companions(rows, frame) >= few_companions || make_frame(extent, ball, CellSize::as_eps, frame);
}

/// Labels of the core rows; every other label is noise. Returns the number of clusters.
template <typename T>
std::int32_t label_core_rows(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& core,
                             const Context& context, std::int32_t* labels) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  const bool by_cells = frame.size == CellSize::within_eps;
  const std::int64_t members = by_cells ? core.cells : core.n;
  auto* parents = scratch.take<std::int32_t>(members, "parents of the components");
  for (std::int64_t m = 0; m < members; ++m) parents[m] = static_cast<std::int32_t>(m);
  const UnionFind sets(parents);
  by_cells ? join_cells(rows, frame, core, inner, sets) : join_rows(rows, frame, core, inner, sets);

  const auto first_of = [&](std::int64_t member) { return by_cells ? std::int64_t{core.starts[member]} : member; };
  const auto end_of = [&](std::int64_t member) {
    return by_cells ? std::int64_t{core.starts[member + 1]} : member + 1;
  };
  const auto least_row = [&](std::int64_t member) {
    return *std::min_element(core.order + first_of(member), core.order + end_of(member));
  };
  auto* numbers = scratch.take<std::int32_t>(members, "clusters of the members");
  const std::int32_t clusters = number_sets(sets, members, least_row, rows.n, inner, numbers, labels);
  const Chunks all(rows.n, context.threads);
  all.for_each([&](int chunk) { std::fill(labels + all.begin(chunk), labels + all.end(chunk), noise); });
  const Chunks chunks(members, context.threads);
  chunks.for_each([&](int chunk) {
    for (std::int64_t m = chunks.begin(chunk); m < chunks.end(chunk); ++m)
      for (std::int64_t p = first_of(m); p < end_of(m); ++p) labels[core.order[p]] = numbers[m];
  });
  return clusters;
}

/// Rows that may be near anyone in the extent; labels the others noise.
template <typename T>
std::int64_t list_rows_near(const Rows<T>& rows, const Extent& extent, double eps, std::int32_t* list,
                            std::int32_t* labels) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    bool near = true;
    for (int j = 0; j < rows.d; ++j) {
      const double x = double{rows.row(i)[j]};
      near = near && x >= extent.low[j] - eps && x <= extent.high[j] + eps;
    }
    if (near)
      list[count++] = static_cast<std::int32_t>(i);
    else
      labels[i] = noise;
  }
  return count;
}

}  // namespace

template <typename T>
std::optional<std::int32_t> fit_grid(const Rows<T>& rows, const Density& density, const Context& context,
                                     const FitResult& result) {
  GridFrame frame;
  if (rows.d > most_grid_columns || !density.only_grows || density.min_samples > most_min_samples ||
      !choose_frame(rows, extent_of(rows, context.threads), context.ball, frame))
    return std::nullopt;
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  const GridRows<T> grid = sort_into_grid(rows, nullptr, rows.n, frame, inner);
  auto* is_core = scratch.take<std::uint8_t>(rows.n, "core flags in order");
  find_core(rows, frame, grid, density, inner, is_core);
  const GridRows<T> core = select_rows(grid, rows.d, is_core, 1, inner);
  const GridRows<T> others = select_rows(grid, rows.d, is_core, 0, inner);
  const std::int32_t clusters = label_core_rows(rows, frame, core, inner, result.labels);
  assign_least_label(others, rows, core, result.labels, frame, inner, result.labels);
  const Chunks all(rows.n, context.threads);
  all.for_each([&](int chunk) {
    for (std::int64_t p = all.begin(chunk); p < all.end(chunk); ++p) result.is_core[grid.order[p]] = is_core[p];
  });
  return clusters;
}

template <typename T>
bool predict_grid(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                  const Context& context, std::int32_t* labels) {
  GridFrame frame;
  if (rows.d > most_grid_columns) return false;
  const Extent extent = extent_of(components, context.threads);
  if (!choose_frame(components, extent, context.ball, frame)) return false;
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  const GridRows<T> data = sort_into_grid(components, nullptr, components.n, frame, inner);
  for (std::int64_t cell = 0; cell < data.cells; ++cell)
    if (data.size(cell) > most_rows_in_cell) return false;
  auto* near = scratch.take<std::int32_t>(rows.n, "rows near the components");
  const std::int64_t count = list_rows_near(rows, extent, frame.eps, near, labels);
  const GridRows<T> queries = sort_into_grid(rows, near, count, frame, inner);
  assign_least_label(queries, components, data, component_labels, frame, inner, labels);
  return true;
}

template std::optional<std::int32_t> fit_grid(const Rows<float>&, const Density&, const Context&, const FitResult&);
template std::optional<std::int32_t> fit_grid(const Rows<double>&, const Density&, const Context&, const FitResult&);
template bool predict_grid(const Rows<float>&, const Rows<float>&, const std::int32_t*, const Context&, std::int32_t*);
template bool predict_grid(const Rows<double>&, const Rows<double>&, const std::int32_t*, const Context&,
                           std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
