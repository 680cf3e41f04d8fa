// Kernels that decide in float64, by the formula itself.
#pragma once

#include "kmeans/kmeans_filter.cuh"
#include "kmeans/kmeans_rows.cuh"

namespace tilelearn::kmeans::cuda {

/// Centres compared at a time by one thread: independent chains hide the latency of float64 fma.
inline constexpr int exact_width = 4;

/// Label of one row among centres begin, begin + 1, ...; ties to the lowest index.
template <typename T>
__device__ std::int32_t nearest_centre(const T* x, const T* centers, int k, int d, double scale) {
  double best = INFINITY;
  std::int32_t label = 0;
  for (int c0 = 0; c0 < k; c0 += exact_width) {
    double sum[exact_width] = {};
    const T* c[exact_width];
#pragma unroll
    for (int u = 0; u < exact_width; ++u) c[u] = centers + std::int64_t{min(c0 + u, k - 1)} * d;
#pragma unroll 4
    for (int j = 0; j < d; ++j) {
      const double value = scaled(x[j], scale);
#pragma unroll
      for (int u = 0; u < exact_width; ++u) {
        const double t = value - scaled(c[u][j], scale);
        sum[u] = fma(t, t, sum[u]);
      }
    }
#pragma unroll
    for (int u = 0; u < exact_width; ++u) {
      if (c0 + u < k && sum[u] < best) {
        best = sum[u];
        label = c0 + u;
      }
    }
  }
  return label;
}

/// One thread a row, all centres. O(n k d) float64 operations.
template <typename T>
__global__ void exact_labels(Rows<T> rows, const T* centers, int k, std::int32_t* labels, const LoopState* state) {
  if (!is_running(state)) return;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    labels[i] = nearest_centre(rows.X + i * rows.d, centers, k, rows.d, rows.scale);
}

/// Smaller distance, then lower index.
__device__ inline void keep_nearer(double& best, int& label, double other, int other_label) {
  if (other < best || (other == best && other_label < label)) {
    best = other;
    label = other_label;
  }
}

/// Threads of a block that resolves the queues; lanes that share a row; candidates of it taken together; columns of a
/// tile, four a lane.
inline constexpr int resolve_threads = 128;
inline constexpr int resolve_lanes = 8;
inline constexpr int resolve_candidates = 4;
inline constexpr int resolve_columns = 4 * resolve_lanes;

/// A row of a queue and its candidates.
struct QueuedRow {
  std::uint32_t row;
  std::uint32_t count;
  const std::uint32_t* candidates;
};

/// Entry of the open rows, then of the pairs; a count of 0 past the end.
__device__ inline QueuedRow queued_row(const Queue& queue, std::uint32_t open, std::uint32_t pairs,
                                       std::uint32_t entry) {
  if (entry < open) {
    const bool listed = entry < queue.candidate_capacity;
    return {queue.row[entry], listed ? queue.candidate_count[entry] : most_candidates + 1u,
            queue.candidate + std::int64_t{entry} * most_candidates};
  }
  if (entry >= open + pairs) return {0, 0, queue.pair};
  const std::uint32_t* pair = queue.pair + std::int64_t{entry - open} * 3;
  return {pair[0], 2, pair + 1};
}

/// Squared distance of row x to candidate number `lane` of `count`, at most resolve_candidates: the lanes read and
/// subtract side by side, then each of the first adds up its own candidate's differences in the formula's order. The
/// whole warp calls it with one `most`, the largest count of its rows.
template <typename T>
__device__ double candidate_distance(const T* x, const T* centers, const std::uint32_t* candidates, int count, int most,
                                     int d, double scale, double (&tile)[resolve_candidates][resolve_columns + 1]) {
  const int lane = threadIdx.x % resolve_lanes;
  const T* c[resolve_candidates];
#pragma unroll
  for (int m = 0; m < resolve_candidates; ++m)
    c[m] = count > 0 ? centers + std::int64_t{candidates[m < count ? m : 0]} * d : centers;
  double sum = 0.0;
  for (int begin = 0; begin < d; begin += resolve_columns) {
    const int columns = min(resolve_columns, d - begin);
    T value[4];
    T other[resolve_candidates][4];
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const int j = begin + min(lane + u * resolve_lanes, columns - 1);
      value[u] = x[j];
#pragma unroll
      for (int m = 0; m < resolve_candidates; ++m)
        if (m < most) other[m][u] = c[m][j];
    }
#pragma unroll
    for (int u = 0; u < 4; ++u)
#pragma unroll
      for (int m = 0; m < resolve_candidates; ++m)
        if (m < most) tile[m][lane + u * resolve_lanes] = scaled(value[u], scale) - scaled(other[m][u], scale);
    __syncwarp();
    if (lane < count) {
      const double* difference = tile[lane];
#pragma unroll 8
      for (int j = 0; j < columns; ++j) sum = fma(difference[j], difference[j], sum);
    }
    __syncwarp();
  }
  return sum;
}

