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

/// The slots of one centre (or of a padding column) into B, -|c~|^2 / 2 into norms, its rounding error into
/// scale->largest_error, and -m g into shift. One block a column of B.
template <typename T>
__global__ void prepare_centres(const T* centers, int k, int d, const T* mean, double data_scale, int tile_columns,
                                int groups, bool norms_in_slots, __half* B, float* norms, float* shift,
                                FilterScale* scale, const LoopState* state) {
  if (!is_running(state)) return;
  const int column = blockIdx.x;
  const float factor = filter_factor(scale->largest_norm);
  __half* slots = B + (std::int64_t{column / tile_columns} * groups * tile_columns + column % tile_columns) * group_slots;
  const auto slot = [&](int s) -> __half& {
    return slots[std::int64_t{s / group_slots} * tile_columns * group_slots + s % group_slots];
  };
  for (int j = threadIdx.x; j < d && column == 0; j += blockDim.x)
    shift[j] = -static_cast<float>(mean[j] * data_scale) * factor;
  double norm = 0;
  double error = 0;
  for (int s = threadIdx.x; s < groups * group_slots; s += blockDim.x) slot(s) = __half(0.0f);
  __syncthreads();
  for (int j = threadIdx.x; j < d && column < k; j += blockDim.x) {
    const float c = centred(centers[std::int64_t{column} * d + j], mean[j], data_scale) * factor;
    const __half high = __float2half_rn(c);
    const float rest = c - __half2float(high);
    norm = fma(double{c}, double{c}, norm);
    error = fma(double{rest}, double{rest}, error);
    slot(j) = high;
  }
  norm = block_sum(norm);
  error = block_sum(error);
  if (threadIdx.x != 0) return;
  float rest = column < k ? static_cast<float>(-0.5 * norm) : padding_score;
  norms[column] = rest;
  for (int i = 0; i < norm_slots && norms_in_slots; ++i) {
    const __half part = __float2half_rn(rest);
    slot(d + i) = part;
    rest -= __half2float(part);
  }
  if (column < k) atomic_max(&scale->largest_error, sqrt(error));
  if (column == 0) scale->factor = factor;
}

/// Where a tile of A is: whole rows in shared memory, a stage's width of them at a time, or the first columns in
/// registers and the others in shared memory.
enum class Operand : std::uint8_t { whole, chunked, mixed };

/// Threads of a block: fewer where they hold part of A.
constexpr int score_threads(Operand operand) { return (operand == Operand::mixed ? 2 : 3) * 128 + 32; }

/// Twice the bound B for a row with |x^|^2 and |x~ - x^|^2.
__device__ inline float twice_bound(float norm2, float error2, float largest, float largest_error, int groups) {
  // Sums of K float16 products in float32, each aligned and truncated to 24 bits or better: K 2^-23 of the terms,
  // and 2^-21 for the roundings of x - m, c - m and the norm's slots.
  const float rounding = static_cast<float>(groups * group_slots) * 0x1p-23f + 0x1p-21f;
  const float truth = 0x1p-40f;
  const auto root = [](float square) {
    float result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(square));  // within 2^-22; the factor 2.02 covers it
    return result;
  };
  const float x = root(norm2);
  const float bound = root(error2) * largest + x * largest_error + rounding * (x * largest + largest * largest) +
                      truth * (norm2 + largest * largest);
  return 2.02f * bound + 1e-30f;
}

#if TILELEARN_HOPPER_DEVICE

/// What a thread knows of one of its rows from the columns it holds, a quarter of all: the quads are merged at the end.
struct RowState {
  float best;         ///< largest score so far
  float twice_bound;  ///< 2 B
  float code;         ///< one + place of the only score within 2 B of it in its tile; other sums: several
  int first_column;   ///< of that tile
};
/// Code of a score above the threshold before its place is added.
inline constexpr float one = 4096.0f;
inline constexpr float several = 4 * one;

/// Brings a tile of 64 rows to shared memory as float16. Four lanes a row, eight rows a warp, two passes: a thread has
/// rows thread / 4 and thread / 4 + 32, and of each every fourth group of 8 slots.
template <typename T>
struct TileLoader {
  const FilterArguments<T>& a;
  float factor;
  unsigned char* shared;  ///< this warpgroup's part of A
  int group_bytes;        ///< from one group of A to the next
  float norm2[2];         ///< |x^|^2, this thread's part for its two rows
  float error2[2];        ///< |x~ - x^|^2 likewise

  __device__ void clear() { norm2[0] = norm2[1] = error2[0] = error2[1] = 0.0f; }

