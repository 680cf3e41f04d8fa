// DBSCAN as its class documents it: find the core rows, then grow one cluster after the other from its first core row.
#include "dbscan/dbscan_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/exact_sum.hpp"
#include "dbscan/dbscan_unit_vectors.hpp"

namespace tilelearn::dbscan::reference {

namespace {

constexpr std::int32_t noise = -1;

static_assert(std::numeric_limits<long double>::max_exponent > 2 * std::numeric_limits<double>::max_exponent,
              "squares of all doubles fit");
/// Far above the rounding of a sum of 2^20 terms, 2^-64 each, and far below what makes many pairs near.
constexpr long double near = 0x1p-40L;

/// sum (x - y)^2 <= eps^2, or sum |x - y| <= eps, in integers.
bool exact_sum_within(const double* x, const double* y, int d, Norm norm, double eps) {
  detail::ExactSum<double> sum;
  for (int j = 0; j < d; ++j) {
    if (norm == Norm::manhattan) {
      sum.add_product(std::max(x[j], y[j]), 1.0, 1);
      sum.add_product(std::min(x[j], y[j]), 1.0, -1);
    } else {
      sum.add_product(x[j], x[j], 1);
      sum.add_product(x[j], y[j], -1, 1);
      sum.add_product(y[j], y[j], 1);
    }
  }
  sum.add_product(eps, norm == Norm::manhattan ? 1.0 : eps, -1);
  return sum.sign() <= 0;
}

/// The same without integers where extended precision decides.
bool sum_within(const double* x, const double* y, int d, Norm norm, double eps) {
  long double sum = 0.0L;
  for (int j = 0; j < d; ++j) {
    const long double t = std::abs(static_cast<long double>(x[j]) - static_cast<long double>(y[j]));
    sum += norm == Norm::manhattan ? t : t * t;
  }
  const auto radius = static_cast<long double>(eps);
  const long double limit = norm == Norm::manhattan ? radius : radius * radius;
  return std::abs(sum - limit) > near * limit ? sum < limit : exact_sum_within(x, y, d, norm, eps);
}

}  // namespace

template <typename T>
Points::Points(const MatrixView<const T>& X, const DBSCANOptions& options)
    : n_(X.rows()), d_(static_cast<int>(X.columns())), eps_(double{static_cast<T>(options.eps)}) {
  const DBSCANMetric metric = options.metric;
  if (metric == DBSCANMetric::manhattan) norm_ = Norm::manhattan;
  if (metric == DBSCANMetric::chebyshev) norm_ = Norm::chebyshev;
  if (metric == DBSCANMetric::cosine) eps_ = cosine_chord(eps_);
  if (metric == DBSCANMetric::haversine) eps_ = haversine_chord(eps_);
  if (metric == DBSCANMetric::haversine) d_ = 3;
  values_.resize(static_cast<std::size_t>(n_ * d_));
  for (std::int64_t i = 0; i < n_; ++i) {
    double* out = values_.data() + i * d_;
    std::vector<double> row;
    for (std::int64_t j = 0; j < X.columns(); ++j) row.push_back(double{X(i, j)});
    if (metric == DBSCANMetric::cosine)
      unit_vector(row.data(), d_, out);
    else if (metric == DBSCANMetric::haversine)
      unit_vector_of_angles(row[0], row[1], out);
    else
      std::copy(row.begin(), row.end(), out);
  }
}

bool Points::within(std::int64_t i, const Points& others, std::int64_t j) const {
  const double* x = values_.data() + i * d_;
  const double* y = others.values_.data() + j * d_;
  if (norm_ != Norm::chebyshev) return sum_within(x, y, d_, norm_, eps_);
  bool all = true;
  for (int k = 0; k < d_ && all; ++k) all = sum_within(x + k, y + k, 1, Norm::manhattan, eps_);
  return all;
}

template <typename T>
bool suffices(const std::vector<T>& weights, std::int64_t min_samples) {
  auto least = static_cast<T>(min_samples);
  if (static_cast<long double>(least) < static_cast<long double>(min_samples))
    least = std::nextafter(least, std::numeric_limits<T>::infinity());
  const T before = std::nextafter(least, T{0});
  // rounding goes up to `least` from above the middle of the two, and from the middle where least's last bit is 0
  detail::ExactSum<double> twice;
  for (const T weight : weights) twice.add_product(double{weight}, 1.0, 1, 1);
  twice.add_product(double{least}, 1.0, -1);
  twice.add_product(double{before}, 1.0, -1);
  const int side = twice.sign();
  return side > 0 || (side == 0 && std::fmod(least, 2 * (least - before)) == T{0});
}

template <typename T>
Result fit(const MatrixView<const T>& X, const DBSCANOptions& options, const std::vector<T>& weights) {
  const Points points(X, options);
  Result result;
  std::vector<bool> is_core;
  for (std::int64_t i = 0; i < points.size(); ++i) {
    std::int64_t count = 0;
    std::vector<T> weight;
    for (std::int64_t j = 0; j < points.size(); ++j) {
      if (!points.within(i, points, j)) continue;
      ++count;
      if (!weights.empty()) weight.push_back(weights[static_cast<std::size_t>(j)]);
    }
    is_core.push_back(weights.empty() ? count >= options.min_samples : suffices(weight, options.min_samples));
    if (is_core.back()) result.core.push_back(i);
  }
  result.labels.assign(is_core.size(), noise);
  for (const std::int64_t first : result.core) {
    if (result.labels[static_cast<std::size_t>(first)] != noise) continue;
    // Rows that the cluster reaches and whose own neighbourhoods, if they are core, are still to be looked at.
    std::vector<std::int64_t> reached{first};
    result.labels[static_cast<std::size_t>(first)] = result.n_clusters;
    while (!reached.empty()) {
      const std::int64_t i = reached.back();
      reached.pop_back();
      if (!is_core[static_cast<std::size_t>(i)]) continue;
      for (std::int64_t j = 0; j < points.size(); ++j) {
        std::int32_t& label = result.labels[static_cast<std::size_t>(j)];
        if (label != noise || !points.within(i, points, j)) continue;
        label = result.n_clusters;
        reached.push_back(j);
      }
    }
    ++result.n_clusters;
  }
  return result;
}

template <typename T>
std::vector<std::int32_t> predict(const MatrixView<const T>& X, const DBSCANOptions& options, const Result& fitted,
                                  const MatrixView<const T>& Y) {
  const Points points(X, options);
  const Points others(Y, options);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(others.size()), noise);
  for (std::int64_t i = 0; i < others.size(); ++i) {
    std::int32_t& label = labels[static_cast<std::size_t>(i)];
    for (const std::int64_t core : fitted.core) {
      const std::int32_t cluster = fitted.labels[static_cast<std::size_t>(core)];
      if ((label == noise || cluster < label) && others.within(i, points, core)) label = cluster;
    }
  }
  return labels;
}

template Points::Points(const MatrixView<const float>&, const DBSCANOptions&);
template Points::Points(const MatrixView<const double>&, const DBSCANOptions&);
template bool suffices(const std::vector<float>&, std::int64_t);
template bool suffices(const std::vector<double>&, std::int64_t);
template Result fit<float>(const MatrixView<const float>&, const DBSCANOptions&, const std::vector<float>&);
template Result fit<double>(const MatrixView<const double>&, const DBSCANOptions&, const std::vector<double>&);
template std::vector<std::int32_t> predict<float>(const MatrixView<const float>&, const DBSCANOptions&, const Result&,
                                                  const MatrixView<const float>&);
template std::vector<std::int32_t> predict<double>(const MatrixView<const double>&, const DBSCANOptions&, const Result&,
                                                   const MatrixView<const double>&);

}  // namespace tilelearn::dbscan::reference
