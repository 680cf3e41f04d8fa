// First centres on a CUDA device, the same rows as on the CPU (kmeans_formulas.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include <tilelearn/kmeans.hpp>

#include "kmeans/kmeans_rows.cuh"
#include "kmeans/kmeans_statistics.cuh"

namespace tilelearn::kmeans::cuda {

/// Fills k x d centres for one start. Synchronises now and then; `stop` is asked at those places.
template <typename T>
void first_centers(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, const Statistics& statistics,
                   const std::function<bool()>& stop, const Device& device, T* centers);

}  // namespace tilelearn::kmeans::cuda
