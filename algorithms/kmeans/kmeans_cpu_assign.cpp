// The filter's bound, its packing, and the exact decision of the rows it leaves open.
//
// Let x', c' be a row and a centre less a common shift (any shift gives the same order of distances), in units of a
// power of two. The score |c'|^2 / 2 - x'.c' orders the centres as the distances do. In float32, with u = 2^-24, both
// vectors are rounded once, the products summed in d + 1 steps after a rounded |c'|^2 / 2; so a score is off by at most
//   gamma (|x'| |c'| + |c'|^2 / 2),  gamma = (d + 6) u / (1 - (d + 6) u),
// and by d 2^-120 for what may vanish below float32's range. The float64 formula that is the truth is itself off by
// at most (d + 3) 2^-53 |x - c|^2. With C the largest |c'| and |x'| C <= (|x'|^2 + C^2) / 2, two scores further apart
// than twice the sum of these are in the true order. All is rounded up by a few percent for the bound's own arithmetic.
// Source of the dot product's bound: N. Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002, section 3.1.
#include "kmeans/kmeans_cpu_assign.hpp"

#include <cmath>
#include <limits>

#include <omp.h>

#include "core/fixed_point.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

/// More than any score, less than the filter's start value: a panel's places beyond k never win.
constexpr float padding_score = 1e38F;
/// Candidates that the exact decision computes at once.
constexpr std::int64_t exact_block = 64;

template <typename T>
double largest_norm(const T* centers, std::int64_t k, std::int64_t d, const T* shift, double scale) {
  double largest = 0.0;
  for (std::int64_t c = 0; c < k; ++c) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < d; ++j) {
      const double y = (static_cast<double>(centers[c * d + j]) - static_cast<double>(shift[j])) * scale;
      sum += y * y;
    }
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

}  // namespace

template <typename T>
Assigner<T>::Assigner(std::int64_t k, std::int64_t d, double scale, double largest, int threads, Workspace& workspace)
    : d_(d), scale_(scale), largest_row_(largest), threads_(threads) {
  const std::int64_t width = loops().panel_width;
  const std::int64_t padded = (k + width - 1) / width * width;
  shift_ = workspace.take<T>(d, "shift");
  packed_ = workspace.take<float>(padded * d, "packed centres");
  half_norms_ = workspace.take<float>(padded, "half norms");
  scaled_ = workspace.take<double>(k * d, "float64 centres");
  tiles_ = workspace.take<float>(threads * d * tile_rows, "row tiles");
  lanes_ = workspace.take<double>(threads * d * exact_lanes, "float64 rows");
}

template <typename T>
void Assigner<T>::set_centers(const T* centers, std::int64_t k) {
  k_ = k;
  panels_ = (k + loops().panel_width - 1) / loops().panel_width;
  double largest = largest_row_;
  for (std::int64_t j = 0; j < d_; ++j) {
    double mean = 0.0;
    for (std::int64_t c = 0; c < k; ++c) {
      const auto value = static_cast<double>(centers[c * d_ + j]);
      mean += value / static_cast<double>(k);
      largest = std::max(largest, std::abs(value));
    }
    shift_[j] = static_cast<T>(mean);
  }
  // Shifted values are below 4 2^ilogb(largest); near the type's limits the scale is clamped or the filter left out.
  constexpr int limit = std::numeric_limits<T>::max_exponent - 2;
  const int exponent = largest > 0.0 ? std::ilogb(largest) + 2 : 0;
  use_filter_ = exponent <= limit;
  filter_scale_ = static_cast<T>(fixed_point::power_of_two(std::min(std::max(-exponent, -limit), limit)));
  if (use_filter_) set_bound(largest_norm(centers, k, d_, shift_, static_cast<double>(filter_scale_)));
  if (use_filter_)
    for (std::int64_t panel = 0; panel < panels_; ++panel) pack_panel(centers, panel);
  for (std::int64_t i = 0; i < k * d_; ++i) scaled_[i] = static_cast<double>(centers[i]) * scale_;
}

template <typename T>
void Assigner<T>::set_bound(double largest_center_norm) {
  constexpr double unit = 0x1p-24;
  constexpr double rounded_up = 1.05;
  const auto d = static_cast<double>(d_);
  const double share = (d + 6.0) * unit;
  if (share > 0.02) {  // the bound's own higher-order terms would count; so many columns hide the cost of float64
    use_filter_ = false;
    return;
  }
  const double gamma = share / (1.0 - share);
  const double squared = largest_center_norm * largest_center_norm;
  const double truth = (d + 4.0) * 0x1p-53;
  // |score error| <= gamma (|x|^2 / 2 + C^2 / 2 + C^2 / 2) + truth (|x|^2 + C^2) + tiny
  limit_slope_ = static_cast<float>(2.0 * rounded_up * (gamma / 2.0 + truth));
  limit_base_ = static_cast<float>(2.0 * rounded_up * ((gamma + truth) * squared + d * 0x1p-120));
}

