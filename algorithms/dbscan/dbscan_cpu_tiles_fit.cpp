// DBSCAN by tiles of rows in k-d order: the steps of a fit, and predict.
#include "dbscan/dbscan_cpu_fit.hpp"
#include "dbscan/dbscan_cpu_numbering.hpp"
#include "dbscan/dbscan_cpu_tiles_steps.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

/// Labels of the core rows, and where they are marked as such.
template <typename T>
std::int32_t label_core_rows(const Tiles<T>& tiles, const Context& context, const FitResult& result) {
  const std::int64_t n = tiles.rows().n;
  detail::CpuWorkspace scratch = context.workspace.nested();
  auto* parents = scratch.take<std::int32_t>(n, "parents of the components");
  auto* numbers = scratch.take<std::int32_t>(n, "clusters of the core rows");
  const Context inner = context.within(scratch);
  for (std::int64_t p = 0; p < n; ++p) parents[p] = static_cast<std::int32_t>(p);
  join_components(tiles, inner, parents);
  const auto core_row = [&](std::int64_t position) {
    const bool live = (tiles.live(static_cast<std::int32_t>(position / tile_rows)) >> (position % tile_rows) & 1) != 0;
    return live ? tiles.row_at(position) : noise;
  };
  const std::int32_t clusters = number_sets(UnionFind(parents), n, core_row, n, inner, numbers, result.labels);
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int32_t row = tiles.row_at(p);
    const bool is_core = core_row(p) != noise;
    result.is_core[row] = is_core ? 1 : 0;
    result.labels[row] = is_core ? numbers[p] : noise;
  }
  return clusters;
}

}  // namespace

template <typename T>
std::int32_t fit_tiles(const Rows<T>& rows, const Density& density, const Context& context, const FitResult& result) {
  Tiles<T> tiles(rows, context);
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Context inner = context.within(scratch);
  auto* core = scratch.take<std::uint64_t>(tiles.count(), "core rows");
  find_core(tiles, density, inner, core);
  auto* others = scratch.take<std::uint64_t>(tiles.count(), "rows that are not core");
  for (std::int32_t t = 0; t < tiles.count(); ++t) others[t] = tiles.live(t) & ~core[t];
  tiles.narrow(core);
  const std::int32_t clusters = label_core_rows(tiles, inner, result);
  assign_least_label(tiles, others, tiles, result.labels, inner, result.labels);
  return clusters;
}

template <typename T>
void predict_tiles(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                   const Context& context, std::int32_t* labels) {
  const Tiles<T> queries(rows, context);
  const Tiles<T> data(components, context);
  auto* which = context.workspace.take<std::uint64_t>(queries.count(), "rows to label");
  for (std::int32_t t = 0; t < queries.count(); ++t) which[t] = queries.live(t);
  assign_least_label(queries, which, data, component_labels, context, labels);
}

template std::int32_t fit_tiles(const Rows<float>&, const Density&, const Context&, const FitResult&);
template std::int32_t fit_tiles(const Rows<double>&, const Density&, const Context&, const FitResult&);
template void predict_tiles(const Rows<float>&, const Rows<float>&, const std::int32_t*, const Context&, std::int32_t*);
template void predict_tiles(const Rows<double>&, const Rows<double>&, const std::int32_t*, const Context&,
                            std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
