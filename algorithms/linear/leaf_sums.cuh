// Sums over leaves, runs of rows of a fixed length: each kernel leaves the sums of a leaf, which are then added in the
// binary tree that the leaves' numbers decide (cascade_sums.hpp). Leaves come in batches, so that memory stays small.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cuda_support.cuh"
#include "linear/double_double.hpp"

namespace tilelearn::linear::cuda {

/// Leaves that one launch adds up.
inline constexpr int tree_fan = 64;

__device__ inline double add_values(double a, double b) { return a + b; }
__device__ inline double2 add_values(const double2& a, const double2& b) {
  const DoubleDouble sum = DoubleDouble(a.x, a.y) + DoubleDouble(b.x, b.y);
  return {sum.high, sum.low};
}

/// to[g] = the tree over from[64 g] .. from[64 g + 63], for every element. A thread an element, a row of blocks a g.
template <typename Value>
__global__ void add_leaves(const Value* from, std::int64_t count, std::int64_t elements, Value* to) {
  const std::int64_t element = tilelearn::cuda::thread_index();
  if (element >= elements) return;
  for (std::int64_t group = blockIdx.y; group * tree_fan < count; group += gridDim.y) {
    const Value* leaf = from + group * tree_fan * elements + element;
    const int mine = static_cast<int>(min(std::int64_t{tree_fan}, count - group * tree_fan));
    constexpr int levels = 7;
    Value level[levels];
#pragma unroll
    for (int i = 0; i < tree_fan; ++i) {
      if (i >= mine) break;
      Value sum = leaf[i * elements];
      int bit = 0;
#pragma unroll
      for (; (i >> bit & 1) != 0; ++bit) sum = add_values(level[bit], sum);
      level[bit] = sum;
    }
    bool any = false;
    Value total{};
#pragma unroll
    for (int bit = 0; bit < levels; ++bit) {
      if ((mine >> bit & 1) == 0) continue;
      total = any ? add_values(level[bit], total) : level[bit];
      any = true;
    }
    to[group * elements + element] = total;
  }
}

/// The tree over `count` leaves in a buffer. Stream-ordered.
template <typename Value>
tilelearn::cuda::Buffer<Value> add_up(tilelearn::cuda::Buffer<Value> leaves, std::int64_t count, std::int64_t elements,
                                      const Device& device) {
  constexpr int threads = 128;
  constexpr std::int64_t most_groups = 32768;
  while (count > 1) {
    const std::int64_t groups = (count + tree_fan - 1) / tree_fan;
    tilelearn::cuda::Buffer<Value> sums(device, groups * elements);
    const dim3 grid(tilelearn::cuda::blocks_for(elements, threads),
                    static_cast<unsigned>(std::min(groups, most_groups)));
    add_leaves<<<grid, threads, 0, device.stream()>>>(leaves.data(), count, elements, sums.data());
    tilelearn::cuda::check_launch();
    leaves = std::move(sums);
    count = groups;
  }
  return leaves;
}

/// The sums of all leaves, `elements` values: launch(first leaf, leaves, where their sums go) is called for batches.
template <typename Value, typename Launch>
tilelearn::cuda::Buffer<Value> sum_leaves(std::int64_t leaves, std::int64_t elements, const Device& device,
                                          const Launch& launch) {
  using tilelearn::cuda::Buffer;
  constexpr std::int64_t most_bytes = std::int64_t{1} << 28;
  constexpr std::int64_t most_leaves = 65535;  // rows of a grid
  std::int64_t batch = tree_fan;
  while (batch * tree_fan <= most_leaves &&
         batch * tree_fan * elements * static_cast<std::int64_t>(sizeof(Value)) <= most_bytes)
    batch *= tree_fan;
  const std::int64_t batches = (leaves + batch - 1) / batch;
  Buffer<Value> tops(device, batches == 1 ? 0 : batches * elements);
  for (std::int64_t b = 0; b < batches; ++b) {
    const std::int64_t count = std::min(batch, leaves - b * batch);
    Buffer<Value> sums(device, count * elements);
    launch(b * batch, count, sums.data());
    tilelearn::cuda::check_launch();
    Buffer<Value> total = add_up(std::move(sums), count, elements, device);
    if (batches == 1) return total;
    tilelearn::cuda::check(cudaMemcpyAsync(tops.data() + b * elements, total.data(),
                                           static_cast<std::size_t>(elements) * sizeof(Value), cudaMemcpyDeviceToDevice,
                                           device.stream()));
  }
  return add_up(std::move(tops), batches, elements, device);
}

}  // namespace tilelearn::linear::cuda
