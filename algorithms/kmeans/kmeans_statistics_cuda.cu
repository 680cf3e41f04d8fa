// One pass over X, one over the weights, and the tree that adds float64 values in a fixed order.
#include "kmeans/kmeans_statistics.cuh"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/finite.hpp"
#include "core/text.hpp"
#include "kmeans/kmeans_formulas.hpp"

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::to_host;

namespace {

constexpr int threads = 256;

using Word = unsigned long long;

__device__ void max_to(Word* place, double value) { atomicMax(place, static_cast<Word>(__double_as_longlong(value))); }
__device__ void min_to(Word* place, double value) { atomicMin(place, static_cast<Word>(__double_as_longlong(value))); }

/// Bits that ascend as the values do.
__device__ Word ordered(double value) {
  const auto bits = static_cast<Word>(__double_as_longlong(value));
  return value < 0.0 || (value == 0.0 && bits != 0) ? ~bits : bits | (Word{1} << 63);
}

double as_double(Word bits) {
  double value = 0;
  static_assert(sizeof value == sizeof bits);
  std::copy_n(reinterpret_cast<const char*>(&bits), sizeof bits, reinterpret_cast<char*>(&value));
  return value;
}

double from_ordered(Word bits) { return as_double(bits >> 63 != 0 ? bits & ~(Word{1} << 63) : ~bits); }

constexpr Word none = ~Word{0};

struct WeightScan {
  Word largest;         ///< bits of max w
  Word first_bad;       ///< first negative or non-finite weight
  Word first_positive;  ///< of w'
  Word positive;        ///< count of w' > 0
};

template <typename T>
__global__ void scan_weights(const T* weights, std::int64_t n, WeightScan* scan) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double w = weights[i];
    if (!(w >= 0.0) || isinf(w)) {
      atomicMin(&scan->first_bad, static_cast<Word>(i));
    } else {
      max_to(&scan->largest, w);
    }
  }
}

/// w' = w 2^-exponent, in two exact steps so that the factor is finite.
template <typename T>
__global__ void scale_weights(const T* weights, std::int64_t n, int exponent, double* scaled, WeightScan* scan) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    const double w = scalbn(double{weights[i]}, -exponent);
    scaled[i] = w;
    if (w > 0.0) {
      atomicMin(&scan->first_positive, static_cast<Word>(i));
      atomicAdd(&scan->positive, Word{1});
    }
  }
}

/// Per column: extremes of x and |x|; one flag for all: a value that is not finite.
struct Extremes {
  Word* largest;  ///< of |x|
  Word* highest;  ///< of x, as ordered bits
  Word* not_finite;
  Word* smallest;  ///< of |x|
  Word* lowest;    ///< of x, as ordered bits
};

/// One thread a chunk of 256 rows and a column: extremes, and both sums of t = (x - p) s, rows ascending.
/// Bytes: X once.
template <typename T>
__global__ void column_chunks(const T* X, std::int64_t n, int d, const double* weights, std::int64_t pilot_row,
                              double scale, Extremes extremes, double* sum1, double* sum2) {
  const std::int64_t chunks = (n + chunk_rows - 1) / chunk_rows;
  const std::int64_t item = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (item >= chunks * d) return;
  const std::int64_t chunk = item / d;
  const int j = static_cast<int>(item % d);
  const double pilot = X[pilot_row * d + j] * scale;
  double s1 = 0;
  double s2 = 0;
  double largest = 0;
  double smallest = INFINITY;
  double highest = -INFINITY;
  double lowest = INFINITY;
  bool finite = true;
  const std::int64_t end = min(n, (chunk + 1) * chunk_rows);
#pragma unroll 8
  for (std::int64_t i = chunk * chunk_rows; i < end; ++i) {
    const double x = double{X[i * d + j]} * scale;
    finite = finite && isfinite(x);
    if (weights != nullptr && !(weights[i] > 0.0)) continue;
    largest = fmax(largest, fabs(x));
    smallest = fmin(smallest, fabs(x));
    highest = fmax(highest, x);
    lowest = fmin(lowest, x);
    const double t = x - pilot;
    s1 = s1 + t;
    s2 = fma(t, t, s2);
  }
  sum1[item] = s1;
  sum2[item] = s2;
  max_to(extremes.largest + j, largest);
  min_to(extremes.smallest + j, smallest);
  atomicMax(extremes.highest + j, ordered(highest));
  atomicMin(extremes.lowest + j, ordered(lowest));
  if (!finite) *extremes.not_finite = 1;
}

