// A k-d tree of bounding boxes: how far it is to the k-th nearest row, exact as float64 computes distances.
//
// Source: J. H. Friedman, J. L. Bentley, R. A. Finkel, An algorithm for finding best matches in logarithmic expected
// time, ACM Transactions on Mathematical Software 3 (1977).
#pragma once

#include <cstdint>
#include <vector>

#include "dbscan/dbscan_within.hpp"

namespace tilelearn::cli {

class NeighbourTree {
 public:
  /// n x d values, row-major, finite, n and d at least 1. O(n log n) time; once more the memory of the rows.
  NeighbourTree(const std::vector<double>& rows, std::int64_t columns, dbscan::Norm norm);

  /// The k-th smallest distance from a point of d values to the rows, k from 1 to n. `nearest` is working memory, so
  /// that several threads may ask at once. O(log n + k) expected for few columns, O(n d) at worst.
  [[nodiscard]] double distance_to_nth(const double* point, std::int64_t k, std::vector<double>& nearest) const;

 private:
  struct Node {
    std::int64_t begin;  ///< of its rows
    std::int64_t end;
    std::int64_t right;  ///< the second child, the first one follows its parent; 0 for a leaf
  };
  template <dbscan::Norm norm>
  struct Search;

  /// The node of these rows, whose order it changes, and those below it.
  void add_node(const std::vector<double>& rows, std::vector<std::int64_t>& order, std::int64_t begin,
                std::int64_t end);
  /// Appends least and largest values of the columns; returns the column of the widest range.
  std::int64_t add_box(const std::vector<double>& rows, const std::vector<std::int64_t>& order, std::int64_t begin,
                       std::int64_t end);

  std::int64_t columns_;
  dbscan::Norm norm_;
  std::vector<Node> nodes_;
  std::vector<double> boxes_;  ///< for each node: d least values, d largest values
  std::vector<double> rows_;   ///< in the order of the leaves
};

}  // namespace tilelearn::cli
