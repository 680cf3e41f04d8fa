// Rows of up to three columns, sorted by the cell of a grid that they lie in.
//
// A cell is found by its key: the numbers of its columns one after the other in 62 bits, so that cells that follow each
// other in the last column are neighbours in the order of keys too, and a neighbourhood is a few ranges of consecutive
// rows. Nothing is stored for cells without rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "dbscan/dbscan_cpu_search.hpp"

namespace tilelearn::dbscan::cpu {

/// How large cells are: so small that all rows of one are within eps of each other, or, where few cells would hold two
/// rows, so large that a neighbourhood does not reach beyond the next cell.
enum class CellSize : std::uint8_t { within_eps, as_eps };

/// Which cell a value lies in. A cell's number is the integer part of fl(fl(fl(x - low) / side) + margin), below 2^31:
/// three rounding errors of 2^-53 each move it by less than 2^-20.
///
/// within_eps   side = eps / f (1 - 2^-18), f = sqrt(d), d, 1 for euclidean, manhattan, chebyshev: values of one number
///              differ by less than side (1 + 2^-19) < eps / f, and rows of one cell are within eps of each other
/// as_eps       side = eps (1 + 2^-18): numbers of values within eps before rounding differ by less than 1 - 2^-19
///
/// Rows within eps of x have numbers from that of fl(x - eps) to that of fl(x + eps): rounding is monotone.
struct GridFrame {
  CellSize size = CellSize::within_eps;
  int d = 0;
  double eps = 0.0;
  double inverse_side = 0.0;
  double low[most_grid_columns] = {};
  int bits[most_grid_columns] = {};   ///< of a column's number in the key, the last column's lowest
  int shift[most_grid_columns] = {};  ///< of those bits

  /// Cells kept free below the lowest and above the highest value: more than any neighbourhood reaches, twice.
  static constexpr std::int64_t margin = 16;

  [[nodiscard]] std::int64_t number(double value, int column) const {
    return static_cast<std::int64_t>((value - low[column]) * inverse_side + static_cast<double>(margin));
  }
  [[nodiscard]] std::int64_t number_in_key(std::int64_t key, int column) const {
    return key >> shift[column] & ((std::int64_t{1} << bits[column]) - 1);
  }
  [[nodiscard]] int key_bits() const { return bits[0] + bits[1] + bits[2]; }

  template <typename T>
  [[nodiscard]] std::int64_t key(const T* row) const {
    std::int64_t result = 0;
    for (int j = 0; j < d; ++j) result |= number(double{row[j]}, j) << shift[j];
    return result;
  }
};

/// Lowest and highest value of each column.
struct Extent {
  double low[most_grid_columns];
  double high[most_grid_columns];
};

template <typename T>
Extent extent_of(const Rows<T>& rows, int threads);

/// Makes the frame for rows of this extent; false if cells are too many for the numbers above.
bool make_frame(const Extent& extent, const Ball& ball, CellSize size, GridFrame& frame);

/// How many other rows a row has in its cell, on average over the rows; estimated from a sample of them.
template <typename T>
double mean_companions(const Rows<T>& rows, const GridFrame& frame);

/// Rows in the order of cells, and the cells that have any.
template <typename T>
struct GridRows {
  std::int64_t n = 0;
  std::int32_t* order = nullptr;       ///< n: numbers of the rows
  T* columns[most_grid_columns] = {};  ///< n values each, and room for a vector more
  std::int64_t cells = 0;
  std::int64_t* keys = nullptr;    ///< ascending; then `key_padding` times the greatest number
  std::int32_t* starts = nullptr;  ///< cells + 1: a cell's first row

  static constexpr std::int64_t value_padding = 64;
  static constexpr std::int64_t key_padding = 16;

  [[nodiscard]] std::int32_t size(std::int64_t cell) const { return starts[cell + 1] - starts[cell]; }
};

/// Sorts `count` rows (which[i], or i where null), all inside the frame or its margin. O(n).
template <typename T>
GridRows<T> sort_into_grid(const Rows<T>& rows, const std::int32_t* which, std::int64_t count, const GridFrame& frame,
                           const Context& context);

/// The rows whose flag (n, in the order of the grid) is `value`, as a grid of their own.
template <typename T>
GridRows<T> select_rows(const GridRows<T>& grid, int d, const std::uint8_t* flags, std::uint8_t value,
                        const Context& context);

}  // namespace tilelearn::dbscan::cpu
