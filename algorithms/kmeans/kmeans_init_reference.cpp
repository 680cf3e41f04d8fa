// First centres as kmeans_formulas.hpp states them: greedy k-means++, k-means||, random rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fixed_point.hpp"
#include "core/philox.hpp"
#include "kmeans/kmeans_formulas.hpp"
#include "kmeans/kmeans_reference.hpp"

namespace tilelearn::kmeans::reference {

namespace {

using Index = Eigen::Index;
using Masses = std::vector<std::uint64_t>;

/// Integer masses of values, with the exponent of the grid that they are rounded down to.
class MassGrid {
 public:
  explicit MassGrid(int exponent) : exponent_(exponent) {}

  [[nodiscard]] std::uint64_t mass(double value) const {
    return static_cast<std::uint64_t>(value * fixed_point::power_of_two(exponent_));
  }
  [[nodiscard]] std::uint64_t total(const Eigen::VectorXd& values) const {
    std::uint64_t sum = 0;
    for (const double value : values) sum += mass(value);
    return sum;
  }
  /// Total of the values, on a finer grid where it would be small.
  std::uint64_t refined_total(const Eigen::VectorXd& values) {
    while (total(values) < small_total && exponent_ < max_mass_exponent)
      exponent_ = clamp_mass_exponent(exponent_ + mass_shift(total(values), values.size()));
    return total(values);
  }
  [[nodiscard]] Index draw(const Eigen::VectorXd& values, std::uint64_t bits) const {
    const std::uint64_t target = mulhi(bits, total(values));
    std::uint64_t sum = 0;
    Index row = 0;
    while ((sum += mass(values[row])) <= target) ++row;
    return row;
  }