  /// Groups [begin, end) of the rows at source[0], source[1] (null: no row) to shared groups 0 ... Groups that hold no
  /// column are left out unless `constants` are asked for.
  __device__ void load(int begin, int end, const T* const (&source)[2], bool constants) {
    const int thread = threadIdx.x % 128;
    const int whole = a.whole_groups < end ? a.whole_groups : end;
    int group = begin + thread % 4;
    unsigned char* place = shared + (thread % 4) * group_bytes + thread / 4 * 16;
    for (; group < whole; group += 8, place += 8 * group_bytes) {
      T raw[2][2][8];
      fetch(source, group, raw[0]);
      const bool two = group + 4 < whole;
      if (two) fetch(source, group + 4, raw[1]);
      convert(raw[0], group, place);
      if (two) convert(raw[1], group + 4, place + 4 * group_bytes);
    }
    if (whole == end || (!constants && whole * group_slots >= a.d)) return;
    for (group = whole + (begin + thread % 4 - whole % 4 + 4) % 4; group < end; group += 4)
      if (group >= begin)
        for (int pass = 0; pass < 2; ++pass)
          load_slots(source[pass], pass, group, shared + (group - begin) * group_bytes + (thread / 4 + 32 * pass) * 16);
  }

 private:
  /// Whole groups of both rows, 16 bytes a load.
  __device__ void fetch(const T* const (&source)[2], int group, T (&raw)[2][8]) const {
    constexpr int vector = 16 / sizeof(T);
    using Vector = std::conditional_t<sizeof(T) == 4, float4, double2>;
#pragma unroll
    for (int pass = 0; pass < 2; ++pass)
#pragma unroll
      for (int i = 0; i < 8; i += vector)
        *reinterpret_cast<Vector*>(raw[pass] + i) =
            source[pass] != nullptr ? __ldg(reinterpret_cast<const Vector*>(source[pass] + group * group_slots + i)) : Vector{};
  }

  /// (x - m) g: float data by one fma with -m g, which is exact but for its one rounding.
  __device__ float place_value(float x, float shift, double /*mean*/) const { return fmaf(x, factor, shift); }
  __device__ float place_value(double x, float /*shift*/, double mean) const {
    return centred(x, mean, a.data_scale) * factor;
  }

  __device__ void convert(const T (&raw)[2][8], int group, unsigned char* place) {
    const int j = group * group_slots;
    float shift[8];
    double mean[8];
    if constexpr (sizeof(T) == sizeof(float)) {
      *reinterpret_cast<float4*>(shift) = __ldg(reinterpret_cast<const float4*>(a.shift + j));
      *reinterpret_cast<float4*>(shift + 4) = __ldg(reinterpret_cast<const float4*>(a.shift + j + 4));
    } else {
#pragma unroll
      for (int i = 0; i < 8; ++i) mean[i] = __ldg(a.mean + j + i);
    }
#pragma unroll
    for (int pass = 0; pass < 2; ++pass) {
      __half2 h[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float x = place_value(raw[pass][2 * i], shift[2 * i], mean[2 * i]);
        const float y = place_value(raw[pass][2 * i + 1], shift[2 * i + 1], mean[2 * i + 1]);
        h[i] = __floats2half2_rn(x, y);
        take(pass, x, __low2float(h[i]));
        take(pass, y, __high2float(h[i]));
      }
      *reinterpret_cast<uint4*>(place + pass * 32 * 16) = *reinterpret_cast<const uint4*>(h);
    }
  }

  __device__ void take(int pass, float x, float rounded) {
    const float error = x - rounded;
    norm2[pass] = fmaf(rounded, rounded, norm2[pass]);
    error2[pass] = fmaf(error, error, error2[pass]);
  }

  /// One group slot by slot: columns up to d, then 1, 1, 1, 0 ...
  __device__ void load_slots(const T* row, int pass, int group, unsigned char* place) {
    __half h[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int j = group * group_slots + i;
      if (j >= a.d) {
        h[i] = __half(j < a.d + norm_slots ? 1.0f : 0.0f);
        continue;
      }
      const float x = row == nullptr ? 0.0f : centred(__ldg(row + j), __ldg(a.mean + j), a.data_scale) * factor;
      h[i] = __float2half_rn(x);
      take(pass, x, __half2float(h[i]));
    }
    *reinterpret_cast<uint4*>(place) = *reinterpret_cast<const uint4*>(h);
  }
};

__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(0xFFFFFFFF, value, 1);
  return value + __shfl_xor_sync(0xFFFFFFFF, value, 2);
}

