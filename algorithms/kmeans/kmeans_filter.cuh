// The tensor-core filter: which centre can be nearest, decided in float16 with a bound on every rounding.
//
// With x~ = (x - m) g and c~ = (c - m) g (m the column means, g a power of two) the nearest centre has the largest
// score
//   s_j = x~ . c~_j - |c~_j|^2 / 2.
// The kernel computes s^_j from float16 values x^, c^ with float32 sums; |s^_j - s_j| <= B with
//   B = |x~ - x^| C + |x^| E + rounding (|x^| C + C^2) + truth (|x^|^2 + C^2),
// C = max |c~_j|, E = max |c~_j - c^_j|, so every centre with s^_j < max s^ - 2 B is certainly not the nearest. Rows
// with one centre left are decided; the others (about 2 %) go to a queue and are decided in float64 (kmeans_exact).
//
// Operands are K "slots" long, K a multiple of 16:
//   A: x^_0 .. x^_{d-1}, 1, 1, 1, 0 ..      B: c^_0 .. c^_{d-1}, n1, n2, n3, 0 ..      n1 + n2 + n3 = -|c~|^2 / 2
// or, for wide rows of whole groups, x^ and c^ alone, with the accumulators started at -|c~|^2 / 2.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>

#include "core/cuda_support.cuh"
#include "kmeans/kmeans_loop.cuh"

namespace tilelearn::kmeans::cuda {

/// Slots of -|c~|^2 / 2.
inline constexpr int norm_slots = 3;
/// Rows of one tile of A (the M of one wgmma), slots of a core matrix's row.
inline constexpr int tile_rows = 64;
inline constexpr int group_slots = 8;
/// Candidates kept for a row of the queue; with more, all centres are compared.
inline constexpr int most_candidates = 32;

/// Counters at the head of the queues.
inline constexpr int queue_counts = 3;

/// What the preparation of the centres finds, in device memory.
struct FilterScale {
  double largest_norm;   ///< max |c - m| in float64 (of scaled data)
  double largest_error;  ///< E
  float factor;          ///< g
};

/// Rows that one centre alone could not be named for. Counts are next to each other: count, pair_count, full_count.
struct Queue {
  std::uint32_t* count;            ///< rows in the queue
  std::uint32_t* row;              ///< [capacity] row of the block
  float* threshold;                ///< [capacity] least score of a candidate; NaN: compare all centres
  std::uint32_t* candidate_count;  ///< [candidate_capacity]
  std::uint32_t* candidate;        ///< [candidate_capacity][most_candidates]
  std::uint32_t candidate_capacity;
  std::uint32_t* pair_count;  ///< rows with exactly two candidates that are known already
  std::uint32_t* pair;        ///< [candidate_capacity][3] row of the block, both candidates
  std::uint32_t* full_count;  ///< rows that must be compared with all centres
  std::uint32_t* full_row;    ///< [capacity] row of the block
};

template <typename T>
struct FilterArguments {
  const T* X;  ///< rows x d, the block of rows
  std::int64_t rows;
  int d;
  int k;
  const T* mean;       ///< m, d values
  const float* shift;  ///< -m g, d values
  const float* norms;  ///< -|c~|^2 / 2 of the columns of B
  int whole_groups;    ///< groups of 8 columns that 16-byte loads may read; the rest is read value by value
  double data_scale;   ///< s of the formulas; 1 for float data
  const __half* B;     ///< prepared centres: [tile][group][columns][8]
  const FilterScale* scale;
  std::int32_t* labels;  ///< rows
  Queue queue;
  const LoopState* state;
};

/// K steps of 16 whose part of A is held in registers where rows are wide; of the others A lies in shared memory.
inline constexpr int register_steps = 16;

/// Shapes of the launch.
struct FilterShape {
  int groups;         ///< K / 8
  int tiles;          ///< tiles of centres
  int warpgroups;     ///< that compute, each on its own tile of rows
  int a_group_bytes;  ///< from one group of A to the next; 16 more than 64 rows take, where there is room, so that
                      ///< writing a row's groups meets different banks
  int chunk_groups;   ///< groups of A in shared memory at a time; == groups if a tile of A stays there
  int stage_groups;   ///< groups of B in one stage of the ring
  int stages;         ///< stages of the ring
  bool resident;      ///< all of B fits the ring
  bool mixed;         ///< the first register_steps K steps of A are held in registers
  bool norms_in_accumulators;  ///< else in the slots after the columns
  int shared_bytes;
};

/// Whether this device runs the tensor-core filter (sm_90a).
bool filter_available();

/// Columns of B in a tile for k centres: 16, 64 or 128.
int filter_tile_columns(std::int64_t k);

/// `vectors`: rows can be read by 16-byte loads from their first value on.
FilterShape filter_shape(int d, int k, bool vectors);

/// Columns of B with padding, and halves that the prepared centres take.
std::int64_t filter_columns(int k);
std::int64_t filter_operand_size(int d, int k);

/// Fills B and scale from k x d centres. Stream-ordered.
template <typename T>
void prepare_filter(const T* centers, int k, int d, const T* mean, double data_scale, __half* B, float* norms,
                    float* shift, FilterScale* scale, const LoopState* state, cudaStream_t stream);

/// Labels of decided rows, the queue of the others with their candidates. Stream-ordered.
template <typename T>
void run_filter(const FilterArguments<T>& arguments, cudaStream_t stream);

}  // namespace tilelearn::kmeans::cuda
