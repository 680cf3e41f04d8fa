// Kernels of the cells: building the records, and looking rows up.
#pragma once

#include "kmeans/kmeans_cells.cuh"

namespace tilelearn::kmeans::cuda {

inline constexpr int cell_threads = 128;
inline constexpr int lookup_threads = 1024;
/// Rows of a thread whose loads are in flight together.
inline constexpr int lookup_rows = 4;
/// Part of a fine bin by which boxes are larger on each side: above the rounding of a bin number below fine_bins.
inline constexpr double bin_margin = 0x1p-8;
/// Part of the largest distances by which a centre must be behind to be left out: above the rounding of the lead and of
/// both distances of the formula.
inline constexpr double lead_margin = 1e-12;

template <typename T>
struct CellBox {
  double low[most_cell_columns];
  double high[most_cell_columns];
};

template <typename T>
__device__ CellBox<T> box_of(const CellGrid<T>& grid, int cell, int d) {
  CellBox<T> box{};
  for (int j = 0; j < d; ++j) {
    const int slab = cell % grid.slabs[j];
    cell /= grid.slabs[j];
    const std::uint16_t* first_bin = grid.first_bin + j * (fine_bins + 1) + slab;
    const double low = grid.low[j];
    const double per_unit = grid.per_unit[j];
    // The slabs of the first and the last bin also hold the rows beyond them.
    box.low[j] = first_bin[0] == 0 ? double{grid.lowest[j]} : low + (first_bin[0] - bin_margin) / per_unit;
    box.high[j] = first_bin[1] == fine_bins ? double{grid.highest[j]} : low + (first_bin[1] + bin_margin) / per_unit;
  }
  return box;
}

/// Square of the largest distance between a box and a centre.
template <typename T>
__device__ double largest_distance(const CellBox<T>& box, const T* centre, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) {
    const double far = fmax(fabs(centre[j] - box.low[j]), fabs(centre[j] - box.high[j]));
    sum = fma(far, far, sum);
  }
  return sum;
}

/// The least of |x - centre|^2 - |x - other|^2 over the box: linear in x, so a corner has it. Its rounding is below
/// 1e-15 d times the sum of both largest distances.
template <typename T>
__device__ double least_lead(const CellBox<T>& box, const T* centre, const T* other, int d) {
  double sum = 0.0;
  for (int j = 0; j < d; ++j) {
    const double step = double{centre[j]} - double{other[j]};
    const double x = step > 0.0 ? box.high[j] : box.low[j];
    sum = fma(step, (centre[j] - x) + (other[j] - x), sum);
  }
  return sum;
}

/// One thread a cell: O(k d). The pivot is the centre whose largest distance to the box is least; centres behind the
/// pivot for every row of the box, by more than any rounding, are left out.
template <typename T>
__global__ void build_cells(CellGrid<T> grid, const T* centers, int k, int d, std::uint16_t* single,
                            CellRecord* records, const LoopState* state) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (!is_running(state) || cell >= grid.count) return;
  const CellBox<T> box = box_of(grid, cell, d);
  double reach = INFINITY;
  int pivot = 0;
  for (int c = 0; c < k; ++c) {
    const double largest = largest_distance(box, centers + std::int64_t{c} * d, d);
    if (largest < reach) {
      reach = largest;
      pivot = c;
    }
  }
  const T* nearest = centers + std::int64_t{pivot} * d;
  CellRecord record{};
  for (int c = 0; c < k; ++c) {
    const T* centre = centers + std::int64_t{c} * d;
    const double margin = lead_margin * (largest_distance(box, centre, d) + reach);
    // A margin that overflowed keeps the centre, as does a lead that is not a number.
    if (c != pivot && least_lead(box, centre, nearest, d) > margin) continue;
    if (record.count < cell_candidates) record.candidate[record.count] = static_cast<std::uint16_t>(c);
    if (record.count <= cell_candidates) ++record.count;
  }
  records[cell] = record;
  single[cell] = record.count == 1 ? record.candidate[0] : several_candidates;
}

/// The cell of a row, or -1 outside the grid. `slab_of_bin` lies in shared memory.
template <typename T, int d>
__device__ int cell_of(const CellGrid<T>& grid, const std::uint16_t* slab_of_bin, const T (&x)[d]) {
  int cell = 0;
  bool inside = true;
#pragma unroll
  for (int j = d - 1; j >= 0; --j) {
    const T place = (x[j] - grid.low[j]) * grid.per_unit[j];
    const int bin = static_cast<int>(min(max(place, T{0}), static_cast<T>(fine_bins - 1)));
    inside = inside && x[j] >= grid.lowest[j] && x[j] <= grid.highest[j];
    cell = cell * grid.slabs[j] + slab_of_bin[j * fine_bins + bin];
  }
  return inside ? cell : -1;
}

