// The Gram matrix of panels of columns, for one x86-64 level (TILELEARN_LEVEL): register blocks of panel pairs.
#include "linear/gram_cpu_levels.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace tilelearn::linear::cpu::TILELEARN_LEVEL {

namespace {

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__FMA__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
typedef double Lanes __attribute__((vector_size(width * sizeof(double))));
typedef double UnalignedLanes __attribute__((vector_size(width * sizeof(double)), aligned(sizeof(double))));

constexpr int panel_lanes = panel_columns / width;
/// Columns on the left and panels on the right of a register block: 16 sums in the registers of AVX-512, 8 below.
constexpr int left_columns = width;
constexpr int right_panels = width == 8 ? 2 : 1;
/// Columns on the left of a block of pairs.
constexpr int wide_columns = width == 8 ? 4 : 2;
/// Rows after which low words are carried: they are float64 themselves, and as large as the rows that they gather.
constexpr std::int64_t rows_a_carry = 4;

inline Lanes load(const double* from) { return *reinterpret_cast<const UnalignedLanes*>(from); }
inline void store(double* to, Lanes lanes) { *reinterpret_cast<UnalignedLanes*>(to) = lanes; }

/// a b + c, rounded once.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (Lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  Lanes result{};
  for (int l = 0; l < width; ++l) result[l] = __builtin_fma(a[l], b[l], c[l]);
  return result;
#endif
}

/// sums += left^T right for `left_columns` columns and `rights` panels.
template <int rights>
inline void add_block(const double* left, const double* right, std::int64_t rows, double* sums, std::int64_t stride) {
  constexpr int lanes = rights * panel_lanes;
  const std::int64_t panel_size = rows * panel_columns;
  Lanes sum[left_columns][lanes] = {};
  for (std::int64_t i = 0; i < rows; ++i) {
    Lanes b[lanes];
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < lanes; ++k)
      b[k] = load(right + (k / panel_lanes) * panel_size + i * panel_columns + (k % panel_lanes) * width);
#pragma GCC unroll 8
    for (int c = 0; c < left_columns; ++c) {
      const Lanes a = Lanes{} + left[i * panel_columns + c];
#pragma GCC unroll 8
      for (int k = 0; k < lanes; ++k) sum[c][k] = fused(a, b[k], sum[c][k]);
    }
  }
  for (int c = 0; c < left_columns; ++c)
    for (std::int64_t k = 0; k < lanes; ++k) {
      double* place = sums + c * stride + k * width;
      store(place, load(place) + sum[c][k]);
    }
}

void add(const Panels& panels, double* sums) {
  const std::int64_t stride = panels.count * panel_columns;
  const std::int64_t size = panels.rows * panel_columns;
  for (std::int64_t l = 0; l < panels.count; ++l)
    for (int c = 0; c < panel_columns; c += left_columns) {
      const double* left = panels.left + l * size + c;
      double* row = sums + (l * panel_columns + c) * stride;
      std::int64_t r = l;
      for (; r + right_panels <= panels.count; r += right_panels)
        add_block<right_panels>(left, panels.right + r * size, panels.rows, row + r * panel_columns, stride);
      for (; r < panels.count; ++r)
        add_block<1>(left, panels.right + r * size, panels.rows, row + r * panel_columns, stride);
    }
}

/// sum += a b for pairs, the low words of the sum carrying what the high ones lose.
inline void add_product(Lanes a, Lanes a_low, Lanes b, Lanes b_low, Lanes& high, Lanes& low) {
  const Lanes product = a * b;
  const Lanes rest = fused(a, b, -product);
  const Lanes cross = fused(a, b_low, fused(a_low, b, rest));
  const Lanes sum = high + product;
  const Lanes of_product = sum - high;
  const Lanes lost = (high - (sum - of_product)) + (product - of_product);
  high = sum;
  low += lost + cross;
}

/// Moves to the high words what has gathered in the low ones.
inline void carry(Lanes& high, Lanes& low) {
  const Lanes sum = high + low;
  low -= sum - high;
  high = sum;
}

/// (high, low) += (more, more_low), as double-double numbers.
inline void add_pairs(Lanes more, Lanes more_low, double* high, double* low) {
  const Lanes before = load(high);
  const Lanes sum = before + more;
  const Lanes of_more = sum - before;
  const Lanes lost = (before - (sum - of_more)) + (more - of_more);
  const Lanes rest = lost + (load(low) + more_low);
  const Lanes rounded = sum + rest;
  store(high, rounded);
  store(low, rest - (rounded - sum));
}

/// left and right: high words, low words.
inline void add_wide_block(const double* const left[2], const double* const right[2], std::int64_t rows, double* high,
                           double* low, std::int64_t stride) {
  Lanes sum[wide_columns][panel_lanes] = {};
  Lanes sum_low[wide_columns][panel_lanes] = {};
  for (std::int64_t i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < panel_lanes; ++k) {
      const Lanes b = load(right[0] + i * panel_columns + k * width);
      const Lanes b_low = load(right[1] + i * panel_columns + k * width);
#pragma GCC unroll 8
      for (int c = 0; c < wide_columns; ++c)
        add_product(Lanes{} + left[0][i * panel_columns + c], Lanes{} + left[1][i * panel_columns + c], b, b_low,
                    sum[c][k], sum_low[c][k]);
    }
    if (i % rows_a_carry != rows_a_carry - 1) continue;
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < panel_lanes; ++k)
#pragma GCC unroll 8
      for (int c = 0; c < wide_columns; ++c) carry(sum[c][k], sum_low[c][k]);
  }
  for (int c = 0; c < wide_columns; ++c)
    for (std::int64_t k = 0; k < panel_lanes; ++k) {
      const std::int64_t place = c * stride + k * width;
      add_pairs(sum[c][k], sum_low[c][k], high + place, low + place);
    }
}

void add_wide(const WidePanels& panels, double* high, double* low) {
  const std::int64_t stride = panels.count * panel_columns;
  const std::int64_t size = panels.rows * panel_columns;
  for (std::int64_t l = 0; l < panels.count; ++l)
    for (int c = 0; c < panel_columns; c += wide_columns) {
      const double* const left[2] = {panels.left + l * size + c, panels.left_low + l * size + c};
      for (std::int64_t r = l; r < panels.count; ++r) {
        const double* const right[2] = {panels.right + r * size, panels.right_low + r * size};
        const std::int64_t place = (l * panel_columns + c) * stride + r * panel_columns;
        add_wide_block(left, right, panels.rows, high + place, low + place, stride);
      }
    }
}

}  // namespace

void set_gram_loops(GramLoops& loops) {
  loops.add = add;
  loops.add_wide = add_wide;
}

}  // namespace tilelearn::linear::cpu::TILELEARN_LEVEL
