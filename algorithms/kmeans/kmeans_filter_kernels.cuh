// Kernels of the filter: preparing the centres, and the fused score and argmax. See kmeans_filter.cuh for the bound.
#pragma once

#include "kmeans/kmeans_filter.cuh"
#include "kmeans/kmeans_wgmma.cuh"

namespace tilelearn::kmeans::cuda {

/// Score of the columns that pad k to whole tiles. Rows whose best score is not above it are compared in full.
inline constexpr float padding_score = -60000.0f;
/// |c~| after scaling is under 2^7, so that |c~|^2 / 2 fits float16.
inline constexpr int norm_bits = 7;

/// c - m of the formulas, as both operands see it.
__device__ inline float centred(float value, float mean, double /*data_scale*/) { return value - mean; }
__device__ inline float centred(double value, double mean, double data_scale) {
  return static_cast<float>(value * data_scale - mean * data_scale);
}

__device__ inline double block_sum(double value) {
  __shared__ double part[32];
  for (int h = 16; h > 0; h /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, h);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) value += part[i];
  return value;
}

__device__ inline void atomic_max(double* address, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// scale->largest_norm = max over centres of |c - m|. One block a centre; scale is zero before.
template <typename T>
__global__ void largest_centre_norm(const T* centers, int d, const T* mean, double data_scale, FilterScale* scale,
                                    const LoopState* state) {
  if (!is_running(state)) return;
  double sum = 0;
  for (int j = threadIdx.x; j < d; j += blockDim.x) {
    const double c = centred(centers[std::int64_t{blockIdx.x} * d + j], mean[j], data_scale);
    sum = fma(c, c, sum);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomic_max(&scale->largest_norm, sqrt(sum));
}

/// Power of two g with |c~| < 2^norm_bits for all centres.
__device__ inline float filter_factor(double largest_norm) {
  if (!(largest_norm > 0.0)) return 1.0f;
  const int exponent = norm_bits - 1 - ilogb(largest_norm);
  return static_cast<float>(scalbn(1.0, min(max(exponent, -120), 120)));
}

/// The slots of one centre (or of a padding column) into B, and its rounding error into scale->largest_error.
/// One block a column of B.
template <typename T, bool split>
__global__ void prepare_centres(const T* centers, int k, int d, const T* mean, double data_scale, int tile_columns,
                                int groups, __half* B, FilterScale* scale, const LoopState* state) {
  if (!is_running(state)) return;
  const int column = blockIdx.x;
  const float factor = filter_factor(scale->largest_norm);
  __half* slots = B + (std::int64_t{column / tile_columns} * groups * tile_columns + column % tile_columns) * group_slots;
  const auto slot = [&](int s) -> __half& {
    return slots[std::int64_t{s / group_slots} * tile_columns * group_slots + s % group_slots];
  };
  double norm = 0;
  double error = 0;
  for (int s = threadIdx.x; s < groups * group_slots; s += blockDim.x) slot(s) = __half(0.0f);
  __syncthreads();
  for (int j = threadIdx.x; j < d && column < k; j += blockDim.x) {
    const float c = centred(centers[std::int64_t{column} * d + j], mean[j], data_scale) * factor;
    const __half high = __float2half_rn(c);
    const float rest = c - __half2float(high);
    const __half low = __float2half_rn(split ? rest : 0.0f);
    const double missing = double{rest} - __half2float(low);
    norm = fma(double{c}, double{c}, norm);
    error = fma(missing, missing, error);
    slot(j) = high;
    if (split) {
      slot(split_columns + j) = high;
      slot(2 * split_columns + j) = low;
    }
  }
  norm = block_sum(norm);
  error = block_sum(error);
  if (threadIdx.x != 0) return;
  float rest = column < k ? static_cast<float>(-0.5 * norm) : padding_score;
  const int first = split ? 3 * split_columns : d;
  for (int i = 0; i < norm_slots; ++i) {
    const __half part = __float2half_rn(rest);
    slot(first + i) = part;
    rest -= __half2float(part);
  }
  if (column < k) atomic_max(&scale->largest_error, sqrt(error));
  if (column == 0) scale->factor = factor;
}

/// How a tile of A gets to shared memory: whole rows, whole rows of split values, or a stage's width at a time.
enum class Operand : std::uint8_t { whole, split, chunked };

/// Twice the bound B for a row with |x^|^2 and |x~ - x^|^2.
template <bool split>
__device__ inline float twice_bound(float norm2, float error2, float largest, float largest_error, int groups) {
  // Sums of K float16 products in float32, each aligned and truncated to 24 bits or better: K 2^-23 of the terms,
  // and 2^-21 for the roundings of x - m, c - m, the norm's slots and, in split operands, the product of low parts.
  const float rounding = static_cast<float>(groups * group_slots) * 0x1p-23f + (split ? 0x1p-20f : 0x1p-21f);
  const float truth = 0x1p-40f;
  const float x = sqrtf(norm2);
  const float bound = sqrtf(error2) * largest + x * largest_error + rounding * (x * largest + largest * largest) +
                      truth * (norm2 + largest * largest);
  return 2.02f * bound + 1e-30f;
}

#if TILELEARN_HOPPER_DEVICE

/// What a thread knows of one of its rows.
struct RowState {
  float best;         ///< largest score so far
  float twice_bound;  ///< 2 B
  int pick;           ///< the one centre within 2 B of it, or several
};
inline constexpr int several = -1;

template <typename T>
struct TileLoader {
  const FilterArguments<T>& a;
  int groups;
  float factor;
  unsigned char* shared;  ///< this warpgroup's part of A

  /// Eight values of a row from column j, centred and scaled; columns from d on are the slots 1, 1, 1, 0 ...
  __device__ void fetch(const T* row, int j, float (&x)[8]) const {
    if (row == nullptr) {
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = 0.0f;
      return;
    }
    constexpr int vector = 16 / sizeof(T);
    if (j + 8 <= a.d && a.d % vector == 0) {
      using Vector = std::conditional_t<sizeof(T) == 4, float4, double2>;
      T raw[8];
      T mean[8];
#pragma unroll
      for (int i = 0; i < 8; i += vector) {
        *reinterpret_cast<Vector*>(raw + i) = __ldg(reinterpret_cast<const Vector*>(row + j + i));
        *reinterpret_cast<Vector*>(mean + i) = __ldg(reinterpret_cast<const Vector*>(a.mean + j + i));
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = centred(raw[i], mean[i], a.data_scale) * factor;
      return;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int column = j + i;
      x[i] = column < a.d ? centred(__ldg(row + column), __ldg(a.mean + column), a.data_scale) * factor
                          : (column < a.d + norm_slots ? 1.0f : 0.0f);
    }
  }

  __device__ void store(int row, int group, const __half2 (&h)[4]) const {
    *reinterpret_cast<uint4*>(shared + group * a_group_bytes + row * 16) = *reinterpret_cast<const uint4*>(h);
  }

  /// Rounds eight slots, stores them, adds to |x^|^2 and |x~ - x^|^2 (slots from d on count for nothing).
  __device__ void round_and_store(const float (&x)[8], int row, int group, int j, float& norm2, float& error2) const {
    __half2 h[4];
    float2 back[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      h[i] = __floats2half2_rn(x[2 * i], x[2 * i + 1]);
      back[i] = __half22float2(h[i]);
      const float error_x = x[2 * i] - back[i].x;
      const float error_y = x[2 * i + 1] - back[i].y;
      error2 = fmaf(error_x, error_x, error2);
      error2 = fmaf(error_y, error_y, error2);
    }
    if (j + group_slots <= a.d) {
#pragma unroll
      for (int i = 0; i < 4; ++i) norm2 = fmaf(back[i].x, back[i].x, fmaf(back[i].y, back[i].y, norm2));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (j + 2 * i < a.d) norm2 = fmaf(back[i].x, back[i].x, norm2);
        if (j + 2 * i + 1 < a.d) norm2 = fmaf(back[i].y, back[i].y, norm2);
      }
    }
    store(row, group, h);
  }

  /// Groups [begin, end) of the tile whose rows `row_of` gives (null: no row), to shared groups 0 ... Four lanes a row,
  /// eight rows a warp, two passes; norm2 and error2 are this thread's parts for its two rows.
  template <typename RowOf>
  __device__ void load_plain(int begin, int end, const RowOf& row_of, float (&norm2)[2], float (&error2)[2]) const {
    const int thread = threadIdx.x % 128;
    const int lane = thread % 4;
    const int row0 = thread / 4;
    const T* source[2] = {row_of(row0), row_of(row0 + 32)};
    for (int group = begin + lane; group < end; group += 8) {
      float x[2][2][8];
#pragma unroll
      for (int u = 0; u < 2; ++u)
#pragma unroll
        for (int pass = 0; pass < 2; ++pass)
          if (group + 4 * u < end) fetch(source[pass], (group + 4 * u) * group_slots, x[u][pass]);
#pragma unroll
      for (int u = 0; u < 2; ++u)
#pragma unroll
        for (int pass = 0; pass < 2; ++pass)
          if (group + 4 * u < end)
            round_and_store(x[u][pass], row0 + 32 * pass, group + 4 * u - begin, (group + 4 * u) * group_slots,
                            norm2[pass], error2[pass]);
    }
  }

  /// The split operand of a row: two threads a row, one for each group of 8 slots.
  template <typename RowOf>
  __device__ void load_split(const RowOf& row_of, float& norm2, float& error2) const {
    const int thread = threadIdx.x % 128;
    const int row = thread % tile_rows;
    const int group = thread / tile_rows;
    const T* source = row_of(row);
    __half high[split_columns];
    __half low[split_columns];
#pragma unroll
    for (int j = 0; j < split_columns; ++j) {
      const float x = source != nullptr && j < a.d
                          ? centred(__ldg(source + j), __ldg(a.mean + j), a.data_scale) * factor
                          : 0.0f;
      high[j] = __float2half_rn(x);
      const float rest = x - __half2float(high[j]);
      low[j] = __float2half_rn(rest);
      const float error = rest - __half2float(low[j]);
      norm2 = fmaf(x, x, norm2);
      error2 = fmaf(error, error, error2);
    }
    const __half one(1.0f);
    const __half zero(0.0f);
    const __half2 first[4] = {{high[0], high[1]}, {high[2], high[3]}, {low[0], low[1]}, {low[2], low[3]}};
    const __half2 second[4] = {{high[0], high[1]}, {high[2], high[3]}, {one, one}, {one, zero}};
    if (group == 0) {
      store(row, 0, first);
    } else {
      store(row, 1, second);
    }
  }
};

__device__ inline float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFF, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xFFFFFFFF, value, 2));
}
__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(0xFFFFFFFF, value, 1);
  return value + __shfl_xor_sync(0xFFFFFFFF, value, 2);
}

