// What the loops of the CPU backend share: the rows they read, the memory they work in, the order they add in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include <tilelearn/error.hpp>
#include <tilelearn/kmeans.hpp>
#include <tilelearn/matrix.hpp>

#include "core/cpu_threads.hpp"
#include "core/cpu_workspace.hpp"
#include "core/fixed_point.hpp"
#include "kmeans/kmeans_formulas.hpp"

namespace tilelearn::kmeans::cpu {

using detail::useful_threads;

/// n x d rows, row-major without gaps, with weights w' (null: all 1) and the scale s of kmeans_formulas.hpp.
template <typename T>
struct Rows {
  const T* data = nullptr;
  std::int64_t n = 0;
  std::int64_t d = 0;
  const double* weights = nullptr;
  double scale = 1.0;
  int threads = 1;

  [[nodiscard]] const T* row(std::int64_t i) const { return data + i * d; }
  /// Threads for a loop over all rows.
  [[nodiscard]] int threads_for(std::int64_t operations_each) const {
    return useful_threads(threads, static_cast<double>(n) * static_cast<double>(operations_each));
  }
  [[nodiscard]] double weight(std::int64_t i) const { return weights == nullptr ? 1.0 : weights[i]; }
};

/// Memory inside the device's workspace limit, in the name of k-means.
class Workspace : public detail::CpuWorkspace {
 public:
  explicit Workspace(const Device& device) : Workspace(detail::CpuWorkspace(device, "KMeans")) {}
  /// For a step inside the work that this one serves.
  [[nodiscard]] Workspace nested() const { return Workspace(CpuWorkspace::nested()); }

 private:
  explicit Workspace(detail::CpuWorkspace&& workspace) : detail::CpuWorkspace(std::move(workspace)) {}
};

/// Throws Cancelled when the caller's stop function (which may be empty) says so.
inline void check_stop(const std::function<bool()>& stop) {
  if (stop && stop()) throw Cancelled("KMeans: the fit was stopped by the caller");
}

/// First rows of consecutive chunks: chunk c holds rows [c * chunk_rows, min(n, (c + 1) * chunk_rows)).
inline std::int64_t chunk_count(std::int64_t n) { return (n + chunk_rows - 1) / chunk_rows; }
inline std::int64_t chunk_end(std::int64_t n, std::int64_t chunk) { return std::min(n, (chunk + 1) * chunk_rows); }

/// Words of a weight w' on its grid (wide, e = 0).
inline fixed_point::Words weight_words(double weight) {
  const double y = weight * fixed_point::grid_factor(0);
  const double high = std::nearbyint(y);
  const double low = std::nearbyint((y - high) * fixed_point::low_factor);
  return {static_cast<std::int64_t>(high), static_cast<std::int64_t>(low)};
}

/// tree_sum of kmeans_formulas.hpp; overwrites values.
inline double tree_sum(double* values, std::int64_t n) {
  do {
    std::int64_t next = 0;
    for (std::int64_t first = 0; first < n; first += chunk_rows, ++next) {
      double block[chunk_rows] = {};
      std::copy_n(values + first, std::min<std::int64_t>(chunk_rows, n - first), block);
      for (int half = chunk_rows / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) block[i] += block[i + half];
      values[next] = block[0];
    }
    n = next;
  } while (n > 1);
  return values[0];
}

}  // namespace tilelearn::kmeans::cpu
