// Integer masses of rows: exact totals in any order, and rows drawn in proportion to them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/fixed_point.hpp"
#include "kmeans/kmeans_cpu_data.hpp"

namespace tilelearn::kmeans::cpu {

/// floor((w' value) 2^e), where 2^e is `factor`.
inline std::uint64_t mass(double weighted_value, double factor) {
  return static_cast<std::uint64_t>(weighted_value * factor);
}

/// Masses of n rows, given by value(row) = w' d2, as totals of chunks.
class Masses {
 public:
  Masses(std::int64_t n, int threads, Workspace& workspace)
      : n_(n), threads_(threads), totals_(workspace.take<std::uint64_t>(chunk_count(n), "mass totals")) {}

  /// Starts anew with exponent e, and takes the total.
  template <typename Value>
  void reset(int exponent, const Value& value) {
    exponent_ = exponent;
    take(value);
  }

  /// All rows have no mass.
  void reset_to_zero() { total_ = 0; }

  /// Takes the total; grows the exponent until the total is large enough.
  template <typename Value>
  void take(const Value& value) {
    take_once(value);
    grow_while_small(value);
  }

  template <typename Value>
  void grow_while_small(const Value& value) {
    while (total_ < small_total && exponent_ < max_mass_exponent) {
      exponent_ = clamp_mass_exponent(exponent_ + mass_shift(total_, n_));
      take_once(value);
    }
  }

  /// Takes the mass of one row out of the totals.
  void remove(std::int64_t row, double value) {
    const std::uint64_t gone = mass(value, factor());
    totals_[row / chunk_rows] -= gone;
    total_ -= gone;
  }

  /// The row that random bits draw; total() must not be 0.
  template <typename Value>
  [[nodiscard]] std::int64_t draw(std::uint64_t bits, const Value& value) const {
    std::uint64_t target = mulhi(bits, total_);
    std::int64_t chunk = 0;
    for (; target >= totals_[chunk]; ++chunk) target -= totals_[chunk];
    std::int64_t row = chunk * chunk_rows;
    const double f = factor();
    for (std::uint64_t here = 0; (here = mass(value(row), f)) <= target; ++row) target -= here;
    return row;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] double factor() const { return fixed_point::power_of_two(exponent_); }

 private:
  template <typename Value>
  void take_once(const Value& value) {
    const double f = factor();
#pragma omp parallel for num_threads(useful_threads(threads_, static_cast <double>(n_))) schedule(static)
    for (std::int64_t chunk = 0; chunk < chunk_count(n_); ++chunk) {
      std::uint64_t sum = 0;
      for (std::int64_t i = chunk * chunk_rows; i < chunk_end(n_, chunk); ++i) sum += mass(value(i), f);
      totals_[chunk] = sum;
    }
    total_ = std::accumulate(totals_, totals_ + chunk_count(n_), std::uint64_t{0});
  }

  std::int64_t n_;
  int threads_;
  std::uint64_t* totals_;
  std::uint64_t total_ = 0;
  int exponent_ = 0;
};

}  // namespace tilelearn::kmeans::cpu
