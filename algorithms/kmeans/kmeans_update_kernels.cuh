// Kernels of the update: moving rows between cluster sums, new centres, the end of an iteration.
#pragma once

#include "core/fixed_point.hpp"
#include "kmeans/kmeans_formulas.hpp"
#include "kmeans/kmeans_update.cuh"

namespace tilelearn::kmeans::cuda {

using Word = unsigned long long;

__device__ inline void add_word(std::int64_t* place, std::int64_t value) {
  atomicAdd(reinterpret_cast<Word*>(place), static_cast<Word>(value));
}

/// Adds rows straight to the sums in global memory: two 64-bit words a value.
template <typename T>
struct GlobalAdder {
  Rows<T> rows;
  Sums sums;

  __device__ void add(std::int64_t row, int j, T x, std::int32_t from, std::int32_t to) const {
    const double y = rows.weight(row) * (double{x} * rows.scale);
    const double scaled = y * sums.factor[j];
    const double high = rint(scaled);
    put(sums.high, j, static_cast<std::int64_t>(high), from, to);
    if (sums.low != nullptr && sums.low_factor[j] != 0.0)
      put(sums.low, j, static_cast<std::int64_t>(rint((scaled - high) * sums.low_factor[j])), from, to);
  }

  __device__ void add_weight(std::int64_t row, std::int32_t from, std::int32_t to) const {
    if (rows.weights == nullptr) {
      add_word(sums.weight_high + to, 1);
      if (from >= 0) add_word(sums.weight_high + from, -1);
      return;
    }
    const double scaled = rows.weights[row] * fixed_point::grid_factor(0);
    const double high = rint(scaled);
    const auto low = static_cast<std::int64_t>(rint((scaled - high) * fixed_point::low_factor));
    add_word(sums.weight_high + to, static_cast<std::int64_t>(high));
    add_word(sums.weight_low + to, low);
    if (from < 0) return;
    add_word(sums.weight_high + from, -static_cast<std::int64_t>(high));
    add_word(sums.weight_low + from, -low);
  }

 private:
  __device__ void put(std::int64_t* words, int j, std::int64_t value, std::int32_t from, std::int32_t to) const {
    add_word(words + std::int64_t{to} * rows.d + j, value);
    if (from >= 0) add_word(words + std::int64_t{from} * rows.d + j, -value);
  }
};

/// Adds rows to sums in shared memory. A value is one 31-bit word, held as 16 low bits (unsigned) and the rest above
/// in two 32-bit sums: integer atomics of 32 bits run at full rate there. Exact for up to 2^16 rows between flushes.
struct SharedAdder {
  std::uint32_t* high;  ///< k d words, value >> 16
  std::uint32_t* low;   ///< k d words, value & 0xFFFF
  std::int32_t* count;  ///< k
  const double* factor;
  int d;

  __device__ void add(std::int64_t /*row*/, int j, float x, std::int32_t from, std::int32_t to) const {
    const int value = __float2int_rn(x * static_cast<float>(factor[j]));
    put(to * d + j, value);
    if (from >= 0) put(from * d + j, -value);
  }

  __device__ void add_weight(std::int64_t /*row*/, std::int32_t from, std::int32_t to) const {
    atomicAdd(count + to, 1);
    if (from >= 0) atomicAdd(count + from, -1);
  }

