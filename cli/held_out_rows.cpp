#include "held_out_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sampling.hpp"

namespace tilelearn::cli {

std::vector<std::int64_t> hold_out(const std::vector<std::int64_t>& rows, double fraction, std::uint64_t seed) {
  constexpr std::int64_t fewest = 2;
  const auto all = static_cast<std::int64_t>(rows.size());
  const std::int64_t wanted = std::min<std::int64_t>(std::llround(fraction * static_cast<double>(all)), all - 1);
  if (wanted < fewest) return {};
  std::vector<std::int64_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::vector<std::int64_t> held_out = sample_rows(places, wanted, seed, SampleUse::held_out);
  for (std::int64_t& row : held_out) row = rows[static_cast<std::size_t>(row)];
  return held_out;
}

}  // namespace tilelearn::cli
