// The formulas that both backends compute, so that one seed gives one start and one answer on every device.
// Formulas only: the loops around them are each backend's own.
//
// Squared distance   acc = 0; for j ascending: t = double(x_j) s - double(c_j) s; acc = fma(t, t, acc)
//                    s is 1 for float data; for double data 2^data_scale_exponent(ilogb(max |value|)), the largest of
//                    the rows of positive weight and the centres of the call (in a fit: the given first centres). A
//                    fit's last labels are those of predict (scale of all rows and the returned centres), its
//                    inertia is that of score. Where all values are 0, s is 1.
// Nearest centre     smallest squared distance, the lowest index of equals.
// Weights            w' = w * 2^-ilogb(max w), so that the largest is in [1, 2); without weights w' = 1. A row has a
//                    positive weight where w' > 0 in float64.
// Mass of a row      floor((w' d2) 2^e) as a 64-bit integer; masses are added exactly, so prefix sums and totals are
//                    order-free. e starts as mass_exponent(n, ilogb(max w' d2)); whenever a total S falls under 2^40, e
//                    grows by mass_shift(S, n) and the total is taken again (until it is large enough or
//                    e = max_mass_exponent; e never shrinks while centres are added). n counts all rows; S is 0
//                    where max w' d2 is.
// Weight mass        mass with d2 = 1; e starts as mass_exponent(n, 0) in every draw of a first or fallback centre.
// Drawing a row      target = mulhi(bits, S); the first row whose inclusive prefix sum of masses exceeds it.
//
// First centre       drawn by weight mass: bits(seed, stream(start, Draw::first), 0).
// k-means++          for centre t = 1..k-1: L = trials(k) rows drawn by mass of d2 (distance to the nearest centre so
//                    far) with bits(seed, stream(start, Draw::plus_plus), t L + trial). The trial whose new total mass
//                    sum floor(w' min(d2, d2(row, candidate)) 2^e) is least wins, the lowest trial of equals.
//                    Where S is 0 (fewer distinct rows than clusters) the centre is drawn by weight mass with the
//                    same bits as trial 0.
// k-means||          first centre as above; then parallel_rounds times: row i joins the candidates where
//                    joins(bits(seed, stream(start, Draw::parallel), round n + i), S, mass_i, 2k); candidates stay in
//                    row order within a round; d2 is then taken to all candidates so far. (A round with S = 0 adds
//                    none.) Each candidate weighs the sum of w' of the rows nearest to it. Fewer than k candidates:
//                    k-means++ on all rows instead. Else k-means++ on the candidates as weighted rows, with
//                    Draw::recluster_first and Draw::recluster in place of Draw::first and Draw::plus_plus.
// Random             k draws by weight mass, bits(seed, stream(start, Draw::random), t), a chosen row's mass set to 0
//                    (e is kept from draw to draw).
//
// Sums for centres   fixed point (core/fixed_point.hpp) of y = w' (x_j s), column by column wide if weighted or T is
//                    double or !narrow_enough; grid exponent grid_exponent(ilogb(max |x_j s|) + (weighted ? 1 : 0)), so
//                    grid_exponent(-900) for a column of zeros. Sum of w' likewise (wide, e = 0), or the count; a
//                    cluster is empty where that sum is 0. centre_j = T(sum / weight / s) in float64.
// Centre shift       tree_sum over the clusters of the squared distance (scaled by s) from old to new centre; a fit
//                    stops where it is <= tol (sum of variance_j, columns ascending) / d.
// Column statistics  over the rows of positive weight: max |x_j|, min |x_j|, and with p = the first such row, float64
//                    sums of t = x_j s - p_j s and t t (fma), rows ascending inside chunks of 256 rows (by row index),
//                    then tree_sum over the chunks. variance_j = (sum2 - sum1 sum1 / n') / n', n' rows (in units of 1 /
//                    s^2).
// tree_sum           values v_0..: pad with zeros to a multiple of 256; in each 256 for h = 128, 64, .., 1:
//                    v[i] += v[i + h] for i < h; the v[0]s form the next level, until one value is left.
// Inertia            tree_sum over all rows of (w d2) / s / s, w as given (0 for rows of weight zero).
#pragma once

