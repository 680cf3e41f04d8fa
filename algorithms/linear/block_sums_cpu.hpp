// Sums over the blocks of rows, by several threads, in the binary tree of CascadeSums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <omp.h>

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
  constexpr std::int64_t groups_a_thread = 4;
  std::int64_t group = 1;
  while (2 * group * groups_a_thread * blocks.threads <= blocks.count) group *= 2;
  return group;
}

/// Arrays that sum_blocks holds at most: a level of each thread's tree and of the common one, those being filled, and
/// groups that wait for one before them.
inline std::int64_t arrays_held(const Blocks& blocks) {
  std::int64_t levels = 2;
  for (std::int64_t arrays = blocks.count; arrays > 1; arrays /= 2) ++levels;
  return (blocks.threads + 1) * levels + blocks.count / group_size(blocks);
}

/// @throws OutOfMemory if what the threads read rows into and the arrays of sum_blocks break the workspace limit
inline void require_memory(const Device& device, const Blocks& blocks, std::int64_t doubles_a_thread,
                           std::int64_t doubles_an_array) {
  detail::require_workspace(device,
                            detail::checked_bytes(doubles_a_thread, blocks.threads, sizeof(double)) +
                                detail::checked_bytes(doubles_an_array, arrays_held(blocks), sizeof(double)),
                            "linear models: rows and sums of products");
}

/// Calls add_block(block, thread, sums) for every block, with sums that start as `zeros`, and adds them up. The groups
/// are whole subtrees, so their size does not show in the result. Threads take the next group when they are done with
/// one, so that a thread that the machine lets wait holds up no other.
template <typename AddBlock>
Sums sum_blocks(const Blocks& blocks, const Sums& zeros, const AddBlock& add_block) {
  const std::int64_t group = group_size(blocks);
  const std::int64_t groups = (blocks.count + group - 1) / group;
  std::vector<CascadeSums> waiting(static_cast<std::size_t>(groups), CascadeSums(1));
  std::vector<bool> is_done(static_cast<std::size_t>(groups), false);
  CascadeSums cascade(group);
  std::int64_t next = 0;  // the first group that the cascade lacks
  std::mutex mutex;       // of these four
#pragma omp parallel for num_threads(blocks.threads) schedule(dynamic, 1)
  for (std::int64_t g = 0; g < groups; ++g) {
    CascadeSums mine(1);
    for (std::int64_t block = g * group; block < std::min(blocks.count, (g + 1) * group); ++block) {
      Sums sums = zeros;
      add_block(block, omp_get_thread_num(), sums);
      mine.push(std::move(sums));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    waiting[static_cast<std::size_t>(g)] = std::move(mine);
    is_done[static_cast<std::size_t>(g)] = true;
    for (; next < groups && is_done[static_cast<std::size_t>(next)]; ++next)
      cascade.push_subtree(waiting[static_cast<std::size_t>(next)]);
  }
  return cascade.total();
}

}  // namespace tilelearn::linear::cpu
