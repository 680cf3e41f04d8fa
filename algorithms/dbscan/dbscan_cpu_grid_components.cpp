// Components of core rows, by a grid: cells (or rows) are joined where rows of them are within eps of each other. A
// cell looks at the cells before it, near ones first; most of those share a component already once the first is joined.
//
// Two crowded cells whose rows come close but do not touch would be compared row by row: they are put off, and the rows
// of all such cells searched as tiles, whose boxes settle that.
#include <algorithm>
#include <atomic>
#include <utility>

#include "dbscan/dbscan_cpu_boxes.hpp"
#include "dbscan/dbscan_cpu_grid_rows.hpp"
#include "dbscan/dbscan_cpu_grid_steps.hpp"
#include "dbscan/dbscan_cpu_grid_windows.hpp"
#include "dbscan/dbscan_cpu_tiles_steps.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

enum class Contact : std::uint8_t { no, yes, put_off };

/// Pairs of rows of two cells that are looked at before the cells are put off.
constexpr std::int64_t most_pairs = 1 << 16;
/// Pairs from which bounding boxes are asked first.
constexpr std::int64_t boxed_pairs = 1 << 9;

template <typename T>
class CellContacts {
 public:
  CellContacts(const Rows<T>& rows, const GridRows<T>& grid, const Ball& ball)
      : grid_(grid), ball_(ball), search_(rows, grid, ball) {}

  [[nodiscard]] Contact between(std::int64_t a, std::int64_t b) const {
    if (grid_.size(a) > grid_.size(b)) std::swap(a, b);
    const std::int64_t pairs = std::int64_t{grid_.size(a)} * grid_.size(b);
    if (pairs < boxed_pairs) return rows_touch(a, b);
    T box_a[box_size(most_grid_columns)];
    T box_b[box_size(most_grid_columns)];
    make_box(a, box_a);
    make_box(b, box_b);
    const Reach reach = reach_of(span_of<T>(box_a, box_b, ball_), ball_);
    if (reach != Reach::some) return reach == Reach::all ? Contact::yes : Contact::no;
    return rows_near_box_touch(a, b, box_b);
  }

 private:
  void make_box(std::int64_t cell, T* box) const {
    const CellBox values = box_of_cell(grid_, ball_.d, cell);
    empty_box(ball_.d, box);
    for (int j = 0; j < ball_.d; ++j) {
      box[j] = static_cast<T>(values.low[j]);
      box[box_columns(ball_.d) + j] = static_cast<T>(values.high[j]);
    }
  }

  [[nodiscard]] Contact rows_touch(std::int64_t a, std::int64_t b) const {
    const Range others{grid_.starts[b], grid_.starts[b + 1]};
    for (std::int32_t p = grid_.starts[a]; p < grid_.starts[a + 1]; ++p)
      if (search_.any(Point<T>(grid_, ball_.d, p), others)) return Contact::yes;
    return Contact::no;
  }

  [[nodiscard]] Contact rows_near_box_touch(std::int64_t a, std::int64_t b, const T* box_b) const {
    const Range others{grid_.starts[b], grid_.starts[b + 1]};
    std::int64_t pairs = 0;
    for (std::int32_t p = grid_.starts[a]; p < grid_.starts[a + 1]; ++p) {
      const Point<T> point(grid_, ball_.d, p);
      T box[box_size(most_grid_columns)];
      empty_box(ball_.d, box);
      widen_by_row(box, point.x, 1, ball_.d);
      if (reach_of(span_of<T>(box, box_b, ball_), ball_) == Reach::none) continue;
      if (search_.any(point, others)) return Contact::yes;
      pairs += others.last - others.first;
      if (pairs > most_pairs) return Contact::put_off;
    }
    return Contact::no;
  }

  const GridRows<T>& grid_;
  const Ball& ball_;
  RowSearch<T> search_;
};

/// Joins a cell with those before it, of the ranges that were found near it; marks cells that are put off.
template <typename T>
void join_cell(std::int32_t cell, const CellContacts<T>& contacts, const UnionFind& sets, const Range* ranges,
               int count, std::uint8_t* put_off) {
  std::int32_t root = sets.root(cell);
  for (int r = 0; r < count; ++r)
    for (std::int32_t other = ranges[r].last - 1; other >= ranges[r].first; --other) {
      if (sets.is_in(other, root)) continue;
      const Contact contact = contacts.between(cell, other);
      if (contact == Contact::yes) {
        sets.join(cell, other);
        root = sets.root(cell);
      } else if (contact == Contact::put_off) {
        for (const std::int32_t crowded : {cell, other})
          std::atomic_ref<std::uint8_t>(put_off[crowded]).store(1, std::memory_order_relaxed);
      }
    }
}

/// The rows of the cells that were put off, and the cell of each.
template <typename T>
struct CrowdedRows {
  Rows<T> rows;
  std::int32_t* cells;
};