#include <cstdint>

namespace tilelearn::kmeans {

/// What random numbers are drawn for; every purpose of every start has a stream of its own.
enum class Draw : std::uint64_t { first, plus_plus, parallel, recluster_first, recluster, random };

constexpr std::uint64_t stream(std::int32_t start, Draw purpose) {
  return static_cast<std::uint64_t>(start) * 8 + static_cast<std::uint64_t>(purpose);
}

/// Candidates tried for each centre of greedy k-means++: 2 + floor(ln k), as scikit-learn has it.
constexpr int trials(std::int32_t k) {
  // e^m rounded up for m = 1.., so that no logarithm's rounding can differ between devices
  constexpr std::int64_t powers[] = {3,       8,       21,       55,       149,       404,       1097,
                                     2981,    8104,    22027,    59875,    162755,    442414,    1202605,
                                     3269018, 8886111, 24154953, 65659970, 178482301, 485165196, 1318815735};
  int logarithm = 0;
  for (const std::int64_t power : powers) logarithm += k >= power ? 1 : 0;
  return 2 + logarithm;
}

inline constexpr int parallel_rounds = 5;
inline constexpr int max_mass_exponent = 1000;
inline constexpr std::uint64_t small_total = std::uint64_t{1} << 40;

/// Bits that n needs.
constexpr int bit_length(std::uint64_t n) {
  int bits = 0;
  for (; n != 0; n >>= 1) ++bits;
  return bits;
}

constexpr int clamp_mass_exponent(int exponent) {
  return exponent > max_mass_exponent    ? max_mass_exponent
         : exponent < -max_mass_exponent ? -max_mass_exponent
                                         : exponent;
}

/// e for which n masses of at most 2^(ilogb_of_max + 1) add up to at most 2^62.
constexpr int mass_exponent(std::int64_t n, int ilogb_of_max) {
  return clamp_mass_exponent(61 - bit_length(static_cast<std::uint64_t>(n)) - ilogb_of_max);
}

/// Growth of e after which a total S of n floors is still at most 2^62.
constexpr int mass_shift(std::uint64_t total, std::int64_t n) {
  return 61 - bit_length(total + static_cast<std::uint64_t>(n));
}

/// Upper 64 bits of the 128-bit product.
constexpr std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xFFFFFFFF;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_low = b & 0xFFFFFFFF;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + ((a_low * b_low) >> 32);
  const std::uint64_t middle2 = a_low * b_high + (middle & 0xFFFFFFFF);
  return a_high * b_high + (middle >> 32) + (middle2 >> 32);
}

/// Whether a row of k-means|| joins: probability min(1, oversampling mass / total).
constexpr bool joins(std::uint64_t bits, std::uint64_t total, std::uint64_t mass, std::uint64_t oversampling) {
  if (mass == 0) return false;
  if (mass > total / oversampling) return true;
  return mulhi(bits, total) < mass * oversampling;
}

/// Exponent of the power of two that double data are multiplied by; 0 (no scaling) for |x| from 2^-400 to 2^400.
constexpr int data_scale_exponent(int ilogb_of_max) {
  return ilogb_of_max > 400 || ilogb_of_max < -400 ? (ilogb_of_max < -1000 ? 1000 : -ilogb_of_max) : 0;
}

/// Whether a column of float data may be summed narrow: its grid is far finer than its spread, or finer than the
/// spacing of the smallest of its values.
constexpr bool narrow_enough(double max_abs, double min_abs, double variance) {
  return max_abs * max_abs <= 4096.0 * variance || max_abs <= 64.0 * min_abs;
}

inline constexpr int chunk_rows = 256;

}  // namespace tilelearn::kmeans