/// Takes one tile of scores into the state of rows lane / 4 and lane / 4 + 8.
///
/// Two passes over the accumulators: the maximum, then for the scores above max - 2 B the sum of (one + index) on the
/// FMA pipe: saturate((s - threshold) 2^100) is 1 above the threshold and 0 below. A sum in [one, 2 one) names the
/// only candidate.
template <int columns>
__device__ inline void take_scores(const float (&acc)[columns / 2], int first_column, RowState (&rows)[2]) {
  constexpr float one = 4096.0f;
  constexpr float steep = 0x1p100f;
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = fmaxf(acc[2 * half], acc[2 * half + 1]);
#pragma unroll
    for (int i = 1; i < columns / 8; ++i) most = fmaxf(most, fmaxf(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]));
    RowState& row = rows[half];
    const float best = fmaxf(row.best, quad_max(most));
    const float threshold = best - row.twice_bound;
    const float offset = -threshold * steep;
    float sum[2] = {0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < columns / 8; ++i) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const float above = __saturatef(fmaf(acc[4 * i + 2 * half + c], steep, offset));
        sum[c] = fmaf(above, one + static_cast<float>(2 * i + c), sum[c]);
      }
    }
    const float mine = sum[0] + sum[1];
    const int code = static_cast<int>(mine - one);
    const bool single = mine >= one && mine < 2 * one && static_cast<float>(code) == mine - one;
    const float column = one + static_cast<float>(code / 2 * 8 + 2 * lane + code % 2);
    const float total = quad_sum(mine == 0.0f ? 0.0f : single ? column : 4 * one);
    const int pick = total < 2 * one ? first_column + static_cast<int>(total - one) : several;
    if (row.best < threshold) {
      row.pick = pick;
    } else if (total != 0.0f) {
      row.pick = several;
    }
    row.best = best;
  }
}