/// One level of tree_sum: 256 values to one. Grid: (blocks of 256 rows) x columns.
__global__ void tree_level(const double* values, std::int64_t n, int columns, double* out) {
  __shared__ double part[chunk_rows];
  const std::int64_t block = blockIdx.x;
  const std::int64_t i = block * chunk_rows + threadIdx.x;
  const int column = blockIdx.y;
  part[threadIdx.x] = i < n ? values[i * columns + column] : 0.0;
  __syncthreads();
  for (int h = chunk_rows / 2; h > 0; h /= 2) {
    if (static_cast<int>(threadIdx.x) < h) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[block * columns + column] = part[0];
}

/// Raw results of one pass.
struct Pass {
  std::vector<Word> largest;
  std::vector<Word> smallest;
  std::vector<Word> highest;
  std::vector<Word> lowest;
  bool finite;
  std::vector<double> sum1;
  std::vector<double> sum2;
};

template <typename T>
Pass pass_over(const MatrixView<const T>& X, const Weights& weights, double scale) {
  const Device& device = X.device();
  const auto d = static_cast<int>(X.columns());
  const std::int64_t chunks = (X.rows() + chunk_rows - 1) / chunk_rows;
  // Maxima and the flag start at 0, minima at the largest word.
  Buffer<Word> words(device, 4 * d + 1);
  const auto zeros = static_cast<std::size_t>(2 * d + 1);
  check(cudaMemsetAsync(words.data(), 0, zeros * sizeof(Word), device.stream()));
  check(cudaMemsetAsync(words.data() + zeros, 0xFF, static_cast<std::size_t>(2 * d) * sizeof(Word), device.stream()));
  const Extremes extremes{words.data(), words.data() + d, words.data() + 2 * d, words.data() + zeros,
                          words.data() + zeros + d};
  Buffer<double> sums(device, 2 * chunks * d);
  double* sum2 = sums.data() + chunks * d;
  column_chunks<<<blocks_for(chunks * d, threads), threads, 0, device.stream()>>>(
      X.data(), X.rows(), d, weights.data(), weights.first_positive, scale, extremes, sums.data(), sum2);
  check_launch();
  tree_sum(sums.data(), chunks, d, device);
  tree_sum(sum2, chunks, d, device);
  const std::vector<Word> found = to_host(words.data(), 4 * d + 1, device);
  const auto part = [&](std::ptrdiff_t first) {
    return std::vector<Word>(found.begin() + first, found.begin() + first + d);
  };
  const auto after = static_cast<std::ptrdiff_t>(zeros);
  return {part(0),
          part(after),
          part(d),
          part(after + d),
          found[zeros - 1] == 0,
          to_host(sums.data(), d, device),
          to_host(sum2, d, device)};
}

double largest_of(const std::vector<Word>& bits) {
  double largest = 0;
  for (const Word word : bits) largest = std::max(largest, as_double(word));
  return largest;
}

}  // namespace

void tree_sum(double* values, std::int64_t n, int columns, const Device& device) {
  if (n <= 1) return;
  Buffer<double> other(device, (n + chunk_rows - 1) / chunk_rows * columns);
  double* from = values;
  double* to = other.data();
  while (n > 1) {
    const std::int64_t blocks = (n + chunk_rows - 1) / chunk_rows;
    tree_level<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(columns)), chunk_rows, 0, device.stream()>>>(
        from, n, columns, to);
    check_launch();
    std::swap(from, to);
    n = blocks;
  }
  if (from != values)
    check(cudaMemcpyAsync(values, from, static_cast<std::size_t>(columns) * sizeof(double), cudaMemcpyDeviceToDevice,
                          device.stream()));
}

