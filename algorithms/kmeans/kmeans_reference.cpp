// Lloyd's algorithm as class KMeans documents it and kmeans_formulas.hpp states its arithmetic.
#include "kmeans/kmeans_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fixed_point.hpp"
#include "kmeans/kmeans_formulas.hpp"

namespace tilelearn::kmeans::reference {

namespace {

using Index = Eigen::Index;

double tree_sum(std::vector<double> values) {
  do {
    values.resize((values.size() + chunk_rows - 1) / chunk_rows * chunk_rows, 0.0);
    std::vector<double> next;
    for (auto block = values.begin(); block != values.end(); block += chunk_rows) {
      for (int half = chunk_rows / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) block[i] += block[i + half];
      next.push_back(*block);
    }
    values = next;
  } while (values.size() > 1);
  return values.front();
}

/// An exact sum of values below 2^(exponent + 1).
class FixedPointSum {
 public:
  FixedPointSum(int exponent, bool wide)
      : factor_(fixed_point::grid_factor(fixed_point::grid_exponent(exponent))), wide_(wide) {}
  void add(double y, int sign) {
    const double high = std::nearbyint(y * factor_);
    words_.high += sign * static_cast<std::int64_t>(high);
    if (wide_)
      words_.low += sign * static_cast<std::int64_t>(std::nearbyint((y * factor_ - high) * fixed_point::low_factor));
  }
  [[nodiscard]] double value() const { return fixed_point::value(words_, factor_); }

 private:
  double factor_;
  bool wide_;
  fixed_point::Words words_{0, 0};
};

struct Column {
  double max_abs = 0.0;
  double min_abs = std::numeric_limits<double>::infinity();
  double variance = 0.0;
};

template <typename T>
Column column_statistics(const Rows<T>& X, const Eigen::VectorXd& weights, Index j, double scale) {
  Index first = 0;
  while (!(weights[first] > 0.0)) ++first;
  Column result;
  double count = 0.0;
  std::vector<double> sum1(static_cast<std::size_t>((X.rows() + chunk_rows - 1) / chunk_rows));
  std::vector<double> sum2(sum1.size());
  for (Index i = 0; i < X.rows(); ++i) {
    if (!(weights[i] > 0.0)) continue;
    const auto chunk = static_cast<std::size_t>(i / chunk_rows);
    const double t = static_cast<double>(X(i, j)) * scale - static_cast<double>(X(first, j)) * scale;
    sum1[chunk] += t;
    sum2[chunk] = std::fma(t, t, sum2[chunk]);
    result.max_abs = std::max(result.max_abs, std::abs(static_cast<double>(X(i, j))));
    result.min_abs = std::min(result.min_abs, std::abs(static_cast<double>(X(i, j))));
    count += 1.0;
  }
  const double sum = tree_sum(sum1);
  result.variance = (tree_sum(sum2) - sum * sum / count) / count;
  return result;
}

/// Sums of every cluster: one for each column, and the weight.
template <typename T>
class Sums {
 public:
  Sums(const Problem<T>& problem, const std::vector<Column>& columns, double scale)
      : X_(problem.X), weights_(normalized_weights(problem.weights, X_.rows())), scale_(scale) {
    const bool weighted = problem.weights.size() > 0;
    std::vector<FixedPointSum> one;
    one.reserve(columns.size());
    for (const Column& column : columns)
      one.emplace_back(
          std::ilogb(column.max_abs * scale) + (weighted ? 1 : 0),
          weighted || sizeof(T) == sizeof(double) || !narrow_enough(column.max_abs, column.min_abs, column.variance));
    columns_.assign(static_cast<std::size_t>(problem.options.n_clusters), one);
    totals_.assign(columns_.size(), FixedPointSum(0, true));
  }

  void add(Index row, std::int32_t cluster, int sign) {
    const auto c = static_cast<std::size_t>(cluster);
    if (!(weights_[row] > 0.0)) return;
    for (Index j = 0; j < X_.cols(); ++j)
      columns_[c][static_cast<std::size_t>(j)].add(weights_[row] * (static_cast<double>(X_(row, j)) * scale_), sign);
    totals_[c].add(weights_[row], sign);
  }