/// Eight lanes a row of the queues: the nearest of its candidates. Rows with more candidates than a list holds go to
/// the list of rows that are compared with all centres.
template <typename T>
__global__ void __launch_bounds__(resolve_threads)
    resolve_queue(Rows<T> rows, const T* centers, Queue queue, std::int32_t* labels, const LoopState* state) {
  if (!is_running(state)) return;
  __shared__ double tiles[resolve_threads / resolve_lanes][resolve_candidates][resolve_columns + 1];
  const int lane = threadIdx.x % resolve_lanes;
  const std::uint32_t open = *queue.count;
  const std::uint32_t pairs = min(*queue.pair_count, queue.candidate_capacity);
  const std::uint32_t step = gridDim.x * resolve_threads / resolve_lanes;
  // The rows of a warp go on together until the last of them is past the end.
  const std::uint32_t group = (blockIdx.x * resolve_threads + threadIdx.x) / resolve_lanes;
  const std::uint32_t first_group = group / (32 / resolve_lanes) * (32 / resolve_lanes);
  for (std::uint32_t turn = 0; first_group + turn < open + pairs; turn += step) {
    QueuedRow mine = queued_row(queue, open, pairs, group + turn);
    if (mine.count > most_candidates) {
      if (lane == 0) queue.full_row[atomicAdd(queue.full_count, 1u)] = mine.row;
      mine.count = 0;
    }
    const T* x = rows.X + std::int64_t{mine.row} * rows.d;
    const int largest_count = __reduce_max_sync(0xFFFFFFFF, static_cast<int>(mine.count));
    double best = INFINITY;
    int label = INT32_MAX;
    for (int first = 0; first < largest_count; first += resolve_candidates) {
      const int here = max(0, min(static_cast<int>(mine.count) - first, resolve_candidates));
      const std::uint32_t* candidates = mine.candidates + first;
      const double distance =
          candidate_distance(x, centers, candidates, here, min(largest_count - first, resolve_candidates), rows.d,
                             rows.scale, tiles[threadIdx.x / resolve_lanes]);
      if (lane < here) keep_nearer(best, label, distance, static_cast<int>(candidates[lane]));
    }
    for (int h = resolve_lanes / 2; h > 0; h /= 2)
      keep_nearer(best, label, __shfl_xor_sync(0xFFFFFFFF, best, h), __shfl_xor_sync(0xFFFFFFFF, label, h));
    if (lane == 0 && mine.count > 0) labels[mine.row] = label;
  }
}

/// Rows that one block compares with all centres at a time, and columns of them in shared memory.
inline constexpr int full_rows = 8;
inline constexpr int full_columns = 64;

