// Rows of any layout as the passes on the CPU see them: chunks of augmented rows in the units of the Gram matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "linear/gram.hpp"
#include "linear/gram_cpu_levels.hpp"

namespace tilelearn::linear::cpu {

/// Units of the columns of the augmented rows, filled up to whole panels with columns of zeros.
struct PanelUnits {
  std::int64_t columns;
  std::vector<double> shift;  ///< times the scale
  std::vector<double> scale;

  static constexpr std::int64_t whole_panels(std::int64_t columns) {
    return (columns + panel_columns - 1) / panel_columns * panel_columns;
  }

  PanelUnits(std::int64_t p, const Units& units)
      : columns(whole_panels(p)),
        shift(static_cast<std::size_t>(columns), 0.0),
        scale(static_cast<std::size_t>(columns), 1.0) {
    std::copy(units.scale.begin(), units.scale.end(), scale.begin());
    std::transform(units.shift.begin(), units.shift.end(), scale.begin(), shift.begin(), std::multiplies<>());
  }
};

/// `count` rows of `columns` values, row-major; low is null where float64 is enough.
struct Chunk {
  double* values;
  double* low;
  std::int64_t columns;

  /// Filled with the ones and zeros of augmented rows, which reads leave as they are.
  void prepare(std::int64_t ones) const {
    std::fill_n(values, chunk_rows * columns, 0.0);
    if (low != nullptr) std::fill_n(low, chunk_rows * columns, 0.0);
    for (std::int64_t i = 0; i < chunk_rows; ++i) values[i * columns + ones] = 1.0;
  }
};

/// x scale - shift, and what float64 does not hold of it. Scaled first, for x - shift may overflow.
[[gnu::always_inline]] inline void take_units(double x, double shift, double scale, double* value, double* low) {
  const double scaled = x * scale;
  const double difference = scaled - shift;
  *value = difference;
  if (low == nullptr) return;
  const double of_shift = difference - scaled;
  *low = (scaled - (difference - of_shift)) - (shift + of_shift);
}

/// Rows of X, or Y, to the columns of a chunk from `first_column` on.
template <typename T>
[[gnu::always_inline]] inline void read_part(const MatrixView<const T>& X, std::int64_t first, std::int64_t count,
                                             const PanelUnits& units, std::int64_t first_column, const Chunk& chunk) {
  const double* shift = units.shift.data() + first_column;
  const double* scale = units.scale.data() + first_column;
  double* const values = chunk.values + first_column;
  double* const low = chunk.low == nullptr ? nullptr : chunk.low + first_column;
  const std::int64_t d = X.columns();
  if (X.column_stride() == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const T* const x = X.data() + (first + i) * X.row_stride();
      double* const to = values + i * chunk.columns;
      if (low == nullptr)
        for (std::int64_t j = 0; j < d; ++j) take_units(static_cast<double>(x[j]), shift[j], scale[j], to + j, nullptr);
      else
        for (std::int64_t j = 0; j < d; ++j)
          take_units(static_cast<double>(x[j]), shift[j], scale[j], to + j, low + i * chunk.columns + j);
    }
    return;
  }
  for (std::int64_t j = 0; j < d; ++j)
    for (std::int64_t i = 0; i < count; ++i)
      take_units(static_cast<double>(X(first + i, j)), shift[j], scale[j], values + i * chunk.columns + j,
                 low == nullptr ? nullptr : low + i * chunk.columns + j);
}

/// Rows first .. first + count - 1 to a prepared chunk.
template <typename T>
[[gnu::always_inline]] inline void read_chunk(const Rows<T>& rows, std::int64_t first, std::int64_t count,
                                              const PanelUnits& units, const Chunk& chunk) {
  read_part(rows.X, first, count, units, 0, chunk);
  read_part(rows.Y, first, count, units, rows.X.columns(), chunk);
}

}  // namespace tilelearn::linear::cpu
