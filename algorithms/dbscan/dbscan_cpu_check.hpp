// Values as the searches of the CPU backend compare them: checked, and for cosine and haversine made unit vectors.
#pragma once

#include <optional>

#include <tilelearn/dbscan.hpp>
#include <tilelearn/matrix.hpp>

#include "dbscan/dbscan_cpu_search.hpp"
#include "dbscan/dbscan_metric.hpp"

namespace tilelearn::dbscan::cpu {

/// @throws InvalidArgument for values that the metric does not take
template <typename T>
void check_values(const MatrixView<const T>& X, DBSCANMetric metric);

/// @throws InvalidArgument for a weight that is not finite
template <typename T>
Density make_density(const std::optional<VectorView<const T>>& weights, std::int64_t min_samples,
                     detail::CpuWorkspace& workspace);

/// Whether rows of T are compared as they are; else as_double makes what is compared.
template <typename T>
bool compares_as_is(const DBSCANOptions& options) {
  return !uses_unit_vectors(options.metric) && (sizeof(T) == sizeof(double) || is_safe_eps<T>(options.eps));
}

/// Unit vectors of checked rows, or (float32 with an eps that its squares could not hold) the same values.
template <typename T>
Rows<double> as_double(const MatrixView<const T>& X, DBSCANMetric metric, detail::CpuWorkspace& workspace);

}  // namespace tilelearn::dbscan::cpu
