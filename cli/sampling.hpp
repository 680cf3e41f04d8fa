// Rows drawn with the seed, where all of them would be too many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/philox.hpp"

namespace tilelearn::cli {

/// What rows are drawn for; each use has random numbers of its own, none of them those of a fit.
enum class SampleUse : std::uint64_t { silhouette = std::uint64_t{1} << 40, plot, distances, held_out };

/// At most `most` of the rows, ascending: those with the least random keys.
inline std::vector<std::int64_t> sample_rows(const std::vector<std::int64_t>& rows, std::int64_t most,
                                             std::uint64_t seed, SampleUse use) {
  if (static_cast<std::int64_t>(rows.size()) <= most) return rows;
  std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
  keys.reserve(rows.size());
  for (const std::int64_t row : rows)
    keys.emplace_back(philox::bits(seed, static_cast<std::uint64_t>(use), static_cast<std::uint64_t>(row)), row);
  std::nth_element(keys.begin(), keys.begin() + most, keys.end());
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < most; ++i) result.push_back(keys[static_cast<std::size_t>(i)].second);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace tilelearn::cli
