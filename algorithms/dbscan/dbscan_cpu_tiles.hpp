// Rows in k-d order, cut into tiles of 64, with the bounding box of every node of the tree above them.
//
// Source: J. L. Bentley, Multidimensional binary search trees used for associative searching, CACM 18, 1975.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dbscan/dbscan_cpu_boxes.hpp"
#include "dbscan/dbscan_cpu_search.hpp"

namespace tilelearn::dbscan::cpu {

/// A node stands for the tiles [first, last); its halves are [first, middle) and [middle, last).
struct Node {
  std::int32_t first = 0;
  std::int32_t last = 0;

  [[nodiscard]] std::int32_t tiles() const { return last - first; }
  [[nodiscard]] bool is_tile() const { return tiles() == 1; }
  [[nodiscard]] std::int32_t middle() const { return first + (tiles() + 1) / 2; }
  [[nodiscard]] Node left() const { return {first, middle()}; }
  [[nodiscard]] Node right() const { return {middle(), last}; }
  /// From 0 to 2 tiles - 2, each node another: tiles have even numbers, other nodes the odd one before their middle.
  [[nodiscard]] std::int64_t id() const { return is_tile() ? 2 * std::int64_t{first} : 2 * std::int64_t{middle()} - 1; }
};

/// The nodes of two tiles or more from `root` down, level by level.
std::vector<std::vector<Node>> levels_below(const Node& root);

template <typename T>
class Tiles {
 public:
  /// Orders and copies the rows. O(n (d + log^2 n)); memory O(n d).
  Tiles(const Rows<T>& rows, const Context& context);

  [[nodiscard]] const Rows<T>& rows() const { return rows_; }
  [[nodiscard]] int d() const { return rows_.d; }
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] Node root() const { return {0, count_}; }
  /// Rows that all tiles have room for; position p is row p % 64 of tile p / 64.
  [[nodiscard]] std::int64_t positions() const { return std::int64_t{count_} * tile_rows; }
  /// Positions of a node's rows, of which the last tile may have fewer than 64.
  [[nodiscard]] std::int64_t begin(const Node& node) const { return std::int64_t{node.first} * tile_rows; }
  [[nodiscard]] std::int64_t end(const Node& node) const {
    return std::min(std::int64_t{node.last} * tile_rows, rows_.n);
  }
  /// The row at a position below n.
  [[nodiscard]] std::int32_t row_at(std::int64_t position) const { return order_[position]; }
  [[nodiscard]] const T* values_at(std::int64_t position) const { return rows_.row(order_[position]); }
  /// d x 64 values.
  [[nodiscard]] const T* tile(std::int32_t t) const { return values_ + std::int64_t{t} * rows_.d * tile_rows; }

  /// Rows of a tile that take part: all of them, or those of the last narrow().
  [[nodiscard]] std::uint64_t live(std::int32_t t) const { return live_[t]; }
  /// Of the rows that take part; empty where none does.
  [[nodiscard]] const T* box(const Node& node) const { return boxes_ + node.id() * box_size(rows_.d); }
  /// Leaves the rows of `live` (a word for each tile) to take part, and shrinks the boxes.
  void narrow(const std::uint64_t* live);

 private:
  void copy_values();
  void fit_boxes();

  Rows<T> rows_;
  int threads_;
  std::int32_t count_;
  std::int32_t* order_;
  T* values_;
  std::uint64_t* live_;
  T* boxes_;
};

/// The box of some rows of a tile.
template <typename T>
void box_of_rows(const T* tile, std::uint64_t which, int d, T* box);

extern template class Tiles<float>;
extern template class Tiles<double>;

}  // namespace tilelearn::dbscan::cpu
