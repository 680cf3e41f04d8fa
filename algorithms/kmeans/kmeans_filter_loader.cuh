// Rows on their way to the tensor cores: centred, scaled, rounded to float16, into shared memory or registers, with
// what the rounding error's bound needs of them.
#pragma once

#include "kmeans/kmeans_filter_prepare.cuh"

namespace tilelearn::kmeans::cuda {

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
            source[pass] != nullptr ? __ldg(reinterpret_cast<const Vector*>(source[pass] + group * group_slots + i))
                                    : Vector{};
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

}  // namespace tilelearn::kmeans::cuda
