// The error for a NaN or an infinity in an input: which row, which column. Reads any device block by block; meant for
// the path where a faster pass has already seen that something is wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <tilelearn/matrix.hpp>

#include "core/row_blocks.hpp"

namespace tilelearn::detail {

struct Position {
  std::int64_t row;
  std::int64_t column;
};

/// The first NaN or infinity in row-major order.
template <typename T>
std::optional<Position> first_not_finite(const MatrixView<const T>& X) {
  std::optional<Position> found;
  for_rows(X, [&](const T* row, std::int64_t number) {
    const T* const end = row + X.columns();
    const T* const bad = std::find_if(row, end, [](T value) { return !std::isfinite(value); });
    if (bad != end) found = Position{number, bad - row};
    return bad == end;
  });
  return found;
}

/// Throws InvalidArgument that names the first NaN or infinity of X; returns if there is none.
template <typename T>
void throw_if_not_finite(const MatrixView<const T>& X, const char* method) {
  if (const auto position = first_not_finite(X))
    throw InvalidArgument(std::string(method) + ": X has a NaN or infinity in row " + std::to_string(position->row) +
                          ", column " + std::to_string(position->column));
}

}  // namespace tilelearn::detail