/// a b + c, clamped to [0, 1].
__device__ inline float saturating_fma(float a, float b, float c) {
  float result;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}

/// Takes one tile of scores into the state of rows lane / 4 and lane / 4 + 8.
///
/// Two passes over the accumulators: the maximum, then for the scores above max - 2 B the sum of (one + place) on the
/// FMA pipe: saturate((s - threshold) 2^100) is 1 above the threshold and 0 below. A sum in [one, 2 one) names the
/// only candidate.
template <int columns>
__device__ inline void take_scores(const float (&acc)[columns / 2], int first_column, RowState (&rows)[2]) {
  constexpr float steep = 0x1p100f;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float most = fmaxf(acc[2 * half], acc[2 * half + 1]);
#pragma unroll
    for (int i = 1; i < columns / 8; ++i) most = fmaxf(most, fmaxf(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]));
    RowState& row = rows[half];
    const float best = fmaxf(row.best, most);
    const float threshold = best - row.twice_bound;
    const float offset = -threshold * steep;
    float sum[2] = {0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < columns / 8; ++i)
#pragma unroll
      for (int c = 0; c < 2; ++c)
        sum[c] = fmaf(saturating_fma(acc[4 * i + 2 * half + c], steep, offset), one + static_cast<float>(2 * i + c), sum[c]);
    const float code = sum[0] + sum[1];
    const bool anew = row.best < threshold;  // what was found before is out of reach
    row.code = anew ? code : code != 0.0f ? several : row.code;
    row.first_column = anew ? first_column : row.first_column;
    row.best = best;
  }
}

/// The one column of a lane's code, or -1.
__device__ inline int column_of(const RowState& row) {
  const int place = static_cast<int>(row.code - one);
  if (!(row.code >= one && row.code < 2 * one) || static_cast<float>(place) != row.code - one) return -1;
  return row.first_column + place / 2 * 8 + 2 * static_cast<int>(threadIdx.x % 4) + place % 2;
}

/// The first columns of a warp's sixteen rows as float16 in registers, in the layout of Wgmma<128>::multiply.
template <typename T>
struct Fragments {
  std::uint32_t a[register_steps][4];
  float norm2[2];   ///< |x^|^2 of this lane's columns of rows lane / 4 and lane / 4 + 8
  float error2[2];  ///< |x~ - x^|^2 likewise

  __device__ void load(const FilterArguments<T>& arguments, float factor, const T* const (&source)[2]) {
    const int q = threadIdx.x % 4;
    norm2[0] = norm2[1] = error2[0] = error2[1] = 0.0f;
#pragma unroll
    for (int step = 0; step < register_steps; ++step)
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int row = part % 2;
        const int j = step * 16 + part / 2 * 8 + 2 * q;
        const float2 shift = __ldg(reinterpret_cast<const float2*>(arguments.shift + j));
        const float2 raw = source[row] != nullptr ? __ldg(reinterpret_cast<const float2*>(source[row] + j)) : float2{};
        const float x = fmaf(raw.x, factor, shift.x);
        const float y = fmaf(raw.y, factor, shift.y);
        const __half2 rounded = __floats2half2_rn(x, y);
        a[step][part] = *reinterpret_cast<const std::uint32_t*>(&rounded);
        take(row, x, __low2float(rounded));
        take(row, y, __high2float(rounded));
      }
  }

 private:
  __device__ void take(int row, float x, float rounded) {
    const float error = x - rounded;
    norm2[row] = fmaf(rounded, rounded, norm2[row]);
    error2[row] = fmaf(error, error, error2[row]);
  }
};

/// What the four lanes that share a row know together.
struct RowEnd {
  float best;
  int candidates;  ///< 1 or 2: first and last are all candidates; 3: there may be more
  int first;
  int last;
};

__device__ inline RowEnd merge_quad(const RowState& row) {
  const auto across = [](auto value, auto combine) {
    value = combine(value, __shfl_xor_sync(0xFFFFFFFF, value, 1));
    return combine(value, __shfl_xor_sync(0xFFFFFFFF, value, 2));
  };
  RowEnd end{};
  end.best = across(row.best, [](float a, float b) { return fmaxf(a, b); });
  const bool alive = row.best >= end.best - row.twice_bound;
  const int column = column_of(row);
  const int mine = !alive ? 0 : column < 0 ? 3 : 1;
  end.candidates = across(mine, [](int a, int b) { return min(a + b, 3); });
  end.first = across(mine == 1 ? column : INT32_MAX, [](int a, int b) { return min(a, b); });
  end.last = across(mine == 1 ? column : -1, [](int a, int b) { return max(a, b); });
  return end;
}

