// Rows of a fit or of a prediction made ready for a search: values checked, angles and directions made unit vectors,
// weights brought onto their grid.
#pragma once

#include <cstdint>
#include <optional>

#include "core/cuda_support.cuh"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_grid.cuh"
#include "dbscan/dbscan_metric.hpp"
#include "dbscan/dbscan_search.cuh"

namespace tilelearn::dbscan::cuda {

/// Throws InvalidArgument for a NaN or infinity (dbscan_values.hpp); returns the extremes of the first three columns.
/// Synchronises.
template <typename T>
Extremes check_values(const MatrixView<const T>& X, DBSCANMetric metric);

/// n x compared_columns unit vectors of checked rows. Throws InvalidArgument for angles out of range and rows of zeros.
/// Synchronises.
template <typename T>
void make_unit_vectors(const MatrixView<const T>& X, DBSCANMetric metric, double* vectors);

/// Weights as words of a fixed-point grid. Throws InvalidArgument for one that is not finite. Synchronises.
struct WeightWords {
  template <typename T>
  WeightWords(const VectorView<const T>& weights, std::int64_t min_samples);

  tilelearn::cuda::Buffer<int2> words;
  fixed_point::Words threshold{};
  bool any_negative = false;
};

}  // namespace tilelearn::dbscan::cuda