template <typename T>
void Assigner<T>::pack_panel(const T* centers, std::int64_t panel) {
  const std::int64_t width = loops().panel_width;
  const auto scale = static_cast<double>(filter_scale_);
  float* packed = packed_ + panel * d_ * width;
  for (std::int64_t c = 0; c < width; ++c) {
    const std::int64_t center = panel * width + c;
    double norm = 0.0;
    for (std::int64_t j = 0; j < d_; ++j) {
      double y = 0.0;
      if (center < k_) y = (static_cast<double>(centers[center * d_ + j]) - static_cast<double>(shift_[j])) * scale;
      packed[j * width + c] = static_cast<float>(-y);
      norm += y * y;
    }
    half_norms_[center] = center < k_ ? static_cast<float>(norm / 2.0) : padding_score;
  }
}

template <typename T>
void Assigner<T>::nearest(const T* rows, std::int64_t count, int thread, std::int32_t* labels) const {
  alignas(64) float norms[tile_rows];
  std::int32_t index[tile_rows];
  std::uint8_t undecided[tile_rows];
  const T* open_rows[exact_lanes];
  std::int32_t* open_labels[exact_lanes];
  std::int32_t decided[exact_lanes];
  int open = 0;
  const auto flush = [&] {
    if (open == 0) return;
    decide_exactly(open_rows, open, thread, decided);
    for (int i = 0; i < open; ++i) *open_labels[i] = decided[i];
    open = 0;
  };
  float* tile = tiles_ + thread * d_ * tile_rows;
  for (std::int64_t first = 0; first < count; first += tile_rows) {
    const int here = static_cast<int>(std::min<std::int64_t>(tile_rows, count - first));
    if (use_filter_) {
      pack_loop<T>().pack(rows + first * d_, here, d_, shift_, filter_scale_, tile, norms);
      loops().filter({tile, norms, d_, packed_, half_norms_, panels_, limit_slope_, limit_base_, index, undecided});
    } else {
      std::fill_n(undecided, tile_rows, std::uint8_t{1});
    }
    for (int i = 0; i < here; ++i) {
      if (undecided[i] == 0) {
        labels[first + i] = index[i];
        continue;
      }
      open_rows[open] = rows + (first + i) * d_;
      open_labels[open] = labels + first + i;
      if (++open == exact_lanes) flush();
    }
  }
  flush();
}

template <typename T>
void Assigner<T>::decide_exactly(const T* const* rows, int count, int thread, std::int32_t* labels) const {
  alignas(64) double squares[exact_block * exact_lanes];
  double best[exact_lanes];
  std::fill_n(best, exact_lanes, std::numeric_limits<double>::infinity());
  std::fill_n(labels, exact_lanes, 0);
  double* lanes = lanes_ + thread * d_ * exact_lanes;
  exact_loops<T>().transpose(rows, count, d_, scale_, lanes);
  for (std::int64_t first = 0; first < k_; first += exact_block) {
    const std::int64_t here = std::min(exact_block, k_ - first);
    loops().squares(lanes, d_, scaled_ + first * d_, here, squares);
    for (std::int64_t c = 0; c < here; ++c)
      for (int l = 0; l < exact_lanes; ++l)
        if (squares[c * exact_lanes + l] < best[l]) {
          best[l] = squares[c * exact_lanes + l];
          labels[l] = static_cast<std::int32_t>(first + c);
        }
  }
}

template <typename T>
void assign_rows(const Rows<T>& rows, const Assigner<T>& assigner, std::int32_t* labels) {
#pragma omp parallel for num_threads(rows.threads_for(assigner.operations_each())) schedule(dynamic, 16)
  for (std::int64_t chunk = 0; chunk < chunk_count(rows.n); ++chunk) {
    const std::int64_t first = chunk * chunk_rows;
    assigner.nearest(rows.row(first), chunk_end(rows.n, chunk) - first, omp_get_thread_num(), labels + first);
  }
}

template class Assigner<float>;
template class Assigner<double>;
template void assign_rows<float>(const Rows<float>&, const Assigner<float>&, std::int32_t*);
template void assign_rows<double>(const Rows<double>&, const Assigner<double>&, std::int32_t*);

}  // namespace tilelearn::kmeans::cpu
