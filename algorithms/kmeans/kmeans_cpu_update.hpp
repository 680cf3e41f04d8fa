// Sums of rows by cluster in fixed point, the centres they give, and the relocation of empty clusters.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fixed_point.hpp"
#include "kmeans/kmeans_cpu_data.hpp"
#include "kmeans/kmeans_cpu_statistics.hpp"

namespace tilelearn::kmeans::cpu {

/// Exact sums of all rows by label. They follow the labels: only rows that change their label are added and taken away.
template <typename T>
class ClusterSums {
 public:
  ClusterSums(const Rows<T>& rows, std::int64_t k, const ColumnStatistics& columns, Workspace& workspace);

  /// Forgets all rows.
  void clear();

  /// Rows [first, first + count) change from one label (-1: none) to another; returns how many did. Rows of weight
  /// zero never do. `thread` has words of its own until merge().
  std::int64_t move(std::int64_t first, std::int64_t count, const std::int32_t* from, const std::int32_t* to,
                    int thread);

  /// Adds what the threads moved to the sums.
  void merge();

  /// Moves one row, at once.
  void move_row(std::int64_t row, std::int32_t from, std::int32_t to);

  [[nodiscard]] bool empty(std::int64_t cluster) const { return !(weight(cluster) > 0.0); }

  /// The centre of every cluster; an empty one keeps that of `old`.
  void centers(const T* old, T* result) const;

 private:
  struct Part {
    std::uint64_t* high;
    std::uint64_t* low;
    std::int64_t* rows;  // net rows added, which tells the bias of the words
    fixed_point::Words* weight;
  };

  [[nodiscard]] Part take_part(Workspace& workspace) const;
  void clear(const Part& part);
  void move_weight(const Part& part, std::int64_t row, std::int32_t from, std::int32_t to) const;
  [[nodiscard]] double weight(std::int64_t cluster) const;

  Rows<T> rows_;
  std::int64_t k_;
  bool wide_ = false;
  double* factors_;      // d
  double* low_factors_;  // d
  Part total_;
  std::vector<Part> parts_;
};

/// Gives rows far from their centres to the empty clusters, as class KMeans documents.
/// @returns the moves made, so that undo_moves can take them back
struct RowMove {
  std::int64_t row;
  std::int32_t from;
  std::int32_t to;
};
template <typename T>
std::vector<RowMove> relocate_empty(const Rows<T>& rows, std::int64_t k, const T* centers, const std::int32_t* labels,
                                    double* distances, ClusterSums<T>& sums);

}  // namespace tilelearn::kmeans::cpu
