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

/// Values of one 16-byte load.
template <typename T>
struct Vector16;
template <>
struct Vector16<float> {
  using Type = float4;
};
template <>
struct Vector16<double> {
  using Type = double2;
};

/// sum_j (x_j s - c_j s)^2 in float64 with fma, columns ascending. Reads 16 bytes at a time where both rows allow it: a
/// thread that walks its own row then meets each sector twice and not eight times.
template <typename T>
__device__ double squared_distance(const T* x, const T* c, int d, double scale) {
  constexpr int width = 16 / sizeof(T);
  double sum = 0.0;
  const auto add = [&](T a, T b) {
    const double t = scaled(a, scale) - scaled(b, scale);
    sum = fma(t, t, sum);
  };
  if (d % width == 0 && (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(c)) % 16 == 0) {
    using Vector = typename Vector16<T>::Type;
#pragma unroll 4
    for (int j = 0; j < d; j += width) {
      T a[width];
      T b[width];
      *reinterpret_cast<Vector*>(a) = *reinterpret_cast<const Vector*>(x + j);
      *reinterpret_cast<Vector*>(b) = *reinterpret_cast<const Vector*>(c + j);
#pragma unroll
      for (int u = 0; u < width; ++u) add(a[u], b[u]);
    }
    return sum;
  }
#pragma unroll 8
  for (int j = 0; j < d; ++j) add(x[j], c[j]);
  return sum;
}

}  // namespace tilelearn::kmeans::cuda
