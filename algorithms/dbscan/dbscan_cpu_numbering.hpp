// Clusters are numbered by their first core row.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "dbscan/dbscan_cpu_search.hpp"
#include "dbscan/dbscan_cpu_union_find.hpp"

namespace tilelearn::dbscan::cpu {

/// Sets of members 0 .. members-1 become clusters. row_of(m) is a core row of member m, its least, or negative where m
/// takes no part. On return numbers[m] is the cluster of m (n_clusters is returned); marks (n) is overwritten.
template <typename RowOf>
std::int32_t number_sets(const UnionFind& sets, std::int64_t members, const RowOf& row_of, std::int64_t n,
                         const Context& context, std::int32_t* numbers, std::int32_t* marks) {
  constexpr std::int32_t unmarked = -1;
  const int threads = useful_threads(context.threads, static_cast<double>(members));
  detail::CpuWorkspace scratch = context.workspace.nested();
  auto* first_rows = scratch.take<std::int32_t>(members, "first rows of the clusters");
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::int64_t m = 0; m < members; ++m) first_rows[m] = row_of(m);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) marks[i] = unmarked;
      // Roots gather the least row of their members.
#pragma omp for schedule(static)
    for (std::int64_t m = 0; m < members; ++m) {
      const std::int32_t root = sets.root(static_cast<std::int32_t>(m));
      if (root == m || first_rows[m] < 0) continue;
      const std::atomic_ref<std::int32_t> first(first_rows[root]);
      std::int32_t known = first.load(std::memory_order_relaxed);
      while (first_rows[m] < known && !first.compare_exchange_weak(known, first_rows[m], std::memory_order_relaxed)) {
      }
    }
#pragma omp for schedule(static)
    for (std::int64_t m = 0; m < members; ++m)
      if (first_rows[m] >= 0 && sets.root(static_cast<std::int32_t>(m)) == m) marks[first_rows[m]] = 0;
  }
  std::int32_t clusters = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (marks[i] != unmarked) marks[i] = clusters++;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t m = 0; m < members; ++m)
    if (first_rows[m] >= 0) numbers[m] = marks[first_rows[sets.root(static_cast<std::int32_t>(m))]];
  return clusters;
}

}  // namespace tilelearn::dbscan::cpu