/// Rows of the full list against all centres: a thread a centre, eight rows at a time.
template <typename T>
__global__ void __launch_bounds__(resolve_threads)
    compare_all(Rows<T> rows, const T* centers, int k, Queue queue, std::int32_t* labels, const LoopState* state) {
  if (!is_running(state)) return;
  __shared__ double tile[full_columns][full_rows];
  __shared__ double best_of[resolve_threads / 32][full_rows];
  __shared__ int label_of[resolve_threads / 32][full_rows];
  const int count = static_cast<int>(*queue.full_count);
  for (int first = blockIdx.x * full_rows; first < count; first += gridDim.x * full_rows) {
    double best[full_rows];
    int label[full_rows];
    for (int r = 0; r < full_rows; ++r) {
      best[r] = INFINITY;
      label[r] = INT32_MAX;
    }
    for (int c0 = 0; c0 < k; c0 += resolve_threads) {
      const int c = c0 + static_cast<int>(threadIdx.x);
      const T* centre = centers + std::int64_t{min(c, k - 1)} * rows.d;
      double sum[full_rows] = {};
      for (int begin = 0; begin < rows.d; begin += full_columns) {
        const int columns = min(full_columns, rows.d - begin);
        __syncthreads();
        for (int i = threadIdx.x; i < full_rows * columns; i += resolve_threads) {
          const int r = i / columns;
          const std::int64_t row = queue.full_row[min(first + r, count - 1)];
          tile[i % columns][r] = scaled(rows.X[row * rows.d + begin + i % columns], rows.scale);
        }
        __syncthreads();
        for (int j = 0; j < columns; ++j) {
          const double value = scaled(centre[begin + j], rows.scale);
#pragma unroll
          for (int r = 0; r < full_rows; ++r) {
            const double t = tile[j][r] - value;
            sum[r] = fma(t, t, sum[r]);
          }
        }
      }
#pragma unroll
      for (int r = 0; r < full_rows; ++r)
        if (c < k) keep_nearer(best[r], label[r], sum[r], c);
    }
    for (int r = 0; r < full_rows; ++r) {
      for (int h = 16; h > 0; h /= 2)
        keep_nearer(best[r], label[r], __shfl_xor_sync(0xFFFFFFFF, best[r], h),
                    __shfl_xor_sync(0xFFFFFFFF, label[r], h));
      if (threadIdx.x % 32 == 0) {
        best_of[threadIdx.x / 32][r] = best[r];
        label_of[threadIdx.x / 32][r] = label[r];
      }
    }
    __syncthreads();
    if (threadIdx.x < full_rows && first + static_cast<int>(threadIdx.x) < count) {
      double nearest = INFINITY;
      int answer = INT32_MAX;
      for (int w = 0; w < resolve_threads / 32; ++w)
        keep_nearer(nearest, answer, best_of[w][threadIdx.x], label_of[w][threadIdx.x]);
      labels[queue.full_row[first + threadIdx.x]] = answer;
    }
    __syncthreads();
  }
}

template <typename T>
__global__ void own_distances(Rows<T> rows, const T* centers, const std::int32_t* labels, double* values) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows.n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    values[i] = rows.weight(i) > 0.0 ? squared_distance(rows.X + i * rows.d, centers + std::int64_t{labels[i]} * rows.d,
                                                        rows.d, rows.scale)
                                     : -1.0;
}

template <typename T>
__global__ void weigh_distances(double* values, const T* given_weights, std::int64_t n, double scale) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double weight = given_weights == nullptr ? 1.0 : double{given_weights[i]};
    values[i] = values[i] < 0.0 ? 0.0 : weight * values[i] / scale / scale;
  }
}

/// One thread an element of the n x k result.
template <typename T>
__global__ void distance_matrix(Rows<T> rows, const T* centers, std::int64_t k, T* distances) {
  for (std::int64_t item = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; item < rows.n * k;
       item += std::int64_t{gridDim.x} * blockDim.x) {
    const double square = squared_distance(rows.X + item / k * rows.d, centers + item % k * rows.d, rows.d, rows.scale);
    distances[item] = static_cast<T>(sqrt(square) / rows.scale);
  }
}

}  // namespace tilelearn::kmeans::cuda