  [[nodiscard]] bool empty(std::size_t cluster) const { return !(totals_[cluster].value() > 0.0); }

  [[nodiscard]] Rows<T> centers(const Rows<T>& old) const {
    Rows<T> result = old;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (Index j = 0; j < X_.cols() && !empty(c); ++j)
        result(static_cast<Index>(c), j) =
            static_cast<T>(columns_[c][static_cast<std::size_t>(j)].value() / totals_[c].value() / scale_);
    return result;
  }

 private:
  const Rows<T>& X_;
  Eigen::VectorXd weights_;
  double scale_;
  std::vector<std::vector<FixedPointSum>> columns_;
  std::vector<FixedPointSum> totals_;
};

/// Moves far rows to the empty clusters; true if any was.
template <typename T>
bool relocate(const Problem<T>& problem, const Rows<T>& centers, const std::vector<std::int32_t>& labels, double scale,
              Sums<T>& sums) {
  const Eigen::VectorXd weights = normalized_weights(problem.weights, problem.X.rows());
  std::vector<std::int32_t> empty;
  for (std::int32_t c = 0; c < problem.options.n_clusters; ++c)
    if (sums.empty(static_cast<std::size_t>(c))) empty.push_back(c);
  std::vector<std::pair<double, Index>> far;  // minus the distance, so that equal distances sort by row
  for (Index i = 0; i < problem.X.rows(); ++i) {
    const double distance = squared_distance(problem.X, i, centers, labels[static_cast<std::size_t>(i)], scale);
    if (weights[i] > 0.0 && distance > 0.0) far.emplace_back(-distance, i);
  }
  std::sort(far.begin(), far.end());
  const std::size_t count = std::min(far.size(), empty.size());
  for (std::size_t m = 0; m < count; ++m) {
    sums.add(far[m].second, labels[static_cast<std::size_t>(far[m].second)], -1);
    sums.add(far[m].second, empty[m], 1);
  }
  return count > 0;
}

template <typename T>
bool same_labels(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b, const Problem<T>& problem) {
  if (problem.weights.size() == 0) return a == b;
  const Eigen::VectorXd weights = normalized_weights(problem.weights, problem.X.rows());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (weights[static_cast<Index>(i)] > 0.0 && (b.empty() || a[i] != b[i])) return false;
  return true;
}

template <typename T>
double largest(const Rows<T>& values) {
  return values.size() == 0 ? 0.0 : static_cast<double>(values.cwiseAbs().maxCoeff());
}

template <typename T>
double scale_of(double largest_value) {
  if (sizeof(T) == sizeof(float) || largest_value == 0.0) return 1.0;
  return fixed_point::power_of_two(data_scale_exponent(std::ilogb(largest_value)));
}

template <typename T>
double inertia(const Problem<T>& problem, const Result<T>& result) {
  const double scale = data_scale(problem, result.centers);
  std::vector<double> terms(result.labels.size(), 0.0);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const double weight = problem.weights.size() == 0 ? 1.0 : problem.weights[row];
    if (weight > 0.0)
      terms[i] = weight * squared_distance(problem.X, row, result.centers, result.labels[i], scale) / scale / scale;
  }
  return tree_sum(terms);
}

}  // namespace

template <typename T>
double squared_distance(const Rows<T>& X, Index i, const Rows<T>& centers, Index c, double scale) {
  double sum = 0.0;
  for (Index j = 0; j < X.cols(); ++j) {
    const double t = static_cast<double>(X(i, j)) * scale - static_cast<double>(centers(c, j)) * scale;
    sum = std::fma(t, t, sum);
  }
  return sum;
}

