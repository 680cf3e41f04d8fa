#include "neighbour_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilelearn::cli {

namespace {

using dbscan::Norm;

constexpr std::int64_t leaf_rows = 24;
/// Sums that run side by side.
constexpr std::int64_t lanes = 4;
/// Columns after which a row that is too far already is left.
constexpr std::int64_t columns_at_once = 4 * lanes;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Adds one column's difference to a distance, squared for the euclidean norm.
template <Norm norm>
double extended(double sum, double difference) {
  if constexpr (norm == Norm::euclidean) return sum + difference * difference;
  const double size = std::abs(difference);
  return norm == Norm::manhattan ? sum + size : std::max(sum, size);
}

template <Norm norm>
double joined(const std::array<double, lanes>& sums) {
  if constexpr (norm == Norm::chebyshev) return std::max({sums[0], sums[1], sums[2], sums[3]});
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Of d differences, or something that is no less than `limit` where the distance is. Monotone in the size of every
/// difference, roundings included, so the nearest point of a box is never farther than a row inside it.
template <Norm norm, typename Difference>
double distance(std::int64_t d, double limit, const Difference& difference) {
  std::array<double, lanes> sums{};
  std::int64_t j = 0;
  for (; j + columns_at_once <= d; j += columns_at_once) {
    for (std::int64_t i = j; i < j + columns_at_once; i += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        sums[static_cast<std::size_t>(lane)] =
            extended<norm>(sums[static_cast<std::size_t>(lane)], difference(i + lane));
    if (joined<norm>(sums) >= limit) return limit;
  }
  for (; j < d; ++j) {
    double& sum = sums[static_cast<std::size_t>(j % lanes)];
    sum = extended<norm>(sum, difference(j));
  }
  return joined<norm>(sums);
}

}  // namespace

/// One question to the tree.
template <Norm norm>
struct NeighbourTree::Search {
  const NeighbourTree& tree;
  const double* point;
  std::size_t k;
  std::vector<double>& nearest;  ///< heap of the at most k least distances so far, the largest first

  /// What does not count any more.
  [[nodiscard]] double limit() const { return nearest.size() == k ? nearest.front() : infinity; }

  [[nodiscard]] double distance_to_box(std::int64_t node) const {
    const double* least = tree.boxes_.data() + 2 * node * tree.columns_;
    const double* largest = least + tree.columns_;
    return distance<norm>(tree.columns_, limit(), [&](std::int64_t j) {
      return std::max({least[j] - point[j], point[j] - largest[j], 0.0});
    });
  }

  void visit_row(const double* row) {
    const double found = distance<norm>(tree.columns_, limit(), [&](std::int64_t j) { return point[j] - row[j]; });
    if (found >= limit()) return;
    if (nearest.size() == k) {
      std::pop_heap(nearest.begin(), nearest.end());
      nearest.pop_back();
    }
    nearest.push_back(found);
    std::push_heap(nearest.begin(), nearest.end());
  }

  void visit(std::int64_t number) {
    const Node& node = tree.nodes_[static_cast<std::size_t>(number)];
    if (node.right == 0) {
      for (std::int64_t i = node.begin; i < node.end; ++i) visit_row(tree.rows_.data() + i * tree.columns_);
      return;
    }
    std::int64_t first = number + 1;
    std::int64_t second = node.right;
    double to_first = distance_to_box(first);
    double to_second = distance_to_box(second);
    if (to_second < to_first) {
      std::swap(first, second);
      std::swap(to_first, to_second);
    }
    if (to_first < limit()) visit(first);
    if (to_second < limit()) visit(second);
  }

  double answer() {
    nearest.clear();
    visit(0);
    if (nearest.size() < k) return infinity;  // those left out are farther than float64 holds
    return norm == Norm::euclidean ? std::sqrt(nearest.front()) : nearest.front();
  }
};

NeighbourTree::NeighbourTree(const std::vector<double>& rows, std::int64_t columns, Norm norm)
    : columns_(columns), norm_(norm) {
  std::vector<std::int64_t> order(rows.size() / static_cast<std::size_t>(columns));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  add_node(rows, order, 0, static_cast<std::int64_t>(order.size()));
  rows_.reserve(rows.size());
  for (const std::int64_t row : order)
    rows_.insert(rows_.end(), rows.begin() + row * columns, rows.begin() + (row + 1) * columns);
}

void NeighbourTree::add_node(const std::vector<double>& rows, std::vector<std::int64_t>& order, std::int64_t begin,
                             std::int64_t end) {
  const std::size_t number = nodes_.size();
  nodes_.push_back({begin, end, 0});
  const std::int64_t widest = add_box(rows, order, begin, end);
  if (end - begin <= leaf_rows) return;
  const std::int64_t middle = begin + (end - begin) / 2;
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                   [&](std::int64_t a, std::int64_t b) {
                     return rows[static_cast<std::size_t>(a * columns_ + widest)] <
                            rows[static_cast<std::size_t>(b * columns_ + widest)];
                   });
  add_node(rows, order, begin, middle);
  nodes_[number].right = static_cast<std::int64_t>(nodes_.size());
  add_node(rows, order, middle, end);
}

std::int64_t NeighbourTree::add_box(const std::vector<double>& rows, const std::vector<std::int64_t>& order,
                                    std::int64_t begin, std::int64_t end) {
  const double* any = rows.data() + order[static_cast<std::size_t>(begin)] * columns_;
  const std::size_t at = boxes_.size();
  boxes_.insert(boxes_.end(), any, any + columns_);
  boxes_.insert(boxes_.end(), any, any + columns_);
  double* least = boxes_.data() + at;
  double* largest = least + columns_;
  for (std::int64_t i = begin; i < end; ++i) {
    const double* row = rows.data() + order[static_cast<std::size_t>(i)] * columns_;
    for (std::int64_t j = 0; j < columns_; ++j) {
      least[j] = std::min(least[j], row[j]);
      largest[j] = std::max(largest[j], row[j]);
    }
  }
  std::int64_t widest = 0;
  for (std::int64_t j = 1; j < columns_; ++j)
    if (largest[j] - least[j] > largest[widest] - least[widest]) widest = j;
  return widest;
}

double NeighbourTree::distance_to_nth(const double* point, std::int64_t k, std::vector<double>& nearest) const {
  const auto n = static_cast<std::size_t>(k);
  switch (norm_) {
    case Norm::euclidean:
      return Search<Norm::euclidean>{*this, point, n, nearest}.answer();
    case Norm::manhattan:
      return Search<Norm::manhattan>{*this, point, n, nearest}.answer();
    default:
      return Search<Norm::chebyshev>{*this, point, n, nearest}.answer();
  }
}

}  // namespace tilelearn::cli