/// Adds the centres of this tile that reach a queued row's threshold to its candidates.
template <int columns>
__device__ inline void take_candidates(const float (&acc)[columns / 2], int first_column, int k,
                                       const float (&threshold)[2], const std::uint32_t (&entry)[2],
                                       const Queue& queue) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (entry[half] >= queue.candidate_capacity) continue;
#pragma unroll
    for (int i = 0; i < columns / 2; ++i) {
      if ((i / 2) % 2 != half || !(acc[i] >= threshold[half])) continue;
      const int column = first_column + i / 4 * 8 + 2 * lane + i % 2;
      if (column >= k) continue;
      const std::uint32_t place = atomicAdd(queue.candidate_count + entry[half], 1u);
      if (place < most_candidates) queue.candidate[std::uint64_t{entry[half]} * most_candidates + place] = column;
    }
  }
}

#endif

/// One warp brings stages of B (bulk copies, a ring in shared memory); each of the other warpgroups takes tiles of 64
/// rows: loads and rounds them to float16 in shared memory, multiplies with every tile of B, keeps best score and
/// candidates in registers. Bytes: X once, B from L2 once for every tile of rows of a block.
/// `collect`: rows come from the queue and their candidates are written.
template <typename T, int columns, bool collect, Operand operand>
__global__ void __launch_bounds__(416, 1) score_rows(FilterArguments<T> a, FilterShape shape) {
#if TILELEARN_HOPPER_DEVICE
  using namespace hopper;
  constexpr bool split = operand == Operand::split;
  constexpr bool chunked = operand == Operand::chunked;
  if (!is_running(a.state)) return;
  const std::int64_t rows = collect ? static_cast<std::int64_t>(*a.queue.count) : a.rows;
  const std::int64_t row_tiles = (rows + tile_rows - 1) / tile_rows;
  const int warpgroups = shape.warpgroups;
  const std::int64_t step = std::int64_t{gridDim.x} * warpgroups;
  if (std::int64_t{blockIdx.x} * warpgroups >= row_tiles) return;

  extern __shared__ __align__(128) unsigned char shared[];
  auto* full = reinterpret_cast<std::uint64_t*>(shared);
  std::uint64_t* empty = full + shape.stages;
  const std::uint32_t stage_bytes = shape.stage_groups * columns * 16;
  unsigned char* ring = shared + (2 * shape.stages * 8 + 127) / 128 * 128;
  unsigned char* operands = ring + shape.stages * stage_bytes;
  const int stages_a_tile = (shape.groups + shape.stage_groups - 1) / shape.stage_groups;
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < shape.stages; ++s) {
      barrier_init(full + s, 1);
      barrier_init(empty + s, warpgroups);
    }
    barrier_init_fence();
  }
  __syncthreads();

  const auto groups_of_stage = [&](int part) {
    return min(shape.stage_groups, shape.groups - part * shape.stage_groups);
  };
  // Every warpgroup of a block makes the same number of rounds, so that it frees every stage.
  const std::int64_t rounds = (row_tiles - std::int64_t{blockIdx.x} * warpgroups + step - 1) / step;

  if (warpgroup == warpgroups) {
    if (threadIdx.x % 128 != 0) return;
    int slot = 0;
    std::uint32_t parity = 1;
    for (std::int64_t round = 0; round < (shape.resident ? 1 : rounds); ++round) {
      for (int tile = 0; tile < shape.tiles; ++tile) {
        for (int part = 0; part < stages_a_tile; ++part) {
          if (!shape.resident) barrier_wait(empty + slot, parity);
          const std::uint32_t bytes = groups_of_stage(part) * columns * 16;
          const unsigned char* from = reinterpret_cast<const unsigned char*>(a.B) +
                                      (std::int64_t{tile} * shape.groups + part * shape.stage_groups) * columns * 16;
          barrier_expect(full + slot, bytes);
          bulk_copy(ring + slot * stage_bytes, from, bytes, full + slot);
          if (++slot == shape.stages) {
            slot = 0;
            parity ^= 1;
          }
        }
      }
    }
    return;
  }

  const int warp = threadIdx.x % 128 / 32;
  const int quad = threadIdx.x % 32 / 4;
  unsigned char* mine = operands + warpgroup * (chunked ? 2 : 1) * shape.chunk_groups * a_group_bytes;
  auto* row_bound = reinterpret_cast<float*>(operands + warpgroups * (chunked ? 2 : 1) * shape.chunk_groups * a_group_bytes) +
                    warpgroup * tile_rows;
  const float factor = a.scale->factor;
  const auto largest = static_cast<float>(a.scale->largest_norm * factor * 1.000001);
  const auto largest_error = static_cast<float>(a.scale->largest_error * 1.000001);

  int slot = 0;
  std::uint32_t parity = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t row_tile = std::int64_t{blockIdx.x} * warpgroups + warpgroup + round * step;
    const std::int64_t row0 = row_tile * tile_rows;
    const auto row_of = [&](int r) -> const T* {
      const std::int64_t row = row0 + r;
      if (row >= rows) return nullptr;
      return a.X + (collect ? std::int64_t{a.queue.row[row]} : row) * a.d;
    };
    if (!collect && threadIdx.x % 128 == 0) {
      const std::int64_t next = row0 + step * tile_rows;
      const std::int64_t count = min(std::int64_t{tile_rows}, a.rows - next);
      const auto address = reinterpret_cast<std::uintptr_t>(a.X + next * a.d);
      const std::int64_t bytes = count > 0 ? count * a.d * std::int64_t{sizeof(T)} / 16 * 16 : 0;
      if (bytes > 0 && address % 16 == 0) prefetch_to_l2(reinterpret_cast<const void*>(address), static_cast<std::uint32_t>(bytes));
    }
    RowState state[2];
    float norm2[2] = {0.0f, 0.0f};
    float error2[2] = {0.0f, 0.0f};
    std::uint32_t entry[2];
    float threshold[2];
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = row0 + warp * 16 + quad + 8 * half;
      state[half] = {-INFINITY, 0.0f, several};
      entry[half] = row < rows ? static_cast<std::uint32_t>(row) : 0xFFFFFFFF;
      threshold[half] = collect && row < rows ? a.queue.threshold[row] : INFINITY;
    }
    const TileLoader<T> loader{a, shape.groups, factor, mine};
    // Bounds of the rows, from the thread parts; read back by the lanes that hold the rows' scores.
    const auto publish_bounds = [&] {
      const int thread = threadIdx.x % 128;
      if constexpr (split) {
        if (thread < tile_rows)
          row_bound[thread] = twice_bound<split>(norm2[0], error2[0], largest, largest_error, shape.groups);
      } else {
        for (int pass = 0; pass < 2; ++pass) {
          const float n2 = quad_sum(norm2[pass]);
          const float e2 = quad_sum(error2[pass]);
          if (thread % 4 == 0)
            row_bound[thread / 4 + 32 * pass] = twice_bound<split>(n2, e2, largest, largest_error, shape.groups);
        }
      }
    };
    const auto read_bounds = [&] {
      for (int half = 0; half < 2; ++half) state[half].twice_bound = row_bound[warp * 16 + quad + 8 * half];
    };
    if constexpr (!chunked) {
      warpgroup_barrier(1 + warpgroup);  // the scores of the tile before are done with A
      if constexpr (split) {
        loader.load_split(row_of, norm2[0], error2[0]);
      } else {
        loader.load_plain(0, shape.groups, row_of, norm2, error2);
      }
      publish_bounds();
      fence_shared_for_async();
      warpgroup_barrier(1 + warpgroup);
      read_bounds();
    }

    float acc[columns / 2];
    for (int tile = 0; tile < shape.tiles; ++tile) {
      int previous = -1;
      for (int part = 0; part < stages_a_tile; ++part) {
        const int begin = part * shape.stage_groups;
        const int count = groups_of_stage(part);
        unsigned char* A = mine + begin * a_group_bytes;
        if constexpr (chunked) {
          // A stage of A goes with each stage of B; two buffers, the one written now was read two stages ago.
          A = mine + (part % 2) * shape.chunk_groups * a_group_bytes;
          float ignored[2][2] = {};
          const TileLoader<T> chunk{a, shape.groups, factor, A};
          chunk.load_plain(begin, begin + count, row_of, tile == 0 ? norm2 : ignored[0], tile == 0 ? error2 : ignored[1]);
          fence_shared_for_async();
          warpgroup_barrier(1 + warpgroup);
        }
        barrier_wait(full + slot, shape.resident ? 0 : parity);
        const std::uint32_t a_address = shared_address(A);
        const std::uint32_t b_address = shared_address(ring + slot * stage_bytes);
        wgmma_fence();
        for (int g = 0; g < count; g += 2)
          Wgmma<columns>::multiply(acc, descriptor(a_address + g * a_group_bytes, a_group_bytes, 128),
                                   descriptor(b_address + g * columns * 16, columns * 16, 128), part > 0 || g > 0);
        wgmma_commit();
        if (previous >= 0) {
          wgmma_wait<1>();
          if (!shape.resident && threadIdx.x % 128 == 0) barrier_arrive(empty + previous);
        }
        if (chunked) warpgroup_barrier(1 + warpgroup);  // the stage before is read: its buffer may be written
        previous = slot;
        if (++slot == shape.stages || (shape.resident && part == stages_a_tile - 1 && tile == shape.tiles - 1)) {
          slot = 0;
          parity ^= 1;
        }
      }
      wgmma_wait<0>();
      if (!shape.resident && threadIdx.x % 128 == 0) barrier_arrive(empty + previous);
      if (chunked && tile == 0) {
        publish_bounds();
        warpgroup_barrier(1 + warpgroup);
        read_bounds();
      }
      if (collect) {
        take_candidates<columns>(acc, tile * columns, a.k, threshold, entry, a.queue);
      } else {
        take_scores<columns>(acc, tile * columns, state);
      }
      if (chunked) warpgroup_barrier(1 + warpgroup);
    }

    for (int half = 0; half < 2; ++half) {
      if (threadIdx.x % 4 != 0 || entry[half] == 0xFFFFFFFF) continue;
      if (collect) {
        if (entry[half] < a.queue.candidate_capacity && isnan(threshold[half]))
          a.queue.candidate_count[entry[half]] = most_candidates + 1;
        continue;
      }
      const RowState& row = state[half];
      const bool certain = row.twice_bound < INFINITY && row.best > padding_score + row.twice_bound + 1.0f;
      if (certain && row.pick >= 0 && row.pick < a.k) {
        a.labels[row0 + warp * 16 + quad + 8 * half] = row.pick;
      } else {
        const std::uint32_t place = atomicAdd(a.queue.count, 1u);
        a.queue.row[place] = entry[half];
        a.queue.threshold[place] = certain ? row.best - row.twice_bound : NAN;
      }
    }
  }
#endif
}

}  // namespace tilelearn::kmeans::cuda