 private:
  __device__ void put(int cell, int value) const {
    atomicAdd(high + cell, static_cast<std::uint32_t>(value >> 16));
    atomicAdd(low + cell, static_cast<std::uint32_t>(value & 0xFFFF));
  }
};

/// Columns from which a warp takes one row at a time; below, each lane takes its own row.
inline constexpr int wide_row = 16;
/// Rows of one turn of a warp: four labels a lane.
inline constexpr int turn_rows = 128;

/// The rows of a warp's turn whose labels differ, added by `adder`; returns how many this lane saw.
template <typename T, typename Adder>
__device__ int move_turn(const Rows<T>& rows, const Adder& adder, std::int64_t first, std::int32_t* labels,
                         const std::int32_t* new_labels) {
  const int lane = threadIdx.x % 32;
  std::int32_t from[4];
  std::int32_t to[4];
  const std::int64_t mine = first + lane * 4;
  if (mine + 4 <= rows.n) {
    *reinterpret_cast<int4*>(from) = *reinterpret_cast<const int4*>(labels + mine);
    *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(new_labels + mine);
  } else {
    for (int u = 0; u < 4; ++u) {
      from[u] = mine + u < rows.n ? labels[mine + u] : 0;
      to[u] = mine + u < rows.n ? new_labels[mine + u] : 0;
    }
  }
  int moved = 0;
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const std::int64_t row = mine + u;
    if (from[u] != to[u]) labels[row] = to[u];
    const bool moves = from[u] != to[u] && rows.weight(row) > 0.0;
    moved += moves ? 1 : 0;
    if (moves) adder.add_weight(row, from[u], to[u]);
    if (rows.d < wide_row) {
      for (int j = 0; moves && j < rows.d; ++j) adder.add(row, j, rows.X[row * rows.d + j], from[u], to[u]);
      continue;
    }
    for (unsigned mask = __ballot_sync(0xFFFFFFFF, moves); mask != 0;) {
      constexpr int together = 4;  // rows whose loads are in flight at a time
      std::int64_t source[together];
      std::int32_t source_from[together];
      std::int32_t source_to[together];
      int count = 0;
#pragma unroll
      for (int r = 0; r < together; ++r) {
        const int owner = mask != 0 ? __ffs(static_cast<int>(mask)) - 1 : 0;
        source[r] = first + owner * 4 + u;
        source_from[r] = __shfl_sync(0xFFFFFFFF, from[u], owner);
        source_to[r] = __shfl_sync(0xFFFFFFFF, to[u], owner);
        count += mask != 0 ? 1 : 0;
        mask &= mask - 1;
      }
      for (int j = lane; j < rows.d; j += 32) {
        T x[together];
#pragma unroll
        for (int r = 0; r < together; ++r) x[r] = r < count ? rows.X[source[r] * rows.d + j] : T{0};
#pragma unroll
        for (int r = 0; r < together; ++r)
          if (r < count) adder.add(source[r], j, x[r], source_from[r], source_to[r]);
      }
    }
  }
  return moved;
}

__device__ inline void count_moved(int moved, LoopState* state) {
  for (int h = 16; h > 0; h /= 2) moved += __shfl_down_sync(0xFFFFFFFF, moved, h);
  if (threadIdx.x % 32 == 0 && moved > 0) atomicAdd(&state->changed, static_cast<Word>(moved));
}

/// Bytes: both labels once, rows that move once; atomics to global memory.
template <typename T>
__global__ void move_rows_global(Rows<T> rows, Sums sums, std::int32_t* labels, const std::int32_t* new_labels,
                                 LoopState* state) {
  if (!is_running(state)) return;
  const GlobalAdder<T> adder{rows, sums};
  const std::int64_t warps = std::int64_t{gridDim.x} * blockDim.x / 32;
  int moved = 0;
  for (std::int64_t turn = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32; turn * turn_rows < rows.n;
       turn += warps)
    moved += move_turn(rows, adder, turn * turn_rows, labels, new_labels);
  count_moved(moved, state);
}

/// The same with the sums of a block in shared memory: `copies` sets of them, dealt over the warps so that few clusters
/// do not mean many collisions. Flushed every 2^16 rows at the latest.
__global__ void __launch_bounds__(1024, 1)
    move_rows_shared(Rows<float> rows, int k, int copies, Sums sums, std::int32_t* labels,
                     const std::int32_t* new_labels, LoopState* state) {
  if (!is_running(state)) return;
  extern __shared__ std::uint32_t shared_words[];
  const int cells = k * rows.d;
  const int copy_words = 2 * cells + k;
  const int warp = threadIdx.x / 32;
  std::uint32_t* mine = shared_words + warp % copies * copy_words;
  const SharedAdder adder{mine, mine + cells, reinterpret_cast<std::int32_t*>(mine + 2 * cells), sums.factor, rows.d};
  for (int i = threadIdx.x; i < copies * copy_words; i += blockDim.x) shared_words[i] = 0;
  __syncthreads();

  const auto flush = [&] {
    __syncthreads();
    for (int i = threadIdx.x; i < cells + k; i += blockDim.x) {
      std::int64_t sum = 0;
      for (int copy = 0; copy < copies; ++copy) {
        std::uint32_t* words = shared_words + copy * copy_words;
        if (i < cells) {
          sum += std::int64_t{static_cast<std::int32_t>(words[i])} * 65536 + words[cells + i];
          words[cells + i] = 0;
          words[i] = 0;
        } else {
          sum += static_cast<std::int32_t>(words[cells + i]);
          words[cells + i] = 0;
        }
      }
      if (sum != 0) add_word(i < cells ? sums.high + i : sums.weight_high + (i - cells), sum);
    }
    __syncthreads();
  };

  const int warps = blockDim.x / 32;
  const std::int64_t block_turn_rows = std::int64_t{warps} * turn_rows;
  const int turns_a_flush = static_cast<int>(65536 / block_turn_rows);
  int moved = 0;
  int turns = 0;
  for (std::int64_t first = blockIdx.x * block_turn_rows; first < rows.n; first += gridDim.x * block_turn_rows) {
    if (turns == turns_a_flush) {
      flush();
      turns = 0;
    }
    ++turns;
    // The count of copied cells: words[cells + i] for i >= cells is count[i - cells], which lies after low.
    if (first + warp * turn_rows < rows.n)
      moved += move_turn(rows, adder, first + warp * turn_rows, labels, new_labels);
  }
  flush();
  count_moved(moved, state);
}

