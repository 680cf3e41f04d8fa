// All pairs of tiles that may hold rows within eps of each other, near ones first, by any number of threads: a dual
// walk over the tree of tiles, each pair of nodes once.
//
// A visitor says what a pair of nodes still needs and does it:
//   bool is_done(Node), bool is_done(Node a, Node b)   nothing is left to do inside, between
//   void all(Node)                                      every pair of rows inside is within eps
//   void all(Node a, Node b)                            every pair between is
//   void tile(int32 t), void tiles(int32 a, int32 b)    pairs of rows inside a tile, between two, are to be looked at
//   void finish(Node)                                   the pairs inside have been visited
// Its functions are called from several threads at once, in any order.
//
// Source: A. G. Gray, A. W. Moore, "N-body" problems in statistical learning, NIPS 2000.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_cpu_tiles.hpp"

namespace tilelearn::dbscan::cpu {

template <typename T, typename Visitor>
class PairWalk {
 public:
  PairWalk(const Tiles<T>& tiles, const Context& context, Visitor& visitor)
      : tiles_(tiles), context_(context), visitor_(visitor) {}

  void run() {
    const double least_work = 16.0 * static_cast<double>(tiles_.positions()) * tiles_.d();
#pragma omp parallel num_threads(useful_threads(context_.threads, least_work))
#pragma omp master
    inside(tiles_.root());
    context_.stop.check();
  }

 private:
  /// Pairs of tiles that are worth a task.
  static constexpr std::int64_t task_pairs = 256;
  static constexpr std::int32_t task_tiles = 16;

  [[nodiscard]] Span span(const Node& a, const Node& b) const {
    return span_of(tiles_.box(a), tiles_.box(b), context_.ball);
  }
  [[nodiscard]] bool stopped() const { return context_.stop.poll(); }

  void inside(Node node) {
    if (stopped() || visitor_.is_done(node)) return;
    if (reach_of(span(node, node), context_.ball) == Reach::all) {
      visitor_.all(node);
    } else if (node.is_tile()) {
      visitor_.tile(node.first);
    } else {
      // Both halves first: what they settle by near pairs need not be asked of far ones.
#pragma omp taskgroup
      {
#pragma omp task if (node.tiles() >= task_tiles)
        inside(node.left());
        inside(node.right());
      }
#pragma omp taskgroup
      between(node.left(), node.right(), span(node.left(), node.right()));
    }
    visitor_.finish(node);
  }

  void between(Node a, Node b, Span distance) {
    if (stopped()) return;
    const Reach reach = reach_of(distance, context_.ball);
    if (reach == Reach::none || visitor_.is_done(a, b)) return;
    if (reach == Reach::all) return visitor_.all(a, b);
    if (a.is_tile() && b.is_tile()) return visitor_.tiles(a.first, b.first);
    if (a.tiles() < b.tiles()) return halves(a, b);
    halves(b, a);
  }

  /// One node with the halves of the other, the nearer half first.
  void halves(Node whole, Node divided) {
    const Span left = span(whole, divided.left());
    const Span right = span(whole, divided.right());
    const bool left_first = left.least <= right.least;
    const Node near = left_first ? divided.left() : divided.right();
    const Node far = left_first ? divided.right() : divided.left();
    const Span near_span = left_first ? left : right;
    const Span far_span = left_first ? right : left;
#pragma omp task if (std::int64_t{whole.tiles()} * divided.tiles() >= task_pairs)
    between(whole, near, near_span);
    between(whole, far, far_span);
  }

  const Tiles<T>& tiles_;
  const Context& context_;
  Visitor& visitor_;
};

}  // namespace tilelearn::dbscan::cpu
