// What both backends say of a fit that is odd but not wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "kmeans/kmeans_backend.hpp"

namespace tilelearn::kmeans {

/// Says so where there are clusters without a row although every row lies on a centre.
template <typename T>
void warn_of_few_distinct_rows(Model<T>& model) {
  if (model.inertia > 0.0) return;
  std::vector<bool> used(static_cast<std::size_t>(model.centers.rows()));
  for (const std::int32_t label : model.labels.to_std()) used[static_cast<std::size_t>(label)] = true;
  const auto distinct = std::count(used.begin(), used.end(), true);
  if (distinct < model.centers.rows())
    model.warnings.push_back("KMeans: only " + detail::count_text(distinct, "distinct row") +
                             (distinct == 1 ? " was" : " were") + " found for " + std::to_string(model.centers.rows()) +
                             " clusters; the others are empty");
}

}  // namespace tilelearn::kmeans
