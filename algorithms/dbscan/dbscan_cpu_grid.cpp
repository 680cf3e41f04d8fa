// Sorts rows into the cells of a grid.
#include "dbscan/dbscan_cpu_grid.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "dbscan/dbscan_cpu_radix_sort.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr int most_key_bits = 62;

/// eps / side, but for the slack that rounding needs.
double cells_across_eps(const Ball& ball, CellSize size) {
  if (size == CellSize::as_eps) return 1.0;
  switch (ball.norm) {
    case Norm::euclidean:
      return std::sqrt(static_cast<double>(ball.d));
    case Norm::manhattan:
      return ball.d;
    default:
      return 1.0;
  }
}

/// The keys of rows, as narrow as their bits allow, in sorted order; the order of the rows goes into `grid`.
template <typename Key, typename T>
Key* sort_keys(const Rows<T>& rows, const std::int32_t* which, const GridFrame& frame, const Context& context,
               detail::CpuWorkspace& scratch, GridRows<T>& grid) {
  const std::int64_t n = grid.n;
  KeyedRows<Key> keyed{scratch.take<Key>(n, "keys of the rows"), grid.order};
  const KeyedRows<Key> other{scratch.take<Key>(n, "keys in order"), scratch.take<std::int32_t>(n, "rows in order")};
  const Chunks chunks(n, context.threads);
  chunks.for_each([&](int chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const std::int32_t row = which == nullptr ? static_cast<std::int32_t>(i) : which[i];
      keyed.rows[i] = row;
      keyed.keys[i] = static_cast<Key>(frame.key(rows.row(row)));
    }
  });
  keyed = radix_sort(keyed, other, n, frame.key_bits(), context.within(scratch));
  if (keyed.rows != grid.order) std::copy_n(keyed.rows, n, grid.order);
  return keyed.keys;
}

template <typename T>
void take_columns(GridRows<T>& grid, int d, detail::CpuWorkspace& workspace) {
  for (int j = 0; j < d; ++j) {
    grid.columns[j] = workspace.take<T>(grid.n + GridRows<T>::value_padding, "columns in order");
    std::fill_n(grid.columns[j] + grid.n, GridRows<T>::value_padding, T{0});
  }
}

template <typename T>
void take_cells(GridRows<T>& grid, std::int64_t cells, detail::CpuWorkspace& workspace) {
  grid.cells = cells;
  grid.keys = workspace.take<std::int64_t>(cells + GridRows<T>::key_padding, "keys of the cells");
  grid.starts = workspace.take<std::int32_t>(cells + 1, "first rows of the cells");
  std::fill_n(grid.keys + cells, GridRows<T>::key_padding, std::numeric_limits<std::int64_t>::max());
  grid.starts[cells] = static_cast<std::int32_t>(grid.n);
}

/// Cells of sorted keys: key_at(p) at position p.
template <typename T, typename KeyAt>
void find_cells(GridRows<T>& grid, const KeyAt& key_at, const Context& context) {
  const auto begins = [&](std::int64_t p) { return p == 0 || key_at(p) != key_at(p - 1); };
  const auto allocate = [&](std::int64_t cells) { take_cells(grid, cells, context.workspace); };
  const auto put = [&](std::int64_t p, std::int64_t cell) {
    grid.keys[cell] = static_cast<std::int64_t>(key_at(p));
    grid.starts[cell] = static_cast<std::int32_t>(p);
  };
  number_some(Chunks(grid.n, context.threads), begins, allocate, put, context.workspace);
}

template <typename Key, typename T>
GridRows<T> sort_by(const Rows<T>& rows, const std::int32_t* which, std::int64_t count, const GridFrame& frame,
                    const Context& context) {
  GridRows<T> grid;
  grid.n = count;
  grid.order = context.workspace.take<std::int32_t>(count, "order of the grid");
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Key* keys = sort_keys<Key>(rows, which, frame, context, scratch, grid);
  find_cells(
      grid, [keys](std::int64_t p) { return keys[p]; }, context);
  return grid;
}

}  // namespace

template <typename T>
Extent extent_of(const Rows<T>& rows, int threads) {
  Extent extent;
  for (int j = 0; j < rows.d; ++j) {
    T low = rows.data[j];
    T high = low;
    const T* column = rows.data + j;
#pragma omp parallel for num_threads(useful_threads(threads, static_cast <double>(rows.n))) schedule(static) \
    reduction(min                                                                                            \
              : low) reduction(max                                                                           \
                               : high)
    for (std::int64_t i = 0; i < rows.n; ++i) {
      low = std::min(low, column[i * rows.d]);
      high = std::max(high, column[i * rows.d]);
    }
    extent.low[j] = double{low};
    extent.high[j] = double{high};
  }
  return extent;
}