/// Adds the centres of this tile that reach a queued row's threshold to its candidates, for entries `entry` and
/// entry + 8 of the queue. A row without a threshold gets a count that no list holds.
template <int columns>
__device__ inline void take_candidates(const float (&acc)[columns / 2], int first_column, int k, const Queue& queue,
                                       int entry, int queued) {
  const int lane = threadIdx.x % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int mine = entry + 8 * half;
    if (mine >= queued || mine >= static_cast<int>(queue.candidate_capacity)) continue;
    const float threshold = queue.threshold[mine];
    if (isnan(threshold) && lane == 0 && first_column == 0) atomicAdd(queue.candidate_count + mine, most_candidates + 1u);
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < columns / 8; ++i) most = fmaxf(most, fmaxf(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]));
    if (!(most >= threshold)) continue;
#pragma unroll
    for (int i = 0; i < columns / 4; ++i) {
      if (!(acc[4 * (i / 2) + 2 * half + i % 2] >= threshold)) continue;
      const int column = first_column + i / 2 * 8 + 2 * lane + i % 2;
      if (column >= k) continue;
      const std::uint32_t place = atomicAdd(queue.candidate_count + mine, 1u);
      if (place < most_candidates) queue.candidate[std::int64_t{mine} * most_candidates + place] = column;
    }
  }
}

/// Label of a row that is decided, or its place in a queue.
template <typename T>
__device__ inline void end_row(const FilterArguments<T>& a, int row, const RowEnd& end, float twice_bound) {
  const bool certain = twice_bound < INFINITY && end.best > padding_score + twice_bound + 1.0f && end.last < a.k;
  if (certain && end.candidates == 1) {
    a.labels[row] = end.first;
    return;
  }
  if (certain && end.candidates == 2) {
    const std::uint32_t place = atomicAdd(a.queue.pair_count, 1u);
    if (place < a.queue.candidate_capacity) {
      std::uint32_t* pair = a.queue.pair + std::int64_t{place} * 3;
      pair[0] = static_cast<std::uint32_t>(row);
      pair[1] = static_cast<std::uint32_t>(end.first);
      pair[2] = static_cast<std::uint32_t>(end.last);
      return;
    }
  }
  const std::uint32_t place = atomicAdd(a.queue.count, 1u);
  a.queue.row[place] = static_cast<std::uint32_t>(row);
  a.queue.threshold[place] = certain ? end.best - twice_bound : NAN;
}

/// Starts the accumulators of a tile with -|c~|^2 / 2.
template <int columns>
__device__ inline void start_with_norms(float (&acc)[columns / 2], const float* norms) {
#pragma unroll
  for (int i = 0; i < columns / 8; ++i) {
    const float2 norm = __ldg(reinterpret_cast<const float2*>(norms + 8 * i + 2 * (threadIdx.x % 4)));
    acc[4 * i] = acc[4 * i + 2] = norm.x;
    acc[4 * i + 1] = acc[4 * i + 3] = norm.y;
  }
}

#endif

#if TILELEARN_HOPPER_DEVICE

/// The stages of B in shared memory: one thread fills them with bulk copies, the warpgroups read and free them.
struct Ring {
  std::uint64_t* full;
  std::uint64_t* empty;
  unsigned char* data;
  std::uint32_t stage_bytes;
  int slot;
  std::uint32_t parity;

  __device__ void advance(int stages) {
    if (++slot < stages) return;
    slot = 0;
    parity ^= 1;
  }
};

/// The producer's whole life: all stages of B, once if they stay resident, else once for each round of row tiles.
template <int columns>
__device__ void fill_ring(Ring ring, const __half* B, const FilterShape& shape, std::int64_t rounds) {
  using namespace hopper;
  ring.parity = 1;
  const int group_bytes = columns * group_slots * 2;
  const auto* from = reinterpret_cast<const unsigned char*>(B);
  for (std::int64_t round = 0; round < (shape.resident ? 1 : rounds); ++round) {
    const unsigned char* source = from;
    for (int tile = 0; tile < shape.tiles; ++tile) {
      for (int left = shape.groups; left > 0; left -= shape.stage_groups) {
        const std::uint32_t bytes = min(shape.stage_groups, left) * group_bytes;
        if (!shape.resident) barrier_wait(ring.empty + ring.slot, ring.parity);
        barrier_expect(ring.full + ring.slot, bytes);
        bulk_copy(ring.data + ring.slot * ring.stage_bytes, source, bytes, ring.full + ring.slot);
        ring.advance(shape.stages);
        source += bytes;
      }
    }
  }
}

