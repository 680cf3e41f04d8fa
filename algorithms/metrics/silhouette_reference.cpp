#include "metrics/silhouette_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tilelearn::metrics::reference {

namespace {

template <typename T>
long double distance(const MatrixView<const T>& X, std::int64_t a, std::int64_t b) {
  long double sum = 0;
  for (std::int64_t j = 0; j < X.columns(); ++j) {
    const long double t = static_cast<long double>(X(a, j)) - static_cast<long double>(X(b, j));
    sum += t * t;
  }
  return std::sqrt(sum);
}

}  // namespace

template <typename T>
std::vector<double> silhouette_samples(const MatrixView<const T>& X, const std::vector<std::int32_t>& labels) {
  std::map<std::int32_t, std::int64_t> sizes;
  for (const std::int32_t label : labels) ++sizes[label];
  std::vector<double> result;
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    std::map<std::int32_t, long double> sums;
    for (std::int64_t j = 0; j < X.rows(); ++j) sums[labels[static_cast<std::size_t>(j)]] += distance(X, i, j);
    const std::int32_t own = labels[static_cast<std::size_t>(i)];
    long double nearest = std::numeric_limits<long double>::infinity();
    for (const auto& [label, sum] : sums)
      if (label != own) nearest = std::min(nearest, sum / static_cast<long double>(sizes[label]));
    const long double within = sizes[own] > 1 ? sums[own] / static_cast<long double>(sizes[own] - 1) : 0.0L;
    const long double larger = std::max(within, nearest);
    const bool defined = sizes[own] > 1 && larger > 0;
    result.push_back(defined ? static_cast<double>((nearest - within) / larger) : 0.0);
  }
  return result;
}

template std::vector<double> silhouette_samples(const MatrixView<const float>&, const std::vector<std::int32_t>&);
template std::vector<double> silhouette_samples(const MatrixView<const double>&, const std::vector<std::int32_t>&);

}  // namespace tilelearn::metrics::reference
