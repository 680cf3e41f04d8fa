// The fused score and argmax. See kmeans_filter.cuh for the bound.
#pragma once

#include "kmeans/kmeans_filter_loader.cuh"
#include "kmeans/kmeans_filter_ring.cuh"
#include "kmeans/kmeans_filter_scores.cuh"

namespace tilelearn::kmeans::cuda {

/// Where a tile of A is: whole rows in shared memory, a stage's width of them at a time, or the first columns in
/// registers and the others in shared memory.
enum class Operand : std::uint8_t { whole, chunked, mixed };

/// Threads of a block: fewer where they hold part of A.
constexpr int score_threads(Operand operand) { return (operand == Operand::mixed ? 2 : 3) * 128 + 32; }

/// One thread of the last warp brings stages of B; each warpgroup takes tiles of 64 rows: loads and rounds them to
/// float16 in shared memory, multiplies with every tile of B, keeps best score and candidates in registers.
/// Bytes: X once, B from L2 once for every round of a block (once in all where B stays resident).
/// `collect`: rows come from the queue and their candidates are written. `norms_first`: accumulators start with norms.
template <typename T, int columns, bool collect, Operand operand, bool norms_first>
__global__ void __launch_bounds__(score_threads(operand), 1) score_rows(FilterArguments<T> a, FilterShape shape) {
#if TILELEARN_HOPPER_DEVICE
  using namespace hopper;
  constexpr bool chunked = operand == Operand::chunked;
  constexpr bool mixed = operand == Operand::mixed;
  constexpr int register_groups = mixed ? 2 * register_steps : 0;
  constexpr int line = 128 / sizeof(T);  // values in a line of the cache
  constexpr int chunks_ahead = 2;
  constexpr int most_prefetched = 1024 / sizeof(T);  // columns; longer rows would crowd the centres out of L2
  if (!is_running(a.state)) return;
  const std::int64_t rows = collect ? static_cast<std::int64_t>(*a.queue.count) : a.rows;
  const int row_tiles = static_cast<int>((rows + tile_rows - 1) / tile_rows);
  const int warpgroups = shape.warpgroups;
  const int step = static_cast<int>(gridDim.x) * warpgroups;
  if (static_cast<int>(blockIdx.x) * warpgroups >= row_tiles) return;

  extern __shared__ __align__(128) unsigned char shared[];
  auto* full = reinterpret_cast<std::uint64_t*>(shared);
  const std::uint32_t stage_bytes = shape.stage_groups * columns * group_slots * 2;
  Ring ring{full, full + shape.stages, shared + (16 * shape.stages + 127) / 128 * 128, stage_bytes, 0, 0};
  unsigned char* operands = ring.data + shape.stages * stage_bytes;
  // Every warpgroup of a block makes the same number of rounds, so that it frees every stage.
  const int rounds = (row_tiles - static_cast<int>(blockIdx.x) * warpgroups + step - 1) / step;
  if (threadIdx.x == 0) {
    for (int s = 0; s < shape.stages; ++s) {
      barrier_init(ring.full + s, 1);
      barrier_init(ring.empty + s, warpgroups);
    }
    barrier_init_fence();
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(0xFFFFFFFF, threadIdx.x / 128, 0);
  if (warpgroup == warpgroups) {
    if (threadIdx.x % 128 == 0) fill_ring<columns>(ring, a.B, shape, rounds);
    return;
  }

  const int thread = threadIdx.x % 128;
  const int my_row = thread / 32 * 16 + thread % 32 / 4;  // the accumulators' rows: this one and 8 on
  const int a_bytes = (chunked ? 2 : 1) * shape.chunk_groups * shape.a_group_bytes;
  auto* row_sums = reinterpret_cast<float2*>(operands + warpgroups * a_bytes) + warpgroup * tile_rows;
  const float factor = a.scale->factor;
  const auto largest = static_cast<float>(a.scale->largest_norm * factor * 1.000001);
  const auto largest_error = static_cast<float>(a.scale->largest_error * 1.000001);
  TileLoader<T> loader{a, factor, operands + warpgroup * a_bytes, shape.a_group_bytes, {}, {}};
  const std::uint32_t a_address = shared_address(loader.shared);
  const std::uint32_t b_address = shared_address(ring.data);

  for (int round = 0; round < rounds; ++round) {
    const int row0 = (static_cast<int>(blockIdx.x) * warpgroups + warpgroup + round * step) * tile_rows;
    const int rows_here = static_cast<int>(rows) - row0;
    const auto row_at = [&](int r) -> const T* {
      if (r >= rows_here) return nullptr;
      return a.X + (collect ? std::int64_t{a.queue.row[row0 + r]} : std::int64_t{row0 + r}) * a.d;
    };
    const T* source[2] = {row_at(thread / 4), row_at(thread / 4 + 32)};
    // This thread's share of the rows that are asked for ahead of their use.
    const T* here = row_at(thread / 2);
    const T* ahead = row_at(step * tile_rows + thread / 2);
    if (!chunked && a.d <= most_prefetched && ahead != nullptr)
      for (int j = thread % 2 * line; j < a.d; j += 2 * line) prefetch_line(ahead + j);
    RowState state[2] = {{-INFINITY, 0.0f, several, 0}, {-INFINITY, 0.0f, several, 0}};
    loader.clear();
    // The loader's rows are spread over lanes in another way than the scores'.
    const auto exchange_bounds = [&](const float(&own_norm2)[2], const float(&own_error2)[2]) {
      for (int pass = 0; pass < 2; ++pass) {
        const float2 sums{quad_sum(loader.norm2[pass]), quad_sum(loader.error2[pass])};
        if (thread % 4 == 0) row_sums[thread / 4 + 32 * pass] = sums;
      }
      fence_shared_for_async();
      warpgroup_barrier(1 + warpgroup);
      for (int half = 0; half < 2; ++half) {
        const float2 sums = row_sums[my_row + 8 * half];
        state[half].twice_bound =
            twice_bound(sums.x + own_norm2[half], sums.y + own_error2[half], largest, largest_error, shape.groups);
      }
    };
    constexpr float nothing[2] = {0.0f, 0.0f};
    warpgroup_barrier(1 + warpgroup);  // all scores of the tile before are done with A and its bounds
    Fragments<T> fragments;
    if constexpr (mixed) {
      const T* own[2] = {row_at(my_row), row_at(my_row + 8)};
      fragments.load(a, factor, own);
      loader.load(register_groups, shape.groups, source, round == 0);
      const float norm2[2] = {quad_sum(fragments.norm2[0]), quad_sum(fragments.norm2[1])};
      const float error2[2] = {quad_sum(fragments.error2[0]), quad_sum(fragments.error2[1])};
      exchange_bounds(norm2, error2);
    } else if constexpr (!chunked) {
      loader.load(0, shape.groups, source, round == 0);
      exchange_bounds(nothing, nothing);
    }

    float acc[columns / 2];
    for (int tile = 0; tile < shape.tiles; ++tile) {
      if constexpr (norms_first) start_with_norms<columns>(acc, a.norms + tile * columns);
      int previous = 0;
      if constexpr (mixed) {
#pragma unroll
        for (int part = 0; part < register_steps / 4; ++part) {
          barrier_wait(ring.full + ring.slot, ring.parity);
          wgmma_fence();
          multiply_registers(acc, fragments, part * 4, b_address + ring.slot * stage_bytes);
          wgmma_commit();
          if (part > 0) {
            wgmma_wait<1>();
            if (thread == 0) barrier_arrive(ring.empty + previous);
          }
          previous = ring.slot;
          ring.advance(shape.stages);
        }
      }
      for (int begin = register_groups, part = mixed ? 1 : 0; begin < shape.groups;
           begin += shape.stage_groups, ++part) {
        const int count = min(shape.stage_groups, shape.groups - begin);
        std::uint32_t from = a_address + (begin - register_groups) * shape.a_group_bytes;
        if constexpr (chunked) {
          // A's stage goes with B's. Two buffers: the one written now was read two stages ago, see the wait below.
          const int buffer = part % 2 * shape.chunk_groups * shape.a_group_bytes;
          // A few stages ahead in these rows, or the first stages of the next tile's rows.
          const int column = (begin + chunks_ahead * shape.chunk_groups) * group_slots + thread % 2 * line;
          const T* next = column < a.d ? here : ahead;
          const int next_column = column < a.d ? column : column - a.d;
          if (next != nullptr && next_column < a.d) prefetch_line(next + next_column);
          TileLoader<T> chunk{a, factor, loader.shared + buffer, shape.a_group_bytes, {}, {}};
          chunk.load(begin, begin + count, source, true);
          if (tile == 0) {
            for (int pass = 0; pass < 2; ++pass) {
              loader.norm2[pass] += chunk.norm2[pass];
              loader.error2[pass] += chunk.error2[pass];
            }
          }
          fence_shared_for_async();
          warpgroup_barrier(1 + warpgroup);
          from = a_address + buffer;
        }
        if (!shape.resident || round == 0) barrier_wait(ring.full + ring.slot, ring.parity);
        wgmma_fence();
        multiply_stage<columns>(acc, from, shape.a_group_bytes, b_address + ring.slot * stage_bytes, count,
                                norms_first || part > 0);
        wgmma_commit();
        if (chunked || !shape.resident) {
          if (part > 0) {
            wgmma_wait<1>();
            if (!shape.resident && thread == 0) barrier_arrive(ring.empty + previous);
          }
          if (chunked) warpgroup_barrier(1 + warpgroup);
        }
        previous = ring.slot;
        ring.advance(shape.stages);
      }
      wgmma_wait<0>();
      if (!shape.resident && thread == 0) barrier_arrive(ring.empty + previous);
      if (chunked && tile == 0) exchange_bounds(nothing, nothing);
      if constexpr (collect) {
        take_candidates<columns>(acc, tile * columns, a.k, a.queue, row0 + my_row, static_cast<int>(rows));
      } else {
        take_scores<columns>(acc, tile * columns, state);
      }
    }
    if constexpr (!collect) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const RowEnd end = merge_quad(state[half]);
        if (thread % 4 == 0 && my_row + 8 * half < rows_here)
          end_row(a, row0 + my_row + 8 * half, end, state[half].twice_bound);
      }
    }
  }
#endif
}

}  // namespace tilelearn::kmeans::cuda