/// acc = or += groups [0, count) of A times those of B, both in shared memory; count is even. Asynchronous.
template <int columns>
__device__ __forceinline__ void multiply_stage(float (&acc)[columns / 2], std::uint32_t a_address, int a_group_bytes,
                                               std::uint32_t b_address, int count, bool accumulate) {
  using namespace hopper;
  constexpr int full = 8;  // the usual width of a stage, unrolled
  const auto a_step = static_cast<std::uint64_t>(2 * a_group_bytes >> 4);
  constexpr std::uint64_t b_step = 2 * columns * group_slots * 2 >> 4;
  std::uint64_t a = descriptor(a_address, a_group_bytes, 128);
  std::uint64_t b = descriptor(b_address, columns * group_slots * 2, 128);
  if (count == full) {
#pragma unroll
    for (int g = 0; g < full / 2; ++g)
      Wgmma<columns>::multiply(acc, a + g * a_step, b + g * b_step, accumulate || g > 0);
    return;
  }
#pragma unroll 1
  for (int g = 0; g < count / 2; ++g) {
    Wgmma<columns>::multiply(acc, a, b, accumulate || g > 0);
    a += a_step;
    b += b_step;
  }
}

/// acc = or += four K steps of A in registers, from `first_step`, times a full stage of B. Asynchronous.
template <typename T>
__device__ __forceinline__ void multiply_registers(float (&acc)[64], const Fragments<T>& fragments, int first_step,
                                                   std::uint32_t b_address) {
  using namespace hopper;
  constexpr std::uint64_t b_step = 2 * 128 * group_slots * 2 >> 4;
  const std::uint64_t b = descriptor(b_address, 128 * group_slots * 2, 128);
#pragma unroll
  for (int g = 0; g < 4; ++g) Wgmma<128>::multiply(acc, fragments.a[first_step + g], b + g * b_step, 1);
}

#endif

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
    const T* source[2];
    for (int pass = 0; pass < 2; ++pass) {
      const int r = thread / 4 + 32 * pass;
      const std::int64_t row = collect && r < rows_here ? std::int64_t{a.queue.row[row0 + r]} : row0 + r;
      source[pass] = r < rows_here ? a.X + row * a.d : nullptr;
    }
    // This thread's share of the row that it asks for ahead of its use.
    const T* ahead = nullptr;
    if (const int r = step * tile_rows + thread / 2; r < rows_here)
      ahead = a.X + (collect ? std::int64_t{a.queue.row[row0 + r]} : std::int64_t{row0 + r}) * a.d;
    const T* here = thread / 2 < rows_here
                        ? a.X + (collect ? std::int64_t{a.queue.row[row0 + thread / 2]} : std::int64_t{row0 + thread / 2}) * a.d
                        : nullptr;
    if (!chunked && a.d <= most_prefetched && ahead != nullptr)
      for (int j = thread % 2 * line; j < a.d; j += 2 * line) prefetch_line(ahead + j);
    RowState state[2] = {{-INFINITY, 0.0f, several, 0}, {-INFINITY, 0.0f, several, 0}};
    loader.clear();
    // The loader's rows are spread over lanes in another way than the scores'.
    const auto exchange_bounds = [&](const float (&own_norm2)[2], const float (&own_error2)[2]) {
      for (int pass = 0; pass < 2; ++pass) {
        const float2 sums{quad_sum(loader.norm2[pass]), quad_sum(loader.error2[pass])};
        if (thread % 4 == 0) row_sums[thread / 4 + 32 * pass] = sums;
      }
      fence_shared_for_async();
      warpgroup_barrier(1 + warpgroup);
      for (int half = 0; half < 2; ++half) {
        const float2 sums = row_sums[my_row + 8 * half];
        state[half].twice_bound = twice_bound(sums.x + own_norm2[half], sums.y + own_error2[half], largest,
                                              largest_error, shape.groups);
      }
    };
    constexpr float nothing[2] = {0.0f, 0.0f};
    warpgroup_barrier(1 + warpgroup);  // all scores of the tile before are done with A and its bounds
    Fragments<T> fragments;
    if constexpr (mixed) {
      const T* own[2];
      for (int half = 0; half < 2; ++half) {
        const int r = my_row + 8 * half;
        const std::int64_t row = collect && r < rows_here ? std::int64_t{a.queue.row[row0 + r]} : row0 + r;
        own[half] = r < rows_here ? a.X + row * a.d : nullptr;
      }
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
      for (int begin = register_groups, part = mixed ? 1 : 0; begin < shape.groups; begin += shape.stage_groups, ++part) {
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
