// Steps that the ways to choose first centres share.
#pragma once

#include <cstdint>
#include <functional>

#include "core/philox.hpp"
#include "kmeans/kmeans_cpu_data.hpp"
#include "kmeans/kmeans_cpu_masses.hpp"

namespace tilelearn::kmeans::cpu {

/// Where the random numbers of one purpose come from.
struct Source {
  std::uint64_t seed;
  std::int32_t start;
  Draw first;
  Draw next;

  [[nodiscard]] std::uint64_t bits(Draw purpose, std::uint64_t index) const {
    return philox::bits(seed, stream(start, purpose), index);
  }
};

/// A row in proportion to its weight.
template <typename T>
std::int64_t draw_by_weight(const Rows<T>& rows, std::uint64_t bits, Masses& masses) {
  const auto weight = [&rows](std::int64_t i) { return rows.weight(i); };
  masses.reset(mass_exponent(rows.n, 0), weight);
  return masses.draw(bits, weight);
}

/// Greedy k-means++ on weighted rows.
template <typename T>
void plus_plus(const Rows<T>& rows, std::int32_t k, const Source& source, const std::function<bool()>& stop,
               const Workspace& outer, T* centers);

/// k-means||: candidates gathered in a few rounds, then k-means++ among them.
template <typename T>
void parallel(const Rows<T>& rows, std::int32_t k, Source source, double largest, const std::function<bool()>& stop,
              const Workspace& outer, T* centers);

}  // namespace tilelearn::kmeans::cpu
