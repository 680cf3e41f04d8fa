// Checks of values and weights, and unit vectors, on the CPU: one threaded pass each.
#include "dbscan/dbscan_cpu_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dbscan/dbscan_values.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr std::int64_t block_values = 1 << 14;

template <typename T>
bool is_finite_block(const T* values, std::int64_t count) {
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) finite &= std::abs(values[i]) <= std::numeric_limits<T>::max();
  return finite;
}

template <typename T>
bool is_finite(const T* values, std::int64_t count, int threads) {
  const std::int64_t blocks = (count + block_values - 1) / block_values;
  bool finite = true;
#pragma omp parallel for num_threads(useful_threads(threads, static_cast <double>(count))) schedule(static) \
    reduction(&& : finite)
  for (std::int64_t b = 0; b < blocks; ++b)
    finite = is_finite_block(values + b * block_values, std::min(block_values, count - b * block_values)) && finite;
  return finite;
}

/// Whether every (finite) row is one that the metric takes.
template <typename T>
bool suits(const MatrixView<const T>& X, DBSCANMetric metric) {
  const std::int64_t d = X.columns();
  const int threads = useful_threads(X.device().threads(), static_cast<double>(X.rows()) * static_cast<double>(d));
  bool good = true;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(&& : good)
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    const T* row = X.data() + i * d;
    good =
        good && (metric == DBSCANMetric::haversine ? is_latitude(row[0]) && is_longitude(row[1])
                                                   : std::any_of(row, row + d, [](T value) { return value != T{0}; }));
  }
  return good;
}

}  // namespace

template <typename T>
void check_values(const MatrixView<const T>& X, DBSCANMetric metric) {
  const bool finite = is_finite(X.data(), X.rows() * X.columns(), X.device().threads());
  if (!finite || (uses_unit_vectors(metric) && !suits(X, metric))) throw_if_bad_values(X, metric);
}

template <typename T>
Density make_density(const std::optional<VectorView<const T>>& weights, std::int64_t min_samples,
                     detail::CpuWorkspace& workspace) {
  Density density{min_samples};
  if (!weights.has_value()) return density;
  throw_if_bad_weights(*weights);
  const std::int64_t n = weights->size();
  T lowest = 0;
  T highest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    lowest = std::min(lowest, (*weights)[i]);
    highest = std::max(highest, (*weights)[i]);
  }
  density.only_grows = lowest >= 0;
  const WeightGrid grid = make_weight_grid<T>(lowest, highest, n, min_samples);
  density.threshold = grid.threshold;
  auto* words = workspace.take<fixed_point::Words>(n, "weights");
  for (std::int64_t i = 0; i < n; ++i) words[i] = weight_words(double{(*weights)[i]}, grid);
  density.words = words;
  return density;
}

template <typename T>
Rows<double> as_double(const MatrixView<const T>& X, DBSCANMetric metric, detail::CpuWorkspace& workspace) {
  const int columns = static_cast<int>(X.columns());
  const int d = compared_columns(metric, columns);
  auto* data = workspace.take<double>(X.rows() * d, "rows as they are compared");
  const int threads = useful_threads(X.device().threads(), static_cast<double>(X.rows()) * columns);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    const T* row = X.data() + i * columns;
    if (metric == DBSCANMetric::haversine)
      unit_vector_of_angles(double{row[0]}, double{row[1]}, data + i * d);
    else if (metric == DBSCANMetric::cosine)
      static_cast<void>(unit_vector(row, columns, data + i * d));
    else
      std::copy_n(row, columns, data + i * d);
  }
  return {data, X.rows(), d};
}

template void check_values(const MatrixView<const float>&, DBSCANMetric);
template void check_values(const MatrixView<const double>&, DBSCANMetric);
template Density make_density(const std::optional<VectorView<const float>>&, std::int64_t, detail::CpuWorkspace&);
template Density make_density(const std::optional<VectorView<const double>>&, std::int64_t, detail::CpuWorkspace&);
template Rows<double> as_double(const MatrixView<const float>&, DBSCANMetric, detail::CpuWorkspace&);
template Rows<double> as_double(const MatrixView<const double>&, DBSCANMetric, detail::CpuWorkspace&);

}  // namespace tilelearn::dbscan::cpu
