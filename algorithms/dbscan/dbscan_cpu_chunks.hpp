// n elements in consecutive chunks that threads share out, and the places where each chunk's findings go.
#pragma once

#include <cstdint>
#include <utility>

#include "dbscan/dbscan_cpu_search.hpp"

namespace tilelearn::dbscan::cpu {

/// As many chunks as threads keep busy.
class Chunks {
 public:
  Chunks(std::int64_t n, int threads) : n_(n), count_(useful_threads(threads, static_cast<double>(n))) {}

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::int64_t begin(int chunk) const { return n_ * chunk / count_; }
  [[nodiscard]] std::int64_t end(int chunk) const { return begin(chunk + 1); }

  /// Calls body(chunk) for each, in parallel.
  template <typename Body>
  void for_each(const Body& body) const {
#pragma omp parallel for num_threads(count_) schedule(static, 1)
    for (int chunk = 0; chunk < count_; ++chunk) body(chunk);
  }

 private:
  std::int64_t n_;
  int count_;
};

/// Makes each of `count` sizes, `stride` apart, the sum of those before it, from `first` on; returns the sum of all.
inline std::int64_t make_places(std::int64_t* sizes, std::int64_t count, std::int64_t stride, std::int64_t first = 0) {
  for (std::int64_t i = 0; i < count; ++i) first += std::exchange(sizes[i * stride], first);
  return first;
}

/// Numbers the elements that `is_one(i)` picks: calls `allocate(how many)`, then put(i, number) in parallel.
template <typename IsOne, typename Allocate, typename Put>
void number_some(const Chunks& chunks, const IsOne& is_one, const Allocate& allocate, const Put& put,
                 detail::CpuWorkspace& workspace) {
  detail::CpuWorkspace scratch = workspace.nested();
  auto* places = scratch.take<std::int64_t>(chunks.count(), "places of the chunks");
  chunks.for_each([&](int chunk) {
    std::int64_t found = 0;
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) found += is_one(i) ? 1 : 0;
    places[chunk] = found;
  });
  allocate(make_places(places, chunks.count(), 1));
  chunks.for_each([&](int chunk) {
    std::int64_t number = places[chunk];
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
      if (is_one(i)) put(i, number++);
  });
}

}  // namespace tilelearn::dbscan::cpu
