// Reads the rows of any device on the CPU, block by block. For paths that are seldom taken.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tilelearn/matrix.hpp>

namespace tilelearn::detail {

/// Calls function(row, its number) for the rows of X in order, `row` being a pointer to its values side by side in CPU
/// memory, until it returns false.
template <typename T, typename Function>
void for_rows(const MatrixView<const T>& X, const Function& function) {
  constexpr std::int64_t block_elements = std::int64_t{1} << 20;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_elements / std::max<std::int64_t>(1, X.columns()));
  for (std::int64_t begin = 0; begin < X.rows(); begin += block_rows) {
    const std::int64_t rows = std::min(block_rows, X.rows() - begin);
    const MatrixView<const T> part(X.data() + begin * X.row_stride(), rows, X.columns(), X.row_stride(),
                                   X.column_stride(), X.device());
    const Matrix<T> block = copy_to(part, Device::cpu());
    for (std::int64_t i = 0; i < rows; ++i)
      if (!function(block.data() + i * X.columns(), begin + i)) return;
  }
}

}  // namespace tilelearn::detail
