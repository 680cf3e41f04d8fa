// All pairs of tiles that may hold rows within eps of each other, near ones first, by any number of threads: a dual
// walk over the tree of tiles, each pair of nodes once.
//
// The two halves of every node are set against each other, lowest nodes first: what near pairs settle need not be asked
// of far ones. A visitor says what a pair of nodes still needs and does it:
//   bool is_done(Node a, Node b)                        nothing is left to do between them
//   void all(Node a, Node b)                            every pair of their rows is within eps
//   void tile(int32 t), void tiles(int32 a, int32 b)    pairs of rows inside a tile, between two, are to be looked at
//   void finish(Node)                                   the pairs inside have been visited
// Its functions are called from several threads at once, in any order.
//
// Source: A. G. Gray, A. W. Moore, "N-body" problems in statistical learning, NIPS 2000.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dbscan/dbscan_cpu_tiles.hpp"

namespace tilelearn::dbscan::cpu {

template <typename T, typename Visitor>
class PairWalk {
 public:
  PairWalk(const Tiles<T>& tiles, const Context& context, Visitor& visitor)
      : tiles_(tiles),
        context_(context),
        visitor_(visitor),
        threads_(useful_threads(context.threads, 16.0 * static_cast<double>(tiles.positions()) * tiles.d())) {}

  void run() {
#pragma omp parallel for num_threads(threads_) schedule(monotonic : dynamic, 4)
    for (std::int32_t t = 0; t < tiles_.count(); ++t) {
      if (context_.stop.poll()) continue;
      visitor_.tile(t);
      visitor_.finish({t, t + 1});
    }
    const std::vector<std::vector<Node>> levels = levels_below(tiles_.root());
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      set_halves_against_each_other(*level);
      for (const Node& node : *level) visitor_.finish(node);
    }
    context_.stop.check();
  }

 private:
  /// Two nodes and what their boxes prove.
  struct Pair {
    Node a;
    Node b;
    Span span;
  };

  [[nodiscard]] Pair pair_of(const Node& a, const Node& b) const {
    return {a, b, span_of(tiles_.box(a), tiles_.box(b), context_.ball)};
  }

  void set_halves_against_each_other(const std::vector<Node>& nodes) {
    std::vector<Pair> pairs;
    pairs.reserve(nodes.size());
    for (const Node& node : nodes) pairs.push_back(pair_of(node.left(), node.right()));
    divide_for_threads(pairs);
#pragma omp parallel for num_threads(threads_) schedule(monotonic : dynamic)
    for (std::size_t i = 0; i < pairs.size(); ++i) visit(pairs[i]);
  }

  /// Whether there is anything to do, not all of it at once.
  [[nodiscard]] bool is_open(const Pair& pair) {
    if (context_.stop.poll()) return false;
    const Reach reach = reach_of(pair.span, context_.ball);
    if (reach == Reach::none || visitor_.is_done(pair.a, pair.b)) return false;
    if (reach == Reach::all) visitor_.all(pair.a, pair.b);
    return reach == Reach::some;
  }

  void visit(const Pair& pair) {
    if (!is_open(pair)) return;
    if (pair.a.is_tile() && pair.b.is_tile()) return visitor_.tiles(pair.a.first, pair.b.first);
    const auto [near, far] = halves_of(pair);
    visit(near);
    visit(far);
  }

  /// The larger node's halves, each with the other node, the nearer half first.
  [[nodiscard]] std::pair<Pair, Pair> halves_of(const Pair& pair) const {
    const bool divide_a = pair.a.tiles() >= pair.b.tiles();
    const Node& whole = divide_a ? pair.b : pair.a;
    const Node& divided = divide_a ? pair.a : pair.b;
    const Pair left = pair_of(whole, divided.left());
    const Pair right = pair_of(whole, divided.right());
    return left.span.least <= right.span.least ? std::pair{left, right} : std::pair{right, left};
  }

  /// Makes few large pairs many: enough of them for threads to share out.
  void divide_for_threads(std::vector<Pair>& pairs) {
    constexpr std::size_t pairs_each = 64;
    const std::size_t enough = threads_ == 1 ? 0 : pairs_each * static_cast<std::size_t>(threads_);
    std::vector<Pair> smaller;
    bool divided = true;
    while (divided && pairs.size() < enough) {
      divided = false;
      for (const Pair& pair : pairs) {
        if (pair.a.is_tile() && pair.b.is_tile()) {
          smaller.push_back(pair);
        } else if (is_open(pair)) {
          const auto [near, far] = halves_of(pair);
          smaller.insert(smaller.end(), {near, far});
          divided = true;
        }
      }
      std::swap(pairs, smaller);
      smaller.clear();
    }
  }

  const Tiles<T>& tiles_;
  const Context& context_;
  Visitor& visitor_;
  int threads_;
};

}  // namespace tilelearn::dbscan::cpu
