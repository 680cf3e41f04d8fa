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
      const double value = double{x[j]} * scale;
#pragma unroll
      for (int u = 0; u < exact_width; ++u) {
        const double t = value - double{c[u][j]} * scale;
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

/// One warp a row of the queue: a lane a candidate, or the centres dealt over the lanes where there are too many.
template <typename T>
__global__ void resolve_queue(Rows<T> rows, const T* centers, int k, Queue queue, std::int32_t* labels,
                              const LoopState* state) {
  if (!is_running(state)) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * blockDim.x / 32;
  const std::uint32_t queued = *queue.count;
  for (std::int64_t entry = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32; entry < queued;
       entry += warps) {
    const std::uint32_t row = queue.row[entry];
    const T* x = rows.X + std::int64_t{row} * rows.d;
    const std::uint32_t count =
        entry < queue.candidate_capacity ? queue.candidate_count[entry] : most_candidates + 1u;
    double best = INFINITY;
    int label = INT32_MAX;
    if (count <= most_candidates) {
      if (lane < static_cast<int>(count)) {
        label = static_cast<int>(queue.candidate[entry * most_candidates + lane]);
        best = squared_distance(x, centers + std::int64_t{label} * rows.d, rows.d, rows.scale);
      }
    } else {
      for (int c = lane; c < k; c += 32)
        keep_nearer(best, label, squared_distance(x, centers + std::int64_t{c} * rows.d, rows.d, rows.scale), c);
    }
    for (int h = 16; h > 0; h /= 2)
      keep_nearer(best, label, __shfl_xor_sync(0xFFFFFFFF, best, h), __shfl_xor_sync(0xFFFFFFFF, label, h));
    if (lane == 0) labels[row] = label;
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
