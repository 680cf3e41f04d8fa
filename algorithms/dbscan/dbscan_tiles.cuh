// DBSCAN by tiles: rows in k-d order, cut into tiles of 64 with bounding boxes under a tree of boxes. A strip of 16
// rows, the work of one warp, walks the tree for tiles that may hold neighbours and evaluates 16 x 64 pairs at a time.
//
// Under the euclidean norm float16 copies of the rows let the tensor cores decide most pairs.
//
// For any number of columns and any values. O(n d) memory; pairs of boxes that are too far apart are never looked at.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_components.cuh"
#include "dbscan/dbscan_search.cuh"
#include "dbscan/dbscan_tiles_operands.cuh"
#include "dbscan/dbscan_tiles_tree.hpp"

namespace tilelearn::dbscan::cuda {

/// Clusters the rows: labels[n] coded (dbscan_search.cuh), `clusters` ranked. Stream-ordered.
template <typename T>
void cluster_by_tiles(const Search<T>& search, std::int32_t* labels, RankedBits& clusters, const Device& device);

/// For rows of a model, all of them core, with labels: least label within eps of m other rows, noise for none.
/// Stream-ordered.
template <typename T>
void label_by_tiles(const Search<T>& rows, const std::int32_t* labels_of_rows, const T* queries, std::int64_t m,
                    std::int32_t* labels, const Device& device);

/// Rows in tiles, as kernels see them. A slot is a row's place in k-d order; slots from `rows` on are padding.
template <typename T>
struct Tiles {
  TileTree tree;
  int d;
  const T* X;                 ///< the rows as they came
  const std::int32_t* order;  ///< [slots] row of X
  const T* values;            ///< [tile][column][64]
  const T* strip_boxes;       ///< [strip][column][low, high]
  const T* boxes;             ///< [family][column][low, high][32 siblings]
  TensorOperands operands;    ///< the values in float16, if the norm is euclidean

  [[nodiscard]] __device__ const T* tile(std::int32_t t) const { return values + std::int64_t{t} * tile_rows * d; }
};

/// Owner of Tiles.
template <typename T>
class TiledRows {
 public:
  /// Puts n >= 1 rows in order, to be searched by `norm`, if they are queries of other rows by the operands of those.
  /// Stream-ordered.
  TiledRows(const T* X, std::int64_t n, int d, Norm norm, const Device& device, const TiledRows* queried = nullptr);

  [[nodiscard]] Tiles<T> view() const;

 private:
  TileTree tree_;
  int d_;
  const T* X_;
  tilelearn::cuda::Buffer<std::int32_t> order_;
  tilelearn::cuda::Buffer<T> values_;
  tilelearn::cuda::Buffer<T> strip_boxes_;
  tilelearn::cuda::Buffer<T> boxes_;
  OperandRows<T> operands_;
};

/// The k-d order of n rows: halves of halves, each along the column in which its rows reach widest. Empty for so few
/// rows that any order will do.
template <typename T>
tilelearn::cuda::Buffer<std::int32_t> k_d_order(const T* X, std::int64_t n, int d, const Device& device);

/// What a fit by tiles knows of its slots.
struct TileSlots {
  std::uint16_t* core;       ///< [strip] bit of each core row
  std::uint16_t* reachable;  ///< [strip] bit of each row that is not core and has a neighbour
  std::int32_t* link;        ///< [slots] one neighbour of each row, -1 for none
  std::int32_t* parent;      ///< [slots] union-find; clusters in the end
  std::int32_t* node_label;  ///< [families x 32] see the kernels
};

/// Core rows. Stream-ordered, as all that follow.
template <typename T>
void find_core_rows(const Tiles<T>& rows, const Search<T>& search, const TileSlots& slots, const Device& device);

/// Unites core rows that are within eps.
template <typename T>
void unite_core_rows(const Tiles<T>& rows, const Search<T>& search, const TileSlots& slots, const Device& device);

/// What is asked of which rows, and what answers go where: the least cluster within eps.
template <typename T>
struct LabelTask {
  Tiles<T> queries;
  Tiles<T> rows;
  const std::int32_t* clusters;    ///< [slots of rows] negative: not core
  std::int32_t* least;             ///< [families x 32 of rows] workspace
  const std::uint16_t* reachable;  ///< [strips of queries] rows that ask; null: all
  const std::int32_t* own;  ///< [slots of queries] negative: not core; null: no row is, and answers are not coded
  std::int32_t* answers;    ///< in the order of the queries' X
};

template <typename T>
void find_least_labels(const LabelTask<T>& task, const Ball& ball, const Device& device);

}  // namespace tilelearn::dbscan::cuda
