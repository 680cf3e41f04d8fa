// Union-find on the device. The smaller root wins, so the root of a set is its least node: which sets there are and
// what their roots are does not depend on the order of the unions (J. Jaiganesh, M. Burtscher, A high-performance
// connected components implementation for GPUs, HPDC 2018).
#pragma once

#include <cstdint>

namespace tilelearn::dbscan::cuda {

/// The root of a node; shortens the way there. parent[node] <= node at all times.
__device__ inline std::int32_t find_root(std::int32_t* parent, std::int32_t node) {
  volatile std::int32_t* up = parent;
  std::int32_t above = up[node];
  while (above != node) {
    const std::int32_t next = up[above];
    if (next != above) up[node] = next;
    node = above;
    above = next;
  }
  return node;
}

/// The root of a node, with nothing written: for kernels that put roots in place while others look.
__device__ inline std::int32_t look_up_root(const std::int32_t* parent, std::int32_t node) {
  const volatile std::int32_t* up = parent;
  for (std::int32_t above = up[node]; above != node; above = up[node]) node = above;
  return node;
}

/// Joins the sets of two nodes; returns the root of the joined set as it was then.
__device__ inline std::int32_t unite(std::int32_t* parent, std::int32_t a, std::int32_t b) {
  while (true) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return a;
    const std::int32_t low = a < b ? a : b;
    const std::int32_t high = a < b ? b : a;
    if (atomicCAS(parent + high, high, low) == high) return low;
  }
}

}  // namespace tilelearn::dbscan::cuda
