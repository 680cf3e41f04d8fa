// Squared distances of all rows to the nearest of the centres chosen so far, and what a further centre would leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <omp.h>

#include "kmeans/kmeans_cpu_data.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_cpu_masses.hpp"

namespace tilelearn::kmeans::cpu {

template <typename T>
class Nearest {
 public:
  /// For up to `candidates` rows at once.
  Nearest(const Rows<T>& rows, std::int64_t candidates, Workspace& workspace)
      : rows_(rows),
        candidates_(candidates),
        squares_(workspace.take<double>(rows.n, "squared distances")),
        lanes_(workspace.take<double>(rows.threads * rows.d * exact_lanes, "float64 rows")),
        scaled_(workspace.take<double>(candidates * rows.d, "candidates")),
        trial_(workspace.take<double>(rows.threads * candidates * exact_lanes, "distances to candidates")) {
    std::fill_n(squares_, rows.n, std::numeric_limits<double>::infinity());
  }

  /// Takes a row as one more centre.
  void add(std::int64_t center) {
    set_candidates({center});
#pragma omp parallel for num_threads(rows_.threads_for(rows_.d)) schedule(static)
    for (std::int64_t group = 0; group < groups(); ++group) {
      const double* distances = distances_of_group(group, 1);
      const std::int64_t first = group * exact_lanes;
      for (int l = 0; l < rows_of_group(group); ++l) squares_[first + l] = std::min(squares_[first + l], distances[l]);
    }
  }

  /// Total mass that would be left after each of the candidate rows.
  std::vector<std::uint64_t> totals_after(const std::vector<std::int64_t>& candidates, double factor) {
    const auto count = static_cast<std::int64_t>(candidates.size());
    set_candidates(candidates);
    std::vector<std::uint64_t> totals(candidates.size());
    std::uint64_t* sums = totals.data();
    const int threads = rows_.threads_for(count * rows_.d);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sums[:count])
    for (std::int64_t group = 0; group < groups(); ++group)
      add_masses(group, distances_of_group(group, count), count, factor, sums);
    return totals;
  }

  /// w' d2; 0 for rows of weight zero, whose distance may be infinite.
  [[nodiscard]] double value(std::int64_t i) const {
    const double weight = rows_.weight(i);
    return weight > 0.0 ? weight * squares_[i] : 0.0;
  }

  [[nodiscard]] double* squares() { return squares_; }

  /// Exponent and total of the masses for the first time; no mass where all distances are zero.
  void start(Masses& masses) const {
    double largest = 0.0;
#pragma omp parallel for num_threads(rows_.threads_for(1)) schedule(static) reduction(max : largest)
    for (std::int64_t i = 0; i < rows_.n; ++i) largest = std::max(largest, value(i));
    if (largest > 0.0)
      masses.reset(mass_exponent(rows_.n, std::ilogb(largest)), [this](std::int64_t i) { return value(i); });
    else
      masses.reset_to_zero();
  }

 private:
  [[nodiscard]] std::int64_t groups() const { return (rows_.n + exact_lanes - 1) / exact_lanes; }
  [[nodiscard]] int rows_of_group(std::int64_t group) const {
    return static_cast<int>(std::min<std::int64_t>(exact_lanes, rows_.n - group * exact_lanes));
  }

  void set_candidates(const std::vector<std::int64_t>& candidates) {
    double* out = scaled_;
    for (const std::int64_t row : candidates)
      for (std::int64_t j = 0; j < rows_.d; ++j) *out++ = static_cast<double>(rows_.row(row)[j]) * rows_.scale;
  }

  /// count x exact_lanes squared distances, in memory of the calling thread.
  const double* distances_of_group(std::int64_t group, std::int64_t count) {
    double* lanes = lanes_ + omp_get_thread_num() * rows_.d * exact_lanes;
    double* trial = trial_ + omp_get_thread_num() * candidates_ * exact_lanes;
    const T* rows[exact_lanes];
    for (int l = 0; l < rows_of_group(group); ++l) rows[l] = rows_.row(group * exact_lanes + l);
    exact_loops<T>().transpose(rows, rows_of_group(group), rows_.d, rows_.scale, lanes);
    loops().squares(lanes, rows_.d, scaled_, count, trial);
    return trial;
  }

  void add_masses(std::int64_t group, const double* distances, std::int64_t count, double factor,
                  std::uint64_t* sums) const {
    const std::int64_t first = group * exact_lanes;
    for (std::int64_t c = 0; c < count; ++c)
      for (int l = 0; l < rows_of_group(group); ++l) {
        const double weight = rows_.weight(first + l);
        if (weight > 0.0)
          sums[c] += mass(weight * std::min(squares_[first + l], distances[c * exact_lanes + l]), factor);
      }
  }

  const Rows<T>& rows_;
  std::int64_t candidates_;
  double* squares_;  // n
  double* lanes_;    // threads x d x exact_lanes
  double* scaled_;   // candidates x d
  double* trial_;    // threads x candidates x exact_lanes
};

}  // namespace tilelearn::kmeans::cpu