template <typename T, int d>
__device__ double distance_to(const T (&x)[d], const T* centers, int c) {
  double sum = 0.0;
#pragma unroll
  for (int j = 0; j < d; ++j) {
    const double t = double{x[j]} - double{centers[std::int64_t{c} * d + j]};
    sum = fma(t, t, sum);
  }
  return sum;
}

/// Label of a row among the candidates of its cell, or -1 where the record does not hold them all. Candidates ascend,
/// so that ties go to the lowest index.
template <typename T, int d>
__device__ int compare_candidates(const T (&x)[d], int cell, const T* centers, const CellRecord* records) {
  if (cell < 0) return -1;
  CellRecord record;
  *reinterpret_cast<uint4*>(&record) = __ldg(reinterpret_cast<const uint4*>(records + cell));
  if (record.count > cell_candidates) return -1;
  double best = INFINITY;
  int label = 0;
#pragma unroll
  for (int m = 0; m < cell_candidates; ++m) {
    if (m >= record.count) break;
    const double distance = distance_to(x, centers, record.candidate[m]);
    if (distance < best) {
      best = distance;
      label = record.candidate[m];
    }
  }
  return label;
}

/// Labels, by the whole warp, of those of its rows that still have none: each against all centres, a lane's share each.
template <typename T, int d>
__device__ int compare_all_together(const T (&x)[d], int label, const T* centers, int k) {
  const int lane = threadIdx.x % 32;
  for (unsigned open = __ballot_sync(0xFFFFFFFF, label < 0); open != 0; open &= open - 1) {
    const int owner = __ffs(static_cast<int>(open)) - 1;
    T row[d];
#pragma unroll
    for (int j = 0; j < d; ++j) row[j] = __shfl_sync(0xFFFFFFFF, x[j], owner);
    double best = INFINITY;
    int nearest = INT32_MAX;
    for (int c = lane; c < k; c += 32) {
      const double distance = distance_to(row, centers, c);
      if (distance < best) {
        best = distance;
        nearest = c;
      }
    }
    for (int h = 16; h > 0; h /= 2) {
      const double other = __shfl_xor_sync(0xFFFFFFFF, best, h);
      const int other_nearest = __shfl_xor_sync(0xFFFFFFFF, nearest, h);
      if (other < best || (other == best && other_nearest < nearest)) {
        best = other;
        nearest = other_nearest;
      }
    }
    if (lane == owner) label = nearest;
  }
  return label;
}

/// Labels by look-up; the tables of slabs and of single candidates lie in shared memory. Bytes: X once, labels once, a
/// record for every row in a cell with several candidates.
template <typename T, int d>
__global__ void __launch_bounds__(lookup_threads)
    look_up(const T* X, std::int64_t n, CellGrid<T> grid, const T* centers, int k, const std::uint16_t* single,
            const CellRecord* records, std::int32_t* labels, const LoopState* state) {
  if (!is_running(state)) return;
  extern __shared__ std::uint16_t slab_of_bin[];
  std::uint16_t* table = slab_of_bin + d * fine_bins;
  for (int i = threadIdx.x; i < d * fine_bins; i += blockDim.x) slab_of_bin[i] = grid.slab_of_bin[i];
  for (int i = threadIdx.x; i < grid.count; i += blockDim.x) table[i] = single[i];
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  // Whole warps go on together: a thread past the end works on the last row.
  for (std::int64_t block = std::int64_t{blockIdx.x} * blockDim.x; block < n; block += lookup_rows * step) {
    const std::int64_t first = block + threadIdx.x;
    T x[lookup_rows][d];
#pragma unroll
    for (int u = 0; u < lookup_rows; ++u)
#pragma unroll
      for (int j = 0; j < d; ++j) x[u][j] = __ldg(X + min(first + u * step, n - 1) * d + j);
#pragma unroll
    for (int u = 0; u < lookup_rows; ++u) {
      const int cell = cell_of(grid, slab_of_bin, x[u]);
      int label = cell >= 0 ? table[cell] : several_candidates;
      if (label == several_candidates) label = compare_candidates(x[u], cell, centers, records);
      label = compare_all_together(x[u], label, centers, k);
      if (first + u * step < n) labels[first + u * step] = label;
    }
  }
}

}  // namespace tilelearn::kmeans::cuda
