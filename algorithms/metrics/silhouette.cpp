// The silhouette: checks arguments, groups rows by cluster, sends the work to the device that holds X.
#include <tilelearn/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "core/cuda_module.hpp"
#include "core/finite.hpp"
#include "core/packed.hpp"
#include "metrics/label_codes.hpp"
#include "metrics/metrics_backend.hpp"

namespace tilelearn {

namespace metrics {

namespace {

template <typename T>
const Backend<T>& backend_of(const Device& device) {
  if (device.is_cpu()) return cpu::backend<T>();
  if constexpr (std::is_same_v<T, float>)
    return detail::cuda_module().metrics_float();
  else
    return detail::cuda_module().metrics_double();
}

/// Counting sort of rows by code.
Clusters group_rows(const LabelCodes& labels) {
  Clusters clusters;
  clusters.starts.assign(static_cast<std::size_t>(labels.count) + 1, 0);
  for (const std::int64_t code : labels.codes) ++clusters.starts[static_cast<std::size_t>(code) + 1];
  for (std::size_t c = 1; c < clusters.starts.size(); ++c) clusters.starts[c] += clusters.starts[c - 1];
  std::vector<std::int64_t> next(clusters.starts.begin(), clusters.starts.end() - 1);
  clusters.rows.resize(labels.codes.size());
  for (std::size_t i = 0; i < labels.codes.size(); ++i)
    clusters.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(labels.codes[i])]++)] =
        static_cast<std::int64_t>(i);
  return clusters;
}

void check_shapes(std::int64_t rows, std::int64_t columns, std::int64_t labels) {
  if (labels != rows)
    throw ShapeMismatch("silhouette: " + std::to_string(labels) + " labels for " + std::to_string(rows) + " rows");
  if (columns < 1) throw InvalidArgument("silhouette: X has no columns");
}

void check_cluster_count(std::int64_t clusters, std::int64_t rows) {
  if (clusters < 2 || clusters >= rows)
    throw InvalidArgument("silhouette: " + std::to_string(clusters) + " clusters in " + std::to_string(rows) +
                          " rows, must be 2 to rows - 1");
}

/// The silhouette does not depend on the unit: a power of two keeps squares of doubles inside float64.
double unit_factor(double largest) {
  constexpr int unscaled_exponent = 400;
  constexpr int exponent_limit = 1000;
  const int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
  if (std::abs(exponent) <= unscaled_exponent) return 1.0;
  return std::ldexp(1.0, -std::clamp(exponent, -exponent_limit, exponent_limit));
}

/// Pairs of halves, the same for every device.
double pairwise_sum(const double* values, std::size_t count) {
  if (count == 0) return 0.0;
  if (count == 1) return values[0];
  const std::size_t half = count / 2;
  return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
}

template <typename T>
Vector<double> samples(const MatrixView<const T>& X, const VectorView<const std::int32_t>& labels) {
  check_shapes(X.rows(), X.columns(), labels.size());
  const LabelCodes codes = encode_labels(labels);
  check_cluster_count(codes.count, X.rows());
  const Backend<T>& backend = backend_of<T>(X.device());
  const detail::PackedMatrix<T> packed(X);
  const double largest = backend.largest(packed.view());
  if (!std::isfinite(largest)) detail::throw_if_not_finite(X, "silhouette");
  Vector<double> coefficients(X.rows(), X.device());
  backend.silhouette(packed.view(), group_rows(codes), unit_factor(largest), coefficients.data());
  return coefficients;
}

double mean(const Vector<double>& coefficients) {
  const std::vector<double> values = coefficients.to_std();
  return pairwise_sum(values.data(), values.size()) / static_cast<double>(values.size());
}

}  // namespace

}  // namespace metrics

Vector<double> silhouette_samples(const MatrixView<const float>& X, const VectorView<const std::int32_t>& labels) {
  return metrics::samples(X, labels);
}

Vector<double> silhouette_samples(const MatrixView<const double>& X, const VectorView<const std::int32_t>& labels) {
  return metrics::samples(X, labels);
}

double silhouette_score(const MatrixView<const float>& X, const VectorView<const std::int32_t>& labels) {
  return metrics::mean(metrics::samples(X, labels));
}

double silhouette_score(const MatrixView<const double>& X, const VectorView<const std::int32_t>& labels) {
  return metrics::mean(metrics::samples(X, labels));
}

}  // namespace tilelearn
