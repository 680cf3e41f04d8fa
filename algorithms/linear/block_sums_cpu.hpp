// Sums over the blocks of rows, by several threads, in the binary tree of CascadeSums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/cpu_threads.hpp"
#include "core/workspace.hpp"
#include "linear/cascade_sums.hpp"
#include "linear/gram.hpp"

namespace tilelearn::linear::cpu {

/// The blocks of n rows and the threads that are worth starting for them.
struct Blocks {
  std::int64_t rows;
  std::int64_t count;
  int threads;

  Blocks(const Device& device, std::int64_t n, double operations_a_row)
      : rows(n),
        count((n + block_rows - 1) / block_rows),
        threads(static_cast<int>(std::min<std::int64_t>(
            count, detail::useful_threads(device.threads(), static_cast<double>(n) * operations_a_row)))) {}

  /// Calls function(first row, number of rows) for each chunk of a block.
  template <typename Function>
  void for_chunks(std::int64_t block, const Function& function) const {
    const std::int64_t end = std::min(rows, (block + 1) * block_rows);
    for (std::int64_t first = block * block_rows; first < end; first += chunk_rows)
      function(first, std::min(chunk_rows, end - first));
  }
};

/// Blocks that one thread takes at once: groups of a power of two, so that threads meet seldom.
inline std::int64_t group_size(const Blocks& blocks) {
  constexpr std::int64_t groups_a_thread = 8;
  std::int64_t group = 1;
  while (2 * group * groups_a_thread * blocks.threads <= blocks.count) group *= 2;
  return group;
}

/// Arrays that sum_blocks holds at most: a level of each thread's tree and of the common one, and those being filled.
inline std::int64_t arrays_held(const Blocks& blocks) {
  std::int64_t levels = 2;
  for (std::int64_t arrays = blocks.count; arrays > 1; arrays /= 2) ++levels;
  return (blocks.threads + 1) * levels;
}

/// @throws OutOfMemory if what the threads read rows into and the arrays of sum_blocks break the workspace limit
inline void require_memory(const Device& device, const Blocks& blocks, std::int64_t doubles_a_thread,
                           std::int64_t doubles_an_array) {
  detail::require_workspace(device,
                            detail::checked_bytes(doubles_a_thread, blocks.threads, sizeof(double)) +
                                detail::checked_bytes(doubles_an_array, arrays_held(blocks), sizeof(double)),
                            "linear models: rows and sums of products");
}

/// Calls add_block(block, thread, sums) for every block, with sums that start as `zeros`, and adds them up. The
/// groups are whole subtrees, so their size does not show in the result.
template <typename AddBlock>
Sums sum_blocks(const Blocks& blocks, const Sums& zeros, const AddBlock& add_block) {
  const std::int64_t group = group_size(blocks);
  CascadeSums cascade(group);
  for (std::int64_t first = 0; first < blocks.count; first += group * blocks.threads) {
    const auto wave =
        static_cast<int>(std::min<std::int64_t>(blocks.threads, (blocks.count - first + group - 1) / group));
    std::vector<CascadeSums> groups(static_cast<std::size_t>(wave), CascadeSums(1));
#pragma omp parallel for num_threads(wave) schedule(static, 1)
    for (int thread = 0; thread < wave; ++thread) {
      const std::int64_t begin = first + thread * group;
      for (std::int64_t block = begin; block < std::min(blocks.count, begin + group); ++block) {
        Sums sums = zeros;
        add_block(block, thread, sums);
        groups[static_cast<std::size_t>(thread)].push(std::move(sums));
      }
    }
    for (CascadeSums& one : groups) cascade.push_subtree(one);
  }
  return cascade.total();
}

}  // namespace tilelearn::linear::cpu
