// First centres on the CPU: greedy k-means++, k-means||, random rows.
#pragma once

#include <cstdint>
#include <functional>

#include "kmeans/kmeans_cpu_data.hpp"

namespace tilelearn::kmeans::cpu {

/// k x d first centres of one start, by the formulas of kmeans_formulas.hpp. `largest` is the largest |value|.
template <typename T>
void first_centers(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, double largest,
                   const std::function<bool()>& stop, const Workspace& outer, T* centers);

}  // namespace tilelearn::kmeans::cpu
