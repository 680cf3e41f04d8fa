// Vectors of one x86-64 level and the three norms on them, for the sources named *_levels.cpp alone.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <typename T>
struct Lane;
template <>
struct Lane<float> {
  static constexpr int width = vector_bytes / sizeof(float);
  static constexpr std::int32_t magnitude = 0x7FFFFFFF;
  typedef float Values __attribute__((vector_size(vector_bytes)));
  typedef float Unaligned __attribute__((vector_size(vector_bytes), aligned(sizeof(float))));
  typedef std::int32_t Bits __attribute__((vector_size(vector_bytes)));
};
template <>
struct Lane<double> {
  static constexpr int width = vector_bytes / sizeof(double);
  static constexpr std::int64_t magnitude = 0x7FFFFFFFFFFFFFFF;
  typedef double Values __attribute__((vector_size(vector_bytes)));
  typedef double Unaligned __attribute__((vector_size(vector_bytes), aligned(sizeof(double))));
  typedef std::int64_t Bits __attribute__((vector_size(vector_bytes)));
};

template <typename T>
inline typename Lane<T>::Values load(const T* from) {
  return *reinterpret_cast<const typename Lane<T>::Unaligned*>(from);
}

template <typename T>
inline typename Lane<T>::Values magnitude(typename Lane<T>::Values t) {
  typedef typename Lane<T>::Bits Bits;
  typedef typename Lane<T>::Values Values;
  return reinterpret_cast<Values>(reinterpret_cast<Bits>(t) & Lane<T>::magnitude);
}

template <typename Values>
inline Values larger(Values a, Values b) {
  return a > b ? a : b;
}

/// How a difference joins the sum over columns, and how two sums are joined.
struct Euclidean {
  template <typename T>
  static inline typename Lane<T>::Values join(typename Lane<T>::Values sum, typename Lane<T>::Values t) {
    return sum + t * t;
  }
  static inline double joined(double a, double b) { return a + b; }
};
struct Manhattan {
  template <typename T>
  static inline typename Lane<T>::Values join(typename Lane<T>::Values sum, typename Lane<T>::Values t) {
    return sum + magnitude<T>(t);
  }
  static inline double joined(double a, double b) { return a + b; }
};
struct Chebyshev {
  template <typename T>
  static inline typename Lane<T>::Values join(typename Lane<T>::Values sum, typename Lane<T>::Values t) {
    return larger(sum, magnitude<T>(t));
  }
  static inline double joined(double a, double b) { return larger(a, b); }
};

/// One bit for each lane that `limit` does not exclude: less than it, or NaN on either side.
inline std::uint64_t bits_not_at_least(Lane<float>::Values a, float limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(a, _mm512_set1_ps(limit), _CMP_NGE_UQ);
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_set1_ps(limit), _CMP_NGE_UQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpnge_ps(a, _mm_set1_ps(limit))));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < Lane<float>::width; ++i) bits |= std::uint64_t{!(a[i] >= limit)} << i;
  return bits;
#endif
}
inline std::uint64_t bits_not_at_least(Lane<double>::Values a, double limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(a, _mm512_set1_pd(limit), _CMP_NGE_UQ);
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_set1_pd(limit), _CMP_NGE_UQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_pd(_mm_cmpnge_pd(a, _mm_set1_pd(limit))));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < Lane<double>::width; ++i) bits |= std::uint64_t{!(a[i] >= limit)} << i;
  return bits;
#endif
}

/// One bit for each lane at or below `limit`.
inline std::uint64_t bits_at_most(Lane<float>::Values a, float limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(a, _mm512_set1_ps(limit), _CMP_LE_OQ);
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_set1_ps(limit), _CMP_LE_OQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(a, _mm_set1_ps(limit))));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < Lane<float>::width; ++i) bits |= std::uint64_t{a[i] <= limit} << i;
  return bits;
#endif
}
inline std::uint64_t bits_at_most(Lane<double>::Values a, double limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(a, _mm512_set1_pd(limit), _CMP_LE_OQ);
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_set1_pd(limit), _CMP_LE_OQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_pd(_mm_cmple_pd(a, _mm_set1_pd(limit))));
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < Lane<double>::width; ++i) bits |= std::uint64_t{a[i] <= limit} << i;
  return bits;
#endif
}

}  // namespace tilelearn::dbscan::cpu::TILELEARN_LEVEL
