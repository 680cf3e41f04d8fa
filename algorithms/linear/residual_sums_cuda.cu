// Residuals of a plane and their compensated products with the columns, on a GPU: one leaf of rows a block.
#include <algorithm>

#include <tilelearn/error.hpp>

#include "linear/leaf_sums.cuh"
#include "linear/linear_passes.cuh"
#include "linear/linear_rows.cuh"
#include "linear/plane_vectors.hpp"

namespace tilelearn::linear::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::to_device;

namespace {

constexpr int threads = 256;
constexpr std::int64_t leaf_rows = 4096;
constexpr int most_chunk_rows = 64;
/// Doubles of shared memory that a chunk takes, while one row fits.
constexpr int chunk_values = 6144;
constexpr int most_values = 28000;

/// One chunk in shared memory: rows in units, then residuals, then these times the weights.
struct ResidualShape {
  int p;
  int t;
  int rows;

  ResidualShape(int width, int targets)
      : p(width), t(targets), rows(std::clamp(chunk_values / (width + 2 * targets), 1, most_chunk_rows)) {}

  [[nodiscard]] int values() const { return rows * (p + 2 * t); }
  [[nodiscard]] __host__ __device__ std::int64_t elements() const { return std::int64_t{t} * (p + 1); }
};

__device__ inline double warp_sum(double value) {
  for (int h = 16; h > 0; h /= 2) value += __shfl_xor_sync(0xFFFFFFFF, value, h);
  return value;
}

/// result[leaf][target][column], then [target]: compensated sums of w r column, and sums of w r r. `plane` is
/// [target][p], 0 for the columns of targets.
template <typename T>
__global__ void __launch_bounds__(threads)
    sum_residuals(const __grid_constant__ DeviceRows<T> rows, const ColumnUnit* units, const double* plane,
                  const __grid_constant__ ResidualShape shape, std::int64_t first_leaf, double2* result) {
  extern __shared__ __align__(16) double chunk[];
  double* residuals = chunk + shape.rows * shape.p;
  double* weighted = residuals + shape.rows * shape.t;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int p = shape.p;
  const int t = shape.t;
  const std::int64_t begin = (first_leaf + blockIdx.x) * leaf_rows;
  const std::int64_t end = min(begin + leaf_rows, rows.n);
  double2* sums = result + std::int64_t{blockIdx.x} * shape.elements();
  for (std::int64_t first = begin; first < end; first += shape.rows) {
    const int count = static_cast<int>(min(std::int64_t{shape.rows}, end - first));
    __syncthreads();
    // a warp reads along what lies together in memory
    if (rows.X.by_rows()) {
      for (int r = thread / 32; r < count; r += threads / 32)
        for (int j = lane; j < p; j += 32)
          chunk[r * p + j] = in_units(static_cast<double>(rows.value(first + r, j)), units[j]);
    } else {
      for (int j = thread / 32; j < p; j += threads / 32)
        for (int r = lane; r < count; r += 32)
          chunk[r * p + j] = in_units(static_cast<double>(rows.value(first + r, j)), units[j]);
    }
    __syncthreads();
    for (int i = thread / 32; i < count * t; i += threads / 32) {
      const int r = i / t;
      const int k = i % t;
      double sum = 0.0;
      for (int j = lane; j < p; j += 32) sum = fma(plane[std::int64_t{k} * p + j], chunk[r * p + j], sum);
      const double residual = chunk[r * p + p - 1 - t + k] - warp_sum(sum);
      if (lane != 0) continue;
      residuals[i] = residual;
      weighted[i] = rows.weight(first + r) * residual;
    }
    __syncthreads();
    const std::int64_t products = std::int64_t{t} * p;
    for (std::int64_t e = thread; e < shape.elements(); e += threads) {
      double2 sum = first == begin ? double2{0.0, 0.0} : sums[e];
      const int k = static_cast<int>(e < products ? e / p : e - products);
      const int j = static_cast<int>(e % p);
      for (int r = 0; r < count; ++r) {
        const double one = weighted[r * t + k];
        if (e >= products) {
          sum.x = fma(one, residuals[r * t + k], sum.x);
          continue;
        }
        const DoubleDouble term = two_product(one, chunk[r * p + j]);
        const DoubleDouble high = two_sum(sum.x, term.high);
        sum.x = high.high;
        sum.y += high.low + term.low;
      }
      sums[e] = sum;
    }
  }
}

}  // namespace

template <typename T>
ResidualSums residual_sums(const Rows<T>& rows, const Units& units, const Plane& plane) {
  const Device& device = rows.X.device();
  const tilelearn::cuda::CurrentDevice current(device.index());
  const ResidualShape shape(static_cast<int>(rows.width()), static_cast<int>(rows.Y.columns()));
  if (shape.values() > most_values)
    throw InvalidArgument("a linear model: corrections on a GPU take up to " + std::to_string(most_values) +
                          " columns and targets; choose another solver or the CPU");
  const DeviceRows<T> device_rows(rows, units);
  const Buffer<ColumnUnit> column_units = upload_units(units, shape.p, device);
  const Buffer<double> device_plane = to_device(by_target(plane, shape.p - 1, shape.p), device);
  const int bytes = shape.values() * static_cast<int>(sizeof(double));
  check(cudaFuncSetAttribute(sum_residuals<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const Buffer<double2> total = sum_leaves<double2>(
      (device_rows.n + leaf_rows - 1) / leaf_rows, shape.elements(), device,
      [&](std::int64_t first, std::int64_t count, double2* sums) {
        sum_residuals<<<static_cast<unsigned>(count), threads, static_cast<std::size_t>(bytes), device.stream()>>>(
            device_rows, column_units.data(), device_plane.data(), shape, first, sums);
      });
  const std::vector<double2> sums = tilelearn::cuda::to_host(total.data(), shape.elements(), device);
  const auto at = [&](std::int64_t i) {
    return sums[static_cast<std::size_t>(i)].x + sums[static_cast<std::size_t>(i)].y;
  };
  return residual_sums_of(rows.X.columns(), shape.t, shape.p, at);
}

template ResidualSums residual_sums(const Rows<float>&, const Units&, const Plane&);
template ResidualSums residual_sums(const Rows<double>&, const Units&, const Plane&);

}  // namespace tilelearn::linear::cuda
