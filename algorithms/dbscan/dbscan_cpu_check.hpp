// Values as the searches of the CPU backend compare them: checked, and for cosine and haversine made unit vectors.
#pragma once

#include <optional>

#include <tilelearn/dbscan.hpp>
#include <tilelearn/matrix.hpp>

#include "dbscan/dbscan_cpu_search.hpp"

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
  return options.metric != DBSCANMetric::cosine && options.metric != DBSCANMetric::haversine &&
         (sizeof(T) == sizeof(double) || is_safe_eps<T>(options.eps));
}

/// Columns that are compared.
inline int compared_columns(DBSCANMetric metric, std::int64_t columns) {
  constexpr int unit_vector_columns = 3;
  return metric == DBSCANMetric::haversine ? unit_vector_columns : static_cast<int>(columns);
}

/// The neighbourhood in the space that is compared in.
Ball ball_of(const DBSCANOptions& options, std::int64_t columns);

/// Unit vectors of checked rows, or (float32 with an eps that its squares could not hold) the same values.
template <typename T>
Rows<double> as_double(const MatrixView<const T>& X, DBSCANMetric metric, detail::CpuWorkspace& workspace);

}  // namespace tilelearn::dbscan::cpu
