// The cells that may hold rows within eps of the rows of a cell: a walk over two sorted sets of cells side by side.
//
// A neighbourhood is a window of consecutive numbers in each column; the windows of the columns before the last name
// lines of cells, near ones first, and what a line has in the window of the last column lies in one range of keys. As
// the asking cells ascend, so does each line's range: a cursor a line finds it without any table.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dbscan/dbscan_cpu_grid.hpp"

namespace tilelearn::dbscan::cpu {

/// Lowest and highest values of the rows of one cell.
struct CellBox {
  double low[most_grid_columns];
  double high[most_grid_columns];
};

template <typename T>
CellBox box_of_cell(const GridRows<T>& grid, int d, std::int64_t cell) {
  CellBox box{};
  for (int j = 0; j < d; ++j) {
    const T* values = grid.columns[j];
    T low = values[grid.starts[cell]];
    T high = low;
    for (std::int32_t p = grid.starts[cell] + 1; p < grid.starts[cell + 1]; ++p) {
      low = std::min(low, values[p]);
      high = std::max(high, values[p]);
    }
    box.low[j] = double{low};
    box.high[j] = double{high};
  }
  return box;
}

/// One thread's walk.
class Windows {
 public:
  /// Cells that a neighbourhood reaches beyond its own in one column: 4 (manhattan, three columns) at most.
  static constexpr int most_reach = 4;
  static constexpr int most_lines = (2 * most_reach + 1) * (2 * most_reach + 1);

  /// Of all cells, or of those up to the asking one.
  enum class Side : std::uint8_t { all, up_to_own };

  template <typename T>
  Windows(const GridFrame& frame, const GridRows<T>& data, Side side)
      : frame_(frame), keys_(data.keys), cells_(data.cells), side_(side), find_(loops().windows) {
    list_lines();
  }

  /// Prepares for asking cells from `key` on, ascending.
  void start(std::int64_t key) {
    for (int i = 0; i < lines_; ++i) {
      const std::int64_t bound = key + line_[i].offset - GridFrame::margin;
      cursors_[i] = static_cast<std::int32_t>(std::lower_bound(keys_, keys_ + cells_, bound) - keys_);
    }
  }

  /// Finds the cells for rows of the cell `key` inside `box`; returns how many ranges, which ranges() has, near lines
  /// first. Ranges may be empty.
  int find(std::int64_t key, const CellBox& box) {
    std::int64_t first[most_grid_columns] = {};
    std::int64_t last[most_grid_columns] = {};
    std::int64_t own[most_grid_columns] = {};
    for (int j = 0; j < frame_.d; ++j) {
      own[j] = frame_.number_in_key(key, j);
      first[j] = frame_.number(box.low[j] - frame_.eps, j);
      last[j] = frame_.number(box.high[j] + frame_.eps, j);
    }
    const int end = frame_.d - 1;
    const std::int64_t line_key = key - own[end];
    LineSet meeting = all_lines_;
    for (int j = 0; j < end; ++j)
      meeting = meeting & from_[j][step(first[j] - own[j])] & up_to_[j][step(last[j] - own[j])];
    int count = 0;
    meeting.for_each([&](int i) {
      const std::int64_t line = line_key + line_[i].offset;
      windows_[count++] = {line + first[end], line + last[end], &cursors_[i]};
    });
    if (side_ == Side::up_to_own) windows_[0].high = key;
    find_(keys_, windows_, count, ranges_);
    return count;
  }

  [[nodiscard]] const Range* ranges() const { return ranges_; }

 private:
  /// Steps from the asking cell's line in the columns before the last.
  struct Line {
    int step[most_grid_columns - 1];
    std::int64_t offset;  ///< of the key

    [[nodiscard]] int distance() const { return step[0] * step[0] + step[1] * step[1]; }
  };

  /// A set of lines: most_lines bits.
  struct LineSet {
    std::uint64_t words[2] = {};

    void insert(int line) { words[line / 64] |= 1ULL << (line % 64); }
    friend LineSet operator&(const LineSet& a, const LineSet& b) {
      return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
    }
    template <typename Body>
    void for_each(const Body& body) const {
      for (int w = 0; w < 2; ++w)
        for (std::uint64_t word = words[w]; word != 0; word &= word - 1) body(64 * w + __builtin_ctzll(word));
    }
  };

  /// Where a step is in from_ and up_to_.
  static std::int64_t step(std::int64_t cells) {
    return std::clamp<std::int64_t>(cells, -most_reach, most_reach) + most_reach;
  }

  void list_lines() {
    const int reach = static_cast<int>(std::ceil(frame_.eps * frame_.inverse_side));
    const int reach0 = frame_.d > 1 ? reach : 0;
    const int reach1 = frame_.d > 2 ? reach : 0;
    for (int a = -reach0; a <= reach0; ++a)
      for (int b = -reach1; b <= reach1; ++b) {
        const std::int64_t offset = a * (std::int64_t{1} << frame_.shift[0]) + b * (std::int64_t{1} << frame_.shift[1]);
        if (side_ == Side::all || offset <= 0) line_[lines_++] = {{a, b}, offset};
      }
    std::stable_sort(line_, line_ + lines_, [](const Line& a, const Line& b) { return a.distance() < b.distance(); });
    for (int i = 0; i < lines_; ++i) {
      all_lines_.insert(i);
      for (int j = 0; j < most_grid_columns - 1; ++j)
        for (int s = -most_reach; s <= most_reach; ++s) {
          if (line_[i].step[j] >= s) from_[j][step(s)].insert(i);
          if (line_[i].step[j] <= s) up_to_[j][step(s)].insert(i);
        }
    }
  }

  const GridFrame& frame_;
  const std::int64_t* keys_;
  std::int64_t cells_;
  Side side_;
  WindowsLoop find_;
  int lines_ = 0;
  Line line_[most_lines];
  LineSet all_lines_;
  LineSet from_[most_grid_columns - 1][2 * most_reach + 1];   ///< lines at a step or beyond
  LineSet up_to_[most_grid_columns - 1][2 * most_reach + 1];  ///< lines at a step or below
  std::int32_t cursors_[most_lines];
  Window windows_[most_lines];
  Range ranges_[most_lines];
};

/// Calls body(windows, cell) for every cell of `asking`, in parallel, until the caller asks to stop; windows.find(that
/// cell's key, its box) may be called or not.
template <typename T, typename Body>
void for_cells(const GridFrame& frame, const GridRows<T>& asking, const GridRows<T>& data, Windows::Side side,
               const Context& context, const Body& body) {
  constexpr std::int64_t block_cells = 256;
  const std::int64_t blocks = (asking.cells + block_cells - 1) / block_cells;
#pragma omp parallel num_threads(useful_threads(context.threads, 16.0 * static_cast <double>(asking.n)))
  {
    Windows windows(frame, data, side);
#pragma omp for schedule(monotonic : dynamic)
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (context.stop.poll()) continue;
      const std::int64_t begin = block * block_cells;
      windows.start(asking.keys[begin]);
      for (std::int64_t cell = begin; cell < std::min(begin + block_cells, asking.cells); ++cell) body(windows, cell);
    }
  }
  context.stop.check();
}

}  // namespace tilelearn::dbscan::cpu