template <typename T>
std::vector<std::int32_t> nearest(const Rows<T>& X, const Rows<T>& centers, double scale) {
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < X.rows(); ++i) {
    std::int32_t best = 0;
    double least = squared_distance(X, i, centers, 0, scale);
    for (std::int32_t c = 1; c < centers.rows(); ++c) {
      const double distance = squared_distance(X, i, centers, c, scale);
      if (!(distance < least)) continue;
      least = distance;
      best = c;
    }
    labels.push_back(best);
  }
  return labels;
}

Eigen::VectorXd normalized_weights(const Eigen::VectorXd& weights, Index n) {
  if (weights.size() == 0) return Eigen::VectorXd::Ones(n);
  const int exponent = std::ilogb(weights.maxCoeff());
  return weights.unaryExpr([exponent](double w) { return std::ldexp(w, -exponent); });
}

template <typename T>
double data_scale(const Problem<T>& problem, const Rows<T>& centers) {
  const Eigen::VectorXd weights = normalized_weights(problem.weights, problem.X.rows());
  double result = largest(centers);
  for (Index i = 0; i < problem.X.rows(); ++i)
    if (weights[i] > 0.0) result = std::max(result, static_cast<double>(problem.X.row(i).cwiseAbs().maxCoeff()));
  return scale_of<T>(result);
}

template <typename T>
Result<T> lloyd(const Problem<T>& problem, const Rows<T>& init, double scale) {
  const Eigen::VectorXd weights = normalized_weights(problem.weights, problem.X.rows());
  std::vector<Column> columns;
  double variance = 0.0;
  for (Index j = 0; j < problem.X.cols(); ++j) {
    columns.push_back(column_statistics(problem.X, weights, j, scale));
    variance += columns.back().variance;
  }
  const double tolerance = problem.options.tol * (variance / static_cast<double>(problem.X.cols()));
  Result<T> result;
  result.centers = init;
  while (result.n_iter < problem.options.max_iter && !result.converged) {
    const std::vector<std::int32_t> labels = nearest(problem.X, result.centers, scale);
    Sums<T> sums(problem, columns, scale);
    for (Index i = 0; i < problem.X.rows(); ++i) sums.add(i, labels[static_cast<std::size_t>(i)], 1);
    const bool relocated = relocate(problem, result.centers, labels, scale, sums);
    const Rows<T> old = result.centers;
    result.centers = sums.centers(old);
    std::vector<double> shifts;
    for (Index c = 0; c < old.rows(); ++c) shifts.push_back(squared_distance(result.centers, c, old, c, scale));
    result.converged = (!relocated && same_labels(labels, result.labels, problem)) || tree_sum(shifts) <= tolerance;
    result.labels = labels;
    ++result.n_iter;
  }
  result.labels =
      nearest(problem.X, result.centers, scale_of<T>(std::max(largest(problem.X), largest(result.centers))));
  result.inertia = inertia(problem, result);
  return result;
}

template <typename T>
Result<T> fit(const Problem<T>& problem) {
  Result<T> best;
  for (std::int32_t start = 0; start < problem.options.n_init; ++start) {
    const Result<T> result = lloyd(problem, first_centers(problem, start), data_scale(problem, Rows<T>()));
    if (start == 0 || result.inertia < best.inertia) best = result;
  }
  return best;
}

template double squared_distance<float>(const Rows<float>&, Index, const Rows<float>&, Index, double);
template double squared_distance<double>(const Rows<double>&, Index, const Rows<double>&, Index, double);
template std::vector<std::int32_t> nearest<float>(const Rows<float>&, const Rows<float>&, double);
template std::vector<std::int32_t> nearest<double>(const Rows<double>&, const Rows<double>&, double);
template double data_scale<float>(const Problem<float>&, const Rows<float>&);
template double data_scale<double>(const Problem<double>&, const Rows<double>&);
template Result<float> lloyd<float>(const Problem<float>&, const Rows<float>&, double);
template Result<double> lloyd<double>(const Problem<double>&, const Rows<double>&, double);
template Result<float> fit<float>(const Problem<float>&);
template Result<double> fit<double>(const Problem<double>&);

}  // namespace tilelearn::kmeans::reference
