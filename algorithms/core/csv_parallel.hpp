// A parallel loop whose exceptions reach the caller.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include <omp.h>

namespace tilelearn::csv {

/// work(i) for i in [0, count), in any order, on `threads` threads. If calls throw, the exception of the lowest i is
/// thrown on, after all calls.
template <typename Work>
void parallel_for(std::int64_t count, int threads, const Work& work) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1 && count > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (...) {
      errors[static_cast<std::size_t>(i)] = std::current_exception();
    }
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace tilelearn::csv