 private:
  int exponent_;
};

struct Source {
  std::uint64_t seed;
  std::int32_t start;
  [[nodiscard]] std::uint64_t bits(Draw purpose, std::int64_t index) const {
    return philox::bits(seed, stream(start, purpose), static_cast<std::uint64_t>(index));
  }
};

Index draw_by_weight(const Eigen::VectorXd& weights, std::uint64_t bits) {
  MassGrid grid(mass_exponent(weights.size(), 0));
  grid.refined_total(weights);
  return grid.draw(weights, bits);
}

template <typename T>
Eigen::VectorXd distances_to_row(const Rows<T>& X, Index row, double scale) {
  Eigen::VectorXd result(X.rows());
  for (Index i = 0; i < X.rows(); ++i) result[i] = squared_distance(X, i, X, row, scale);
  return result;
}

/// w' d2, where weight zero wins over an infinite distance.
Eigen::VectorXd weighted(const Eigen::VectorXd& weights, const Eigen::VectorXd& squares) {
  return (weights.array() > 0.0).select(weights.cwiseProduct(squares), 0.0);
}

int exponent_for(const Eigen::VectorXd& values) {
  const double largest = values.maxCoeff();
  return largest > 0.0 ? mass_exponent(values.size(), std::ilogb(largest)) : max_mass_exponent;
}

template <typename T>
std::vector<Index> plus_plus(const Rows<T>& X, const Eigen::VectorXd& weights, std::int32_t k, const Source& source,
                             Draw first, Draw next, double scale) {
  std::vector<Index> chosen{draw_by_weight(weights, source.bits(first, 0))};
  Eigen::VectorXd squares = distances_to_row(X, chosen.front(), scale);
  MassGrid grid(exponent_for(weighted(weights, squares)));
  while (chosen.size() < static_cast<std::size_t>(k)) {
    const auto number = static_cast<std::int64_t>(chosen.size()) * trials(k);
    if (grid.refined_total(weighted(weights, squares)) == 0) {
      chosen.push_back(draw_by_weight(weights, source.bits(next, number)));
      continue;
    }
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    Eigen::VectorXd best_squares;
    Index best = 0;
    for (int trial = 0; trial < trials(k); ++trial) {
      const Index row = grid.draw(weighted(weights, squares), source.bits(next, number + trial));
      const Eigen::VectorXd after = squares.cwiseMin(distances_to_row(X, row, scale));
      const std::uint64_t total = grid.total(weighted(weights, after));
      if (total >= least) continue;
      least = total;
      best = row;
      best_squares = after;
    }
    chosen.push_back(best);
    squares = best_squares;
  }
  return chosen;
}

std::vector<Index> random_rows(Eigen::VectorXd weights, std::int32_t k, const Source& source) {
  MassGrid grid(mass_exponent(weights.size(), 0));
  std::vector<Index> chosen;
  for (std::int32_t t = 0; t < k; ++t) {
    grid.refined_total(weights);
    chosen.push_back(grid.draw(weights, source.bits(Draw::random, t)));
    weights[chosen.back()] = 0.0;
  }
  return chosen;
}

template <typename T>
Rows<T> rows_of(const Rows<T>& X, const std::vector<Index>& rows) {
  Rows<T> result(static_cast<Index>(rows.size()), X.cols());
  for (std::size_t r = 0; r < rows.size(); ++r) result.row(static_cast<Index>(r)) = X.row(rows[r]);
  return result;
}

/// Rows that k-means|| gathers.
template <typename T>
std::vector<Index> gather(const Rows<T>& X, const Eigen::VectorXd& weights, std::int32_t k, const Source& source,
                          double scale) {
  std::vector<Index> candidates{draw_by_weight(weights, source.bits(Draw::first, 0))};
  Eigen::VectorXd squares = distances_to_row(X, candidates.front(), scale);
  MassGrid grid(exponent_for(weighted(weights, squares)));
  for (int round = 0; round < parallel_rounds; ++round) {
    const Eigen::VectorXd values = weighted(weights, squares);
    const std::uint64_t total = grid.refined_total(values);
    for (Index i = 0; i < X.rows() && total > 0; ++i)
      if (joins(source.bits(Draw::parallel, round * X.rows() + i), total, grid.mass(values[i]),
                2 * static_cast<std::uint64_t>(k))) {
        candidates.push_back(i);
        squares = squares.cwiseMin(distances_to_row(X, i, scale));
      }
  }
  return candidates;
}

/// Sum of w' of the rows nearest to each candidate.
template <typename T>
Eigen::VectorXd weights_of(const Rows<T>& X, const Eigen::VectorXd& weights, const Rows<T>& candidates, double scale) {
  const std::vector<std::int32_t> labels = nearest(X, candidates, scale);
  const double factor = fixed_point::grid_factor(0);
  std::vector<fixed_point::Words> sums(static_cast<std::size_t>(candidates.rows()), fixed_point::Words{0, 0});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double y = weights[static_cast<Index>(i)] * factor;
    sums[static_cast<std::size_t>(labels[i])].high += static_cast<std::int64_t>(std::nearbyint(y));
    sums[static_cast<std::size_t>(labels[i])].low +=
        static_cast<std::int64_t>(std::nearbyint((y - std::nearbyint(y)) * fixed_point::low_factor));
  }
  Eigen::VectorXd result(candidates.rows());
  for (std::size_t c = 0; c < sums.size(); ++c) result[static_cast<Index>(c)] = fixed_point::value(sums[c], factor);
  return result;
}

template <typename T>
Rows<T> parallel(const Rows<T>& X, const Eigen::VectorXd& weights, std::int32_t k, const Source& source, double scale) {
  const std::vector<Index> gathered = gather(X, weights, k, source, scale);
  if (gathered.size() < static_cast<std::size_t>(k))
    return rows_of(X, plus_plus(X, weights, k, source, Draw::first, Draw::plus_plus, scale));
  const Rows<T> candidates = rows_of(X, gathered);
  const Eigen::VectorXd masses = normalized_weights(weights_of(X, weights, candidates, scale), candidates.rows());
  return rows_of(candidates, plus_plus(candidates, masses, k, source, Draw::recluster_first, Draw::recluster, scale));
}

}  // namespace

template <typename T>
Rows<T> first_centers(const Problem<T>& problem, std::int32_t start) {
  const Eigen::VectorXd weights = normalized_weights(problem.weights, problem.X.rows());
  const double scale = data_scale(problem, Rows<T>());
  const Source source{problem.options.seed, start};
  const std::int32_t k = problem.options.n_clusters;
  switch (problem.options.init) {
    case KMeansInit::k_means_parallel:
      return parallel(problem.X, weights, k, source, scale);
    case KMeansInit::random:
      return rows_of(problem.X, random_rows(weights, k, source));
    case KMeansInit::k_means_plus_plus:
      break;
  }
  return rows_of(problem.X, plus_plus(problem.X, weights, k, source, Draw::first, Draw::plus_plus, scale));
}

template Rows<float> first_centers<float>(const Problem<float>&, std::int32_t);
template Rows<double> first_centers<double>(const Problem<double>&, std::int32_t);

}  // namespace tilelearn::kmeans::reference
