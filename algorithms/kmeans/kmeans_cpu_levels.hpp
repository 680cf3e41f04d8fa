// The hot loops of k-means on the CPU, compiled for several x86-64 levels and chosen when first used.
//
// Objects of one level hold nothing but these loops: no std templates, whose weak symbols another level could take
// over.
#pragma once

#include <cstdint>

#include "core/cpu_levels.hpp"

namespace tilelearn::kmeans::cpu {

/// Rows that the exact loops take at once, one a vector lane.
inline constexpr int exact_lanes = 16;
/// Rows that the float32 filter takes at once.
inline constexpr int tile_rows = 32;

/// Rows of one chunk that change their cluster; sums are words of fixed_point.hpp plus a bias a word, see sum_bias.
template <typename T>
struct SumMoves {
  const T* rows;  ///< count x d
  std::int64_t count;
  std::int64_t d;
  const double* weights;  ///< w', null: all 1
  double scale;
  const double* factors;      ///< d grid factors
  const double* low_factors;  ///< d, 2^30 or (narrow column) 0; null: no column is wide
  const std::int32_t* from;   ///< -1: from no cluster
  const std::int32_t* to;
  std::uint64_t* high;  ///< k x d
  std::uint64_t* low;   ///< k x d, null where low_factors is
};

/// Sums and ranges of some columns over the rows of one chunk.
template <typename T>
struct ChunkMoments {
  const T* rows;  ///< first row, first column
  std::int64_t count;
  std::int64_t d;  ///< from row to row
  std::int64_t columns;
  const double* weights;  ///< rows of weight zero are left out; null: none is
  const T* pilot;
  double scale;
  double* sum1;  ///< each of `columns` values
  double* sum2;
  double* max_abs;
  double* min_abs;
};

/// Loops whose results are part of the contract: float64, fused only where written.
template <typename T>
struct ExactLoops {
  /// lanes[j * exact_lanes + l] = rows[l][j] scale; the last of `count` rows fills the lanes beyond.
  void (*transpose)(const T* const* rows, int count, std::int64_t d, double scale, double* lanes);
  /// out[i] = squared distance of row i to the centre that labels[i] names.
  void (*labelled)(const T* rows, std::int64_t count, std::int64_t d, double scale, const T* centers,
                   const std::int32_t* labels, double* out);
  /// Adds one chunk to sums of t = x scale - pilot scale and t t, and widens the ranges.
  void (*moments)(const ChunkMoments<T>& chunk);
  /// Applies the moves of one chunk to the sums.
  void (*move)(const SumMoves<T>& moves);
};

/// out[c * exact_lanes + l] = squared distance of lane l to candidate c (candidates: count x d, scaled).
using SquaresLoop = void (*)(const double* lanes, std::int64_t d, const double* candidates, std::int64_t count,
                             double* out);

/// Scores of tile_rows rows: score = half norm of the centre - dot product, kept as best, index of best, second best.
struct FilterTile {
  const float* rows;   ///< d x tile_rows, shifted and scaled
  const float* norms;  ///< squared norms of the rows
  std::int64_t d;
  const float* centers;     ///< panels x d x panel_width, negated
  const float* half_norms;  ///< panels x panel_width
  std::int64_t panels;
  float limit_slope;  ///< a row is decided where second - best > limit_slope norm + limit_base
  float limit_base;
  std::int32_t* index;      ///< tile_rows
  std::uint8_t* undecided;  ///< tile_rows
};

/// Loops of the float32 filter, whose rounding its bound covers.
template <typename T>
struct PackLoop {
  /// tile[j * tile_rows + i] = float((rows[i][j] - shift[j]) scale) and squared norms; zeros beyond `count`.
  void (*pack)(const T* rows, int count, std::int64_t d, const T* shift, T scale, float* tile, float* norms);
};

struct Loops {
  ExactLoops<float> exact_float;
  ExactLoops<double> exact_double;
  SquaresLoop squares;
  PackLoop<float> pack_float;
  PackLoop<double> pack_double;
  void (*filter)(const FilterTile& tile);
  int panel_width;
};

Loops loops_of(detail::CpuLevel level);

/// The loops for this machine.
const Loops& loops();

template <typename T>
const ExactLoops<T>& exact_loops();
template <typename T>
const PackLoop<T>& pack_loop();

/// 1.5 2^52: adding it to |v| <= 2^51 rounds v to an integer, ties to even, in the low bits of the sum.
inline constexpr double rounding_magic = 6755399441055744.0;

}  // namespace tilelearn::kmeans::cpu
