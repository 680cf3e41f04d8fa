// The exact nearest centre of every row: a float32 filter with a proven bound decides nearly all rows, float64 the
// rest.
#pragma once

#include <cstdint>

#include "kmeans/kmeans_cpu_data.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu {

template <typename T>
class Assigner {
 public:
  /// For centres up to k x d and rows with |value| <= largest, on up to `threads` threads.
  Assigner(std::int64_t k, std::int64_t d, double scale, double largest, int threads, Workspace& workspace);

  /// Prepares for these k x d centres (k at most the constructor's); they are not kept.
  void set_centers(const T* centers, std::int64_t k);

  /// Operations that one row takes, for the choice of threads.
  [[nodiscard]] std::int64_t operations_each() const { return k_ * d_ / 8 + d_; }

  /// Labels of up to chunk_rows contiguous rows. Threads with different numbers may call at once.
  void nearest(const T* rows, std::int64_t count, int thread, std::int32_t* labels) const;

 private:
  void set_bound(double largest_center_norm);
  void pack_panel(const T* centers, std::int64_t panel);
  void decide_exactly(const T* const* rows, int count, int thread, std::int32_t* labels) const;

  std::int64_t k_ = 0;
  std::int64_t d_;
  double scale_;
  double largest_row_;
  int threads_;
  T* shift_;            // d: about the mean of the centres
  T filter_scale_ = 1;  // power of two that brings shifted rows and centres to magnitudes about 1
  bool use_filter_ = true;
  float limit_slope_ = 0;
  float limit_base_ = 0;
  std::int64_t panels_ = 0;
  float* packed_;      // panels x d x panel_width, negated
  float* half_norms_;  // panels x panel_width
  double* scaled_;     // k x d, float64
  float* tiles_;       // threads x d x tile_rows
  double* lanes_;      // threads x d x exact_lanes
};

/// Labels of all rows.
template <typename T>
void assign_rows(const Rows<T>& rows, const Assigner<T>& assigner, std::int32_t* labels);

}  // namespace tilelearn::kmeans::cpu
