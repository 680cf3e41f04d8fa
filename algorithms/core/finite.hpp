// The error for a NaN or an infinity in an input: which row, which column. Reads any device block by block; meant for
// the path where a faster pass has already seen that something is wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <tilelearn/matrix.hpp>

namespace tilelearn::detail {

struct Position {
  std::int64_t row;
  std::int64_t column;
};

/// The first NaN or infinity in row-major order.
template <typename T>
std::optional<Position> first_not_finite(const MatrixView<const T>& X) {
  constexpr std::int64_t block_elements = std::int64_t{1} << 20;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_elements / std::max<std::int64_t>(1, X.columns()));
  for (std::int64_t begin = 0; begin < X.rows(); begin += block_rows) {
    const std::int64_t rows = std::min(block_rows, X.rows() - begin);
    const MatrixView<const T> part(X.data() + begin * X.row_stride(), rows, X.columns(), X.row_stride(),
                                   X.column_stride(), X.device());
    const Matrix<T> block = copy_to(part, Device::cpu());
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < X.columns(); ++j)
        if (!std::isfinite(block.data()[i * X.columns() + j])) return Position{begin + i, j};
  }
  return std::nullopt;
}

/// Throws InvalidArgument that names the first NaN or infinity of X; returns if there is none.
template <typename T>
void throw_if_not_finite(const MatrixView<const T>& X, const char* method) {
  if (const auto position = first_not_finite(X))
    throw InvalidArgument(std::string(method) + ": X has a NaN or infinity in row " + std::to_string(position->row) +
                          ", column " + std::to_string(position->column));
}

}  // namespace tilelearn::detail
