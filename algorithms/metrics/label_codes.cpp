#include "metrics/label_codes.hpp"

#include <algorithm>

namespace tilelearn::metrics {

namespace {

/// Sorted, without repetitions. A run of equal labels is entered once, which keeps the list short on grouped data.
std::vector<std::int32_t> distinct_labels(const std::vector<std::int32_t>& values) {
  constexpr std::size_t compact_at = std::size_t{1} << 16;
  const auto compact = [](std::vector<std::int32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  std::vector<std::int32_t> result;
  std::size_t limit = compact_at;
  for (const std::int32_t value : values) {
    if (!result.empty() && result.back() == value) continue;
    result.push_back(value);
    if (result.size() < limit) continue;
    compact(result);
    limit = std::max(compact_at, 2 * result.size());
  }
  compact(result);
  return result;
}

}  // namespace

LabelCodes encode_labels(const VectorView<const std::int32_t>& labels) {
  const std::vector<std::int32_t> values = copy_to(labels, Device::cpu()).to_std();
  const std::vector<std::int32_t> distinct = distinct_labels(values);
  LabelCodes result;
  result.count = static_cast<std::int64_t>(distinct.size());
  result.codes.reserve(values.size());
  for (const std::int32_t value : values)
    result.codes.push_back(std::lower_bound(distinct.begin(), distinct.end(), value) - distinct.begin());
  return result;
}

}  // namespace tilelearn::metrics
