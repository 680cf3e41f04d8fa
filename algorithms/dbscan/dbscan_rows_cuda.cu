// Checks of values, unit vectors, weights.
#include "dbscan/dbscan_rows.cuh"

#include <algorithm>
#include <cmath>

#include "dbscan/dbscan_unit_vectors.hpp"
#include "dbscan/dbscan_values.hpp"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::multiprocessors;
using tilelearn::cuda::thread_count;
using tilelearn::cuda::thread_index;
using tilelearn::cuda::to_host;

namespace {

constexpr int threads = 256;
constexpr int blocks_a_multiprocessor = 8;
constexpr int most_columns = most_grid_columns;

using Bits = unsigned long long;

/// Bits whose order as integers is that of the values.
__host__ __device__ inline Bits ordered(double value) {
  Bits bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 != 0 ? ~bits : bits | Bits{1} << 63;
}

double from_ordered(Bits bits) {
  bits = bits >> 63 != 0 ? bits ^ Bits { 1 } << 63 : ~bits;
  double value = 0.0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

struct Seen {
  Bits low[most_columns];
  Bits high[most_columns];
  std::int32_t not_finite;
};

__global__ void start_seen(Seen* seen) {
  for (int j = 0; j < most_columns; ++j) {
    seen->low[j] = ~Bits{0};
    seen->high[j] = 0;
  }
  seen->not_finite = 0;
}

template <typename T>
__global__ void find_not_finite(const T* values, std::int64_t size, Seen* seen) {
  bool bad = false;
  for (std::int64_t i = thread_index(); i < size; i += thread_count()) bad = bad || !isfinite(values[i]);
  if (__any_sync(__activemask(), bad)) seen->not_finite = 1;
}

/// Rows of up to three columns: a thread a row. Bytes: X once.
template <typename T, int d>
__global__ void find_extremes(const T* X, std::int64_t n, Seen* seen) {
  T low[d];
  T high[d];
  bool bad = false;
#pragma unroll
  for (int j = 0; j < d; ++j) low[j] = high[j] = X[j];
  for (std::int64_t i = thread_index(); i < n; i += thread_count())
#pragma unroll
    for (int j = 0; j < d; ++j) {
      const T x = X[i * d + j];
      bad = bad || !isfinite(x);
      low[j] = x < low[j] ? x : low[j];
      high[j] = x > high[j] ? x : high[j];
    }
  for (int h = 16; h > 0; h /= 2)
#pragma unroll
    for (int j = 0; j < d; ++j) {
      const T other_low = __shfl_xor_sync(0xFFFFFFFF, low[j], h);
      const T other_high = __shfl_xor_sync(0xFFFFFFFF, high[j], h);
      low[j] = other_low < low[j] ? other_low : low[j];
      high[j] = other_high > high[j] ? other_high : high[j];
    }
  bad = __any_sync(0xFFFFFFFF, bad);
  if (threadIdx.x % 32 != 0) return;
#pragma unroll
  for (int j = 0; j < d; ++j) {
    atomicMin(seen->low + j, ordered(low[j]));
    atomicMax(seen->high + j, ordered(high[j]));
  }
  if (bad) seen->not_finite = 1;
}

constexpr std::int32_t none = INT32_MAX;

template <typename T>
__global__ void angles_to_vectors(const T* X, std::int64_t n, double* vectors, std::int32_t* first_bad) {
  for (std::int64_t i = thread_index(); i < n; i += thread_count()) {
    const double latitude = X[2 * i];
    const double longitude = X[2 * i + 1];
    if (fabs(latitude) > most_latitude || fabs(longitude) > most_longitude)
      atomicMin(first_bad, static_cast<std::int32_t>(i));
    else
      unit_vector_of_angles(latitude, longitude, vectors + 3 * i);
  }
}

template <typename T>
__global__ void rows_to_vectors(const T* X, std::int64_t n, int d, double* vectors, std::int32_t* first_bad) {
  for (std::int64_t i = thread_index(); i < n; i += thread_count())
    if (!unit_vector(X + i * d, d, vectors + i * d)) atomicMin(first_bad, static_cast<std::int32_t>(i));
}

struct WeightsSeen {
  Bits highest;          ///< of the weights and 0
  Bits highest_negated;  ///< of the negated weights and 0
  std::int32_t not_finite;
};

template <typename T>
__global__ void look_at_weights(const T* weights, std::int64_t n, WeightsSeen* seen) {
  double lowest = 0.0;
  double highest = 0.0;
  bool bad = false;
  for (std::int64_t i = thread_index(); i < n; i += thread_count()) {
    const double weight = weights[i];
    bad = bad || !isfinite(weight);
    lowest = fmin(lowest, weight);
    highest = fmax(highest, weight);
  }
  atomicMax(&seen->highest, ordered(highest));
  atomicMax(&seen->highest_negated, ordered(-lowest));
  if (bad) seen->not_finite = 1;
}

template <typename T>
__global__ void weights_to_words(const T* weights, std::int64_t n, WeightGrid grid, int2* words) {
  for (std::int64_t i = thread_index(); i < n; i += thread_count()) {
    const fixed_point::Words both = weight_words(weights[i], grid);
    words[i] = make_int2(static_cast<int>(both.high), static_cast<int>(both.low));
  }
}

unsigned all_blocks(std::int64_t n) { return blocks_for(n, threads, multiprocessors() * blocks_a_multiprocessor); }

}  // namespace

template <typename T>
Extremes check_values(const MatrixView<const T>& X, DBSCANMetric metric) {
  const Device& device = X.device();
  const cudaStream_t stream = device.stream();
  const Buffer<Seen> seen(device, 1);
  start_seen<<<1, 1, 0, stream>>>(seen.data());
  switch (X.columns()) {
    case 1:
      find_extremes<T, 1><<<all_blocks(X.rows()), threads, 0, stream>>>(X.data(), X.rows(), seen.data());
      break;
    case 2:
      find_extremes<T, 2><<<all_blocks(X.rows()), threads, 0, stream>>>(X.data(), X.rows(), seen.data());
      break;
    case 3:
      find_extremes<T, 3><<<all_blocks(X.rows()), threads, 0, stream>>>(X.data(), X.rows(), seen.data());
      break;
    default:
      find_not_finite<<<all_blocks(X.rows() * X.columns()), threads, 0, stream>>>(X.data(), X.rows() * X.columns(),
                                                                                  seen.data());
  }
  check_launch();
  const Seen result = to_host(seen.data(), 1, device).front();
  if (result.not_finite != 0) throw_if_bad_values(X, metric);
  Extremes extremes{};
  for (std::int64_t j = 0; j < most_columns && j < X.columns(); ++j) {
    extremes.low[j] = from_ordered(result.low[j]);
    extremes.high[j] = from_ordered(result.high[j]);
  }
  return extremes;
}

template <typename T>
void make_unit_vectors(const MatrixView<const T>& X, DBSCANMetric metric, double* vectors) {
  const cudaStream_t stream = X.device().stream();
  const Buffer<std::int32_t> first_bad(X.device(), 1);
  X.device().impl().copy_from_host(first_bad.data(), &none, sizeof none);
  if (metric == DBSCANMetric::haversine)
    angles_to_vectors<<<all_blocks(X.rows()), threads, 0, stream>>>(X.data(), X.rows(), vectors, first_bad.data());
  else
    rows_to_vectors<<<all_blocks(X.rows()), threads, 0, stream>>>(X.data(), X.rows(), static_cast<int>(X.columns()),
                                                                  vectors, first_bad.data());
  check_launch();
  const std::int32_t bad = to_host(first_bad.data(), 1, X.device()).front();
  if (bad != none) throw_if_bad_values(X, metric);
}

template <typename T>
WeightWords::WeightWords(const VectorView<const T>& weights, std::int64_t min_samples)
    : words(weights.device(), weights.size()) {
  const Device& device = weights.device();
  const cudaStream_t stream = device.stream();
  Buffer<WeightsSeen> seen(device, 1);
  seen.fill_bytes(0);
  const unsigned blocks = all_blocks(weights.size());
  look_at_weights<<<blocks, threads, 0, stream>>>(weights.data(), weights.size(), seen.data());
  check_launch();
  const WeightsSeen result = to_host(seen.data(), 1, device).front();
  if (result.not_finite != 0) throw_if_bad_weights(weights);
  const double lowest = -from_ordered(result.highest_negated);
  any_negative = lowest < 0.0;
  const WeightGrid grid = make_weight_grid<T>(lowest, from_ordered(result.highest), weights.size(), min_samples);
  threshold = grid.threshold;
  weights_to_words<<<blocks, threads, 0, stream>>>(weights.data(), weights.size(), grid, words.data());
  check_launch();
}

template Extremes check_values(const MatrixView<const float>&, DBSCANMetric);
template Extremes check_values(const MatrixView<const double>&, DBSCANMetric);
template void make_unit_vectors(const MatrixView<const float>&, DBSCANMetric, double*);
template void make_unit_vectors(const MatrixView<const double>&, DBSCANMetric, double*);
template WeightWords::WeightWords(const VectorView<const float>&, std::int64_t);
template WeightWords::WeightWords(const VectorView<const double>&, std::int64_t);

}  // namespace tilelearn::dbscan::cuda
