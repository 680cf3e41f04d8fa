// Bounding boxes, box_columns(d) lowest then as many highest values, and what they prove about the pairs of rows inside
// two of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "dbscan/dbscan_cpu_levels.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cpu {

/// Whether no pair, some pairs perhaps, or every pair is within eps.
enum class Reach : std::uint8_t { none, some, all };

/// Values that a box of d columns takes.
constexpr std::int64_t box_size(int d) { return std::int64_t{2} * box_columns(d); }

template <typename T>
void empty_box(int d, T* box) {
  std::fill_n(box, box_size(d), T{0});
  std::fill_n(box, d, std::numeric_limits<T>::infinity());
  std::fill_n(box + box_columns(d), d, -std::numeric_limits<T>::infinity());
}

/// Widens a box by another one.
template <typename T>
void widen(T* box, const T* other, int d) {
  const int columns = box_columns(d);
  for (int j = 0; j < columns; ++j) {
    box[j] = std::min(box[j], other[j]);
    box[columns + j] = std::max(box[columns + j], other[columns + j]);
  }
}

/// Widens a box by a row whose values are `stride` apart.
template <typename T>
void widen_by_row(T* box, const T* row, std::int64_t stride, int d) {
  const int columns = box_columns(d);
  for (int j = 0; j < d; ++j) {
    box[j] = std::min(box[j], row[j * stride]);
    box[columns + j] = std::max(box[columns + j], row[j * stride]);
  }
}

/// Rounded as within() is, so that Ball's limits hold.
template <typename T>
Span span_of(const T* a, const T* b, const Ball& ball) {
  return tile_loops<T>(static_cast<int>(ball.norm)).span(a, b, ball.d, ball.scale);
}

inline Reach reach_of(const Span& span, const Ball& ball) {
  if (ball.norm == Norm::chebyshev)
    return span.least > ball.eps ? Reach::none : span.most < ball.eps ? Reach::all : Reach::some;
  return span.least >= ball.outside ? Reach::none : span.most <= ball.inside ? Reach::all : Reach::some;
}

}  // namespace tilelearn::dbscan::cpu