bool make_frame(const Extent& extent, const Ball& ball, CellSize size, GridFrame& frame) {
  constexpr double most_numbers = 0x1p31 - 2.0 * GridFrame::margin;
  constexpr double slack = 0x1p-18;
  frame = GridFrame{size, ball.d, ball.eps};
  frame.inverse_side =
      cells_across_eps(ball, size) / (ball.eps * (size == CellSize::within_eps ? 1.0 - slack : 1.0 + slack));
  for (int j = 0; j < ball.d; ++j) {
    frame.low[j] = extent.low[j];
    // Rows that are asked for lie up to eps further out, and reach as far again.
    if (!std::isfinite(extent.low[j] - 2.0 * ball.eps) || !std::isfinite(extent.high[j] + 2.0 * ball.eps)) return false;
    const double numbers = (extent.high[j] - extent.low[j]) * frame.inverse_side;
    if (!(numbers < most_numbers)) return false;  // also where an infinity came up on the way
    const auto last = static_cast<std::uint64_t>(numbers) + 2 * GridFrame::margin;
    frame.bits[j] = static_cast<int>(std::bit_width(last));
  }
  for (int j = ball.d - 2; j >= 0; --j) frame.shift[j] = frame.shift[j + 1] + frame.bits[j + 1];
  return frame.key_bits() <= most_key_bits;
}

template <typename T>
double mean_companions(const Rows<T>& rows, const GridFrame& frame) {
  constexpr std::int64_t most_rows = 4096;
  const std::int64_t count = std::min(rows.n, most_rows);
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(frame.key(rows.row(rows.n * i / count)));
  std::sort(keys.begin(), keys.end());
  std::size_t pairs = 0;
  for (std::size_t first = 0, i = 0; i < keys.size(); ++i) {
    if (keys[i] != keys[first]) first = i;
    pairs += i - first;
  }
  return 2.0 * static_cast<double>(pairs) / static_cast<double>(count) *
         (static_cast<double>(rows.n) / static_cast<double>(count));
}

template <typename T>
GridRows<T> sort_into_grid(const Rows<T>& rows, const std::int32_t* which, std::int64_t count, const GridFrame& frame,
                           const Context& context) {
  constexpr int narrow_bits = 32;
  GridRows<T> grid = frame.key_bits() <= narrow_bits ? sort_by<std::uint32_t>(rows, which, count, frame, context)
                                                     : sort_by<std::uint64_t>(rows, which, count, frame, context);
  take_columns(grid, rows.d, context.workspace);
  const Chunks chunks(count, context.threads);
  chunks.for_each([&](int chunk) {
    for (std::int64_t p = chunks.begin(chunk); p < chunks.end(chunk); ++p) {
      const T* row = rows.row(grid.order[p]);
      for (int j = 0; j < rows.d; ++j) grid.columns[j][p] = row[j];
    }
  });
  return grid;
}

template <typename T>
GridRows<T> select_rows(const GridRows<T>& grid, int d, const std::uint8_t* flags, std::uint8_t value,
                        const Context& context) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  const Chunks chunks(grid.cells, context.threads);
  auto* row_places = scratch.take<std::int64_t>(chunks.count(), "rows of the chunks");
  auto* cell_places = scratch.take<std::int64_t>(chunks.count(), "cells of the chunks");
  const auto selected_in = [&](std::int64_t cell) {
    return std::count(flags + grid.starts[cell], flags + grid.starts[cell + 1], value);
  };
  chunks.for_each([&](int chunk) {
    row_places[chunk] = cell_places[chunk] = 0;
    for (std::int64_t cell = chunks.begin(chunk); cell < chunks.end(chunk); ++cell) {
      const std::int64_t selected = selected_in(cell);
      row_places[chunk] += selected;
      cell_places[chunk] += selected > 0 ? 1 : 0;
    }
  });
  GridRows<T> result;
  result.n = make_places(row_places, chunks.count(), 1);
  result.order = context.workspace.take<std::int32_t>(result.n, "order of selected rows");
  take_columns(result, d, context.workspace);
  take_cells(result, make_places(cell_places, chunks.count(), 1), context.workspace);
  chunks.for_each([&](int chunk) {
    std::int64_t place = row_places[chunk];
    std::int64_t to_cell = cell_places[chunk];
    for (std::int64_t cell = chunks.begin(chunk); cell < chunks.end(chunk); ++cell) {
      const std::int64_t first = place;
      for (std::int64_t p = grid.starts[cell]; p < grid.starts[cell + 1]; ++p) {
        if (flags[p] != value) continue;
        result.order[place] = grid.order[p];
        for (int j = 0; j < d; ++j) result.columns[j][place] = grid.columns[j][p];
        ++place;
      }
      if (place == first) continue;
      result.keys[to_cell] = grid.keys[cell];
      result.starts[to_cell++] = static_cast<std::int32_t>(first);
    }
  });
  return result;
}

template Extent extent_of(const Rows<float>&, int);
template Extent extent_of(const Rows<double>&, int);
template double mean_companions(const Rows<float>&, const GridFrame&);
template double mean_companions(const Rows<double>&, const GridFrame&);
template GridRows<float> sort_into_grid(const Rows<float>&, const std::int32_t*, std::int64_t, const GridFrame&,
                                        const Context&);
template GridRows<double> sort_into_grid(const Rows<double>&, const std::int32_t*, std::int64_t, const GridFrame&,
                                         const Context&);
template GridRows<float> select_rows(const GridRows<float>&, int, const std::uint8_t*, std::uint8_t, const Context&);
template GridRows<double> select_rows(const GridRows<double>&, int, const std::uint8_t*, std::uint8_t, const Context&);

}  // namespace tilelearn::dbscan::cpu