/// Rows into empty clusters, one after the other: a block, columns over threads.
template <typename T>
__global__ void relocate_rows(Rows<T> rows, Sums sums, const Relocation* moves, int count, LoopState* state,
                              int relocated) {
  const GlobalAdder<T> adder{rows, sums};
  for (int m = 0; m < count; ++m) {
    const Relocation move = moves[m];
    for (int j = threadIdx.x; j < rows.d; j += blockDim.x)
      adder.add(move.row, j, rows.X[move.row * rows.d + j], move.from, move.to);
    if (threadIdx.x == 0) adder.add_weight(move.row, move.from, move.to);
  }
  if (threadIdx.x == 0 && state != nullptr) state->relocated = relocated;
}

/// One block a cluster: its new centre, and the squared distance from the old one (columns ascending, one thread).
template <typename T>
__global__ void new_centres(Rows<T> rows, Sums sums, const T* old_centers, T* centers, double* shifts,
                            LoopState* state) {
  if (!is_running(state)) return;
  __shared__ double step[chunk_rows];
  const int cluster = blockIdx.x;
  const fixed_point::Words weight{sums.weight_high[cluster], sums.weight_low[cluster]};
  const bool empty = weight.high == 0 && weight.low == 0;
  const double divisor = rows.weights == nullptr ? static_cast<double>(weight.high)
                                                 : fixed_point::value(weight, fixed_point::grid_factor(0));
  double shift = 0.0;
  for (int begin = 0; begin < rows.d; begin += chunk_rows) {
    const int count = min(chunk_rows, rows.d - begin);
    for (int j = threadIdx.x; j < count; j += blockDim.x) {
      const std::int64_t i = std::int64_t{cluster} * rows.d + begin + j;
      const fixed_point::Words sum{sums.high[i], sums.low == nullptr ? 0 : sums.low[i]};
      const T old = old_centers[i];
      const T centre =
          empty ? old : static_cast<T>(fixed_point::value(sum, sums.factor[begin + j]) / divisor / rows.scale);
      centers[i] = centre;
      step[j] = double{centre} * rows.scale - double{old} * rows.scale;
    }
    __syncthreads();
    if (threadIdx.x == 0)
      for (int j = 0; j < count; ++j) shift = fma(step[j], step[j], shift);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  shifts[cluster] = shift;
  if (empty) atomicAdd(&state->empty, Word{1});
}

/// One block: tree_sum of the shifts, then how the loop goes on. shifts is overwritten.
__global__ void decide_iteration(double* shifts, int k, double tolerance, bool allow_empty, LoopState* state) {
  if (!is_running(state)) return;
  __shared__ double part[chunk_rows];
  for (int n = k; n > 1; n = (n + chunk_rows - 1) / chunk_rows) {
    for (int block = 0; block * chunk_rows < n; ++block) {
      const int i = block * chunk_rows + threadIdx.x;
      part[threadIdx.x] = i < n ? shifts[i] : 0.0;
      __syncthreads();
      for (int h = chunk_rows / 2; h > 0; h /= 2) {
        if (static_cast<int>(threadIdx.x) < h) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + h];
        __syncthreads();
      }
      if (threadIdx.x == 0) shifts[block] = part[0];
      __syncthreads();
    }
  }
  if (threadIdx.x != 0) return;
  if (state->empty > 0 && !allow_empty) {
    state->status = LoopStatus::has_empty;
    return;
  }
  const bool strict = state->changed == 0 && state->relocated == 0;
  state->shift = shifts[0];
  state->strict = strict ? 1 : 0;
  if (strict || shifts[0] <= tolerance) state->status = LoopStatus::converged;
  state->iteration += 1;
  state->changed = 0;
  state->empty = 0;
  state->relocated = 0;
}

}  // namespace tilelearn::kmeans::cuda