template <typename T>
CrowdedRows<T> gather_crowded(const Rows<T>& rows, const GridRows<T>& grid, const std::uint8_t* put_off,
                              detail::CpuWorkspace& workspace) {
  std::int64_t n = 0;
  for (std::int64_t cell = 0; cell < grid.cells; ++cell) n += put_off[cell] != 0 ? grid.size(cell) : 0;
  auto* values = workspace.take<T>(n * rows.d, "rows of crowded cells");
  const CrowdedRows<T> crowded{{values, n, rows.d}, workspace.take<std::int32_t>(n, "cells of crowded rows")};
  std::int64_t i = 0;
  for (std::int64_t cell = 0; cell < grid.cells; ++cell)
    for (std::int32_t p = grid.starts[cell]; put_off[cell] != 0 && p < grid.starts[cell + 1]; ++p, ++i) {
      std::copy_n(rows.row(grid.order[p]), rows.d, values + i * rows.d);
      crowded.cells[i] = static_cast<std::int32_t>(cell);
    }
  return crowded;
}

/// Joins the sets of cells whose rows touch, by tiles.
template <typename T>
void join_crowded(const CrowdedRows<T>& crowded, std::int64_t cells, const UnionFind& sets, const Context& context) {
  constexpr std::int32_t nobody = -1;
  const std::int64_t n = crowded.rows.n;
  const Tiles<T> tiles(crowded.rows, context);
  auto* parents = context.workspace.take<std::int32_t>(n, "parents of crowded rows");
  auto* first = context.workspace.take<std::int32_t>(cells, "first rows of crowded cells");
  std::fill_n(first, cells, nobody);
  const auto set_of = [&](std::int64_t position) { return sets.root(crowded.cells[tiles.row_at(position)]); };
  for (std::int32_t p = 0; p < n; ++p) {
    std::int32_t& known = first[set_of(p)];
    if (known == nobody) known = p;
    parents[p] = known;
  }
  join_components(tiles, context, parents);
  const UnionFind positions(parents);
  for (std::int32_t p = 0; p < n; ++p) sets.join(set_of(p), set_of(positions.root(p)));
}

}  // namespace

template <typename T>
void join_cells(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Context& context,
                const UnionFind& sets) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  auto* put_off = scratch.take<std::uint8_t>(grid.cells, "crowded cells");
  std::fill_n(put_off, grid.cells, std::uint8_t{0});
  const CellContacts<T> contacts(rows, grid, context.ball);
  for_cells(frame, grid, grid, Windows::Side::up_to_own, context, [&](Windows& windows, std::int64_t cell) {
    const int count = windows.find(grid.keys[cell], box_of_cell(grid, frame.d, cell));
    join_cell(static_cast<std::int32_t>(cell), contacts, sets, windows.ranges(), count, put_off);
  });
  if (std::find(put_off, put_off + grid.cells, std::uint8_t{1}) == put_off + grid.cells) return;
  join_crowded(gather_crowded(rows, grid, put_off, scratch), grid.cells, sets, context.within(scratch));
}

template <typename T>
void join_rows(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Context& context,
               const UnionFind& sets) {
  const RowSearch<T> search(rows, grid, context.ball);
  for_cells(frame, grid, grid, Windows::Side::up_to_own, context, [&](Windows& windows, std::int64_t cell) {
    const int cells = windows.find(grid.keys[cell], box_of_cell(grid, frame.d, cell));
    Range ranges[Windows::most_lines];
    const int count = rows_of_ranges(grid, windows.ranges(), cells, ranges);
    for (std::int32_t p = grid.starts[cell]; p < grid.starts[cell + 1]; ++p) {
      const Point<T> point(grid, frame.d, p);
      std::int32_t root = sets.root(p);
      const auto join = [&](std::int32_t first, std::uint64_t mask) {
        for (; mask != 0; mask &= mask - 1) {
          const std::int32_t other = first + __builtin_ctzll(mask);
          if (sets.is_in(other, root)) continue;
          sets.join(p, other);
          root = sets.root(p);
        }
        return true;
      };
      for (int r = 0; r < count; ++r) search.for_masks(point, {ranges[r].first, std::min(ranges[r].last, p)}, join);
    }
  });
}

template void join_cells(const Rows<float>&, const GridFrame&, const GridRows<float>&, const Context&,
                         const UnionFind&);
template void join_cells(const Rows<double>&, const GridFrame&, const GridRows<double>&, const Context&,
                         const UnionFind&);
template void join_rows(const Rows<float>&, const GridFrame&, const GridRows<float>&, const Context&, const UnionFind&);
template void join_rows(const Rows<double>&, const GridFrame&, const GridRows<double>&, const Context&,
                        const UnionFind&);

}  // namespace tilelearn::dbscan::cpu
