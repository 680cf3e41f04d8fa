// Adjusted Rand index from the contingency table of two labellings, in exact integers.
#include <tilelearn/metrics.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "metrics/label_codes.hpp"

namespace tilelearn {

namespace {

__extension__ using Wide = __int128;

/// Products of two pair counts of this many rows stay below 2^127.
constexpr std::int64_t largest_row_count = std::int64_t{1} << 32;

Wide pairs(std::int64_t n) { return Wide{n} * (n - 1) / 2; }

/// Pairs of rows that share a code.
Wide pairs_in_groups(std::vector<std::int64_t> codes) {
  std::sort(codes.begin(), codes.end());
  Wide result = 0;
  for (auto begin = codes.begin(); begin != codes.end();) {
    const auto end = std::find_if(begin, codes.end(), [&](std::int64_t code) { return code != *begin; });
    result += pairs(end - begin);
    begin = end;
  }
  return result;
}

/// The same for codes in [0, count), where a table of counts is small.
Wide pairs_in_table(const std::vector<std::int64_t>& codes, std::int64_t count) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
  for (const std::int64_t code : codes) ++sizes[static_cast<std::size_t>(code)];
  Wide result = 0;
  for (const std::int64_t size : sizes) result += pairs(size);
  return result;
}

Wide pairs_together(std::vector<std::int64_t> codes, Wide count) {
  constexpr std::int64_t small_table = std::int64_t{1} << 20;
  if (count <= std::max<Wide>(small_table, static_cast<Wide>(codes.size())))
    return pairs_in_table(codes, static_cast<std::int64_t>(count));
  return pairs_in_groups(std::move(codes));
}

}  // namespace

double adjusted_rand_index(const VectorView<const std::int32_t>& a, const VectorView<const std::int32_t>& b) {
  const std::int64_t n = a.size();
  if (b.size() != n)
    throw ShapeMismatch("adjusted_rand_index: " + std::to_string(n) + " labels against " + std::to_string(b.size()));
  if (n < 1 || n > largest_row_count)
    throw InvalidArgument("adjusted_rand_index: " + std::to_string(n) + " rows, must be 1 to 2^32");
  metrics::LabelCodes first = metrics::encode_labels(a);
  const metrics::LabelCodes second = metrics::encode_labels(b);
  const Wide in_first = pairs_together(first.codes, first.count);
  const Wide in_second = pairs_together(second.codes, second.count);
  for (std::size_t i = 0; i < first.codes.size(); ++i) first.codes[i] = first.codes[i] * second.count + second.codes[i];
  const Wide in_both = pairs_together(std::move(first.codes), Wide{first.count} * second.count);
  const Wide only_first = in_first - in_both;
  const Wide only_second = in_second - in_both;
  const Wide in_neither = pairs(n) - in_both - only_first - only_second;
  if (only_first == 0 && only_second == 0) return 1.0;
  const Wide agreement = in_both * in_neither - only_first * only_second;
  const Wide expected = in_first * (only_first + in_neither) + in_second * (only_second + in_neither);
  // agreement is below 2^126, so that it may be doubled after the conversion alone
  return 2.0 * static_cast<double>(agreement) / static_cast<double>(expected);
}

}  // namespace tilelearn
