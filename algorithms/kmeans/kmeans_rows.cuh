// The rows of a problem on a CUDA device, and the formula that everything is decided by.
#pragma once

#include <cstdint>

namespace tilelearn::kmeans::cuda {

/// n x d rows, row-major, with w' of the formulas (null: every row counts one) and the power of two s.
template <typename T>
struct Rows {
  const T* X;
  std::int64_t n;
  int d;
  const double* weights;
  double scale;

  __device__ double weight(std::int64_t i) const { return weights == nullptr ? 1.0 : weights[i]; }
};

/// x s in float64. The scale of float data is 1.
__device__ inline double scaled(float x, double /*scale*/) { return x; }
__device__ inline double scaled(double x, double scale) { return x * scale; }

/// sum_j (x_j s - c_j s)^2 in float64 with fma, columns ascending.
template <typename T>
__device__ double squared_distance(const T* x, const T* c, int d, double scale) {
  double sum = 0.0;
#pragma unroll 8
  for (int j = 0; j < d; ++j) {
    const double t = scaled(x[j], scale) - scaled(c[j], scale);
    sum = fma(t, t, sum);
  }
  return sum;
}

}  // namespace tilelearn::kmeans::cuda