template <typename T>
Weights make_weights(const std::optional<VectorView<const T>>& weights, std::int64_t n, const Device& device) {
  Weights result;
  result.positive_rows = n;
  if (!weights) return result;
  Buffer<WeightScan> scan(device, 1);
  const WeightScan start{0, none, none, 0};
  device.impl().copy_from_host(scan.data(), &start, sizeof start);
  const unsigned blocks = blocks_for(n, threads, 4096);
  scan_weights<<<blocks, threads, 0, device.stream()>>>(weights->data(), n, scan.data());
  check_launch();
  const WeightScan found = to_host(scan.data(), 1, device).front();
  if (found.first_bad != none)
    throw InvalidArgument("KMeans: the weight of row " + std::to_string(found.first_bad) + " is " +
                          detail::shortest_text(to_host(weights->data() + found.first_bad, 1, device).front()) +
                          ", must be finite and 0 or more");
  const double largest = as_double(found.largest);
  if (!(largest > 0.0)) throw InvalidArgument("KMeans: all " + std::to_string(n) + " weights are zero");
  result.exponent = std::ilogb(largest);
  result.values = Buffer<double>(device, n);
  scale_weights<<<blocks, threads, 0, device.stream()>>>(weights->data(), n, result.exponent, result.values.data(),
                                                         scan.data());
  check_launch();
  const WeightScan scaled = to_host(scan.data(), 1, device).front();
  result.positive_rows = static_cast<std::int64_t>(scaled.positive);
  result.first_positive = static_cast<std::int64_t>(scaled.first_positive);
  return result;
}

template <typename T>
Statistics column_statistics(const MatrixView<const T>& X, const Weights& weights, const MatrixView<const T>* others,
                             const char* method) {
  Pass pass = pass_over(X, weights, 1.0);
  if (!pass.finite) detail::throw_if_not_finite(X, method);
  Statistics result;
  if (sizeof(T) == sizeof(double)) {
    double largest = largest_of(pass.largest);
    if (others != nullptr) largest = std::max(largest, largest_of(pass_over(*others, Weights{}, 1.0).largest));
    const int exponent = largest > 0.0 ? data_scale_exponent(std::ilogb(largest)) : 0;
    result.data_scale = std::ldexp(1.0, exponent);
    if (exponent != 0) pass = pass_over(X, weights, result.data_scale);
  }
  const auto d = static_cast<std::size_t>(X.columns());
  const auto rows = static_cast<double>(weights.positive_rows);
  std::vector<T> pilot(d);
  X.device().impl().copy_to_host(pilot.data(), X.data() + weights.first_positive * X.columns(),
                                 X.columns() * static_cast<std::int64_t>(sizeof(T)));
  for (std::size_t j = 0; j < d; ++j) {
    result.max_abs.push_back(as_double(pass.largest[j]));
    result.min_abs.push_back(as_double(pass.smallest[j]));
    result.lowest.push_back(from_ordered(pass.lowest[j]));
    result.highest.push_back(from_ordered(pass.highest[j]));
    result.variance.push_back((pass.sum2[j] - pass.sum1[j] * pass.sum1[j] / rows) / rows);
    result.mean.push_back(static_cast<double>(pilot[j]) * result.data_scale + pass.sum1[j] / rows);
  }
  return result;
}

template Weights make_weights(const std::optional<VectorView<const float>>&, std::int64_t, const Device&);
template Weights make_weights(const std::optional<VectorView<const double>>&, std::int64_t, const Device&);
template Statistics column_statistics(const MatrixView<const float>&, const Weights&, const MatrixView<const float>*,
                                      const char*);
template Statistics column_statistics(const MatrixView<const double>&, const Weights&, const MatrixView<const double>*,
                                      const char*);

}  // namespace tilelearn::kmeans::cuda
