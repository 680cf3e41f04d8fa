// Components of core rows, by tiles: a walk over pairs of tiles that leaves off where all rows share a component.
#include <algorithm>
#include <atomic>
#include <utility>

#include "dbscan/dbscan_cpu_tiles_pairs.hpp"
#include "dbscan/dbscan_cpu_tiles_steps.hpp"
#include "dbscan/dbscan_cpu_tiles_walk.hpp"
#include "dbscan/dbscan_cpu_union_find.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr std::int32_t nobody = -1;

/// A visitor of PairWalk that joins the live rows within eps of each other. A node is whole once its rows are known to
/// share a component, which then stays so.
template <typename T>
class JoinPairs {
 public:
  JoinPairs(const Tiles<T>& tiles, const Context& context, UnionFind sets, detail::CpuWorkspace& workspace)
      : tiles_(tiles),
        pairs_(context.ball),
        sets_(sets),
        first_(workspace.take<std::int32_t>(2 * std::int64_t{tiles.count()}, "first core rows of the tiles")),
        whole_(workspace.take<std::uint8_t>(2 * std::int64_t{tiles.count()}, "tiles of one component")) {
    std::fill_n(whole_, 2 * std::int64_t{tiles.count()}, 0);
    find_first(tiles.root());
  }

  [[nodiscard]] bool is_done(Node a, Node b) {
    if (first_[a.id()] == nobody || first_[b.id()] == nobody) return true;
    return is_whole(a) && is_whole(b) && sets_.joined(first_[a.id()], first_[b.id()]);
  }

  void all(Node a, Node b) {
    sets_.join(first_[a.id()], first_[b.id()]);
    if (!is_whole(a)) join_all(a, first_[b.id()]);
    if (!is_whole(b)) join_all(b, first_[a.id()]);
  }

  /// Floods the components of a tile as bits.
  void tile(std::int32_t t) {
    std::uint64_t near[tile_rows] = {};
    pairs_.for_rows(tiles_, t, tiles_.live(t), tiles_, t, tiles_.live(t), tiles_.box({t, t + 1}),
                    [&](int r, std::uint64_t mask) {
                      near[r] = mask;
                      return true;
                    });
    for (std::uint64_t left = tiles_.live(t); left != 0;) {
      const int first = __builtin_ctzll(left);
      std::uint64_t component = 1ULL << first;
      for (std::uint64_t front = component; front != 0;) {
        const std::uint64_t found = near[__builtin_ctzll(front)] & ~component;
        component |= found;
        front = (front & (front - 1)) | found;
      }
      for_bits(component, [&](int r) { sets_.join(position(t, first), position(t, r)); });
      left &= ~component;
    }
  }

  void tiles(std::int32_t a, std::int32_t b) {
    if (is_whole({a, a + 1}) && !is_whole({b, b + 1})) std::swap(a, b);
    const bool to_whole = is_whole({b, b + 1});
    const bool one_is_enough = to_whole && is_whole({a, a + 1});
    const std::uint64_t queries = to_whole ? outside_of(a, first_[Node{b, b + 1}.id()]) : tiles_.live(a);
    pairs_.for_rows(tiles_, a, queries, tiles_, b, tiles_.live(b), tiles_.box({b, b + 1}),
                    [&](int r, std::uint64_t mask) {
                      join_each(a, r, b, to_whole ? mask & -mask : mask);
                      return !one_is_enough;
                    });
    finish({a, a + 1});
    finish({b, b + 1});
  }

  void finish(Node node) {
    if (node.is_tile()) {
      if (!is_whole(node) && outside_of(node.first, first_[node.id()]) == 0) mark_whole(node);
      return;
    }
    for (const Node& part : {node.left(), node.right(), node}) static_cast<void>(is_whole(part));
  }

 private:
  static std::int32_t position(std::int32_t t, int r) { return t * tile_rows + r; }

  std::int32_t find_first(Node node) {
    std::int32_t& first = first_[node.id()];
    if (node.is_tile()) {
      const std::uint64_t live = tiles_.live(node.first);
      first = live == 0 ? nobody : position(node.first, __builtin_ctzll(live));
    } else {
      const std::int32_t left = find_first(node.left());
      const std::int32_t right = find_first(node.right());
      first = left != nobody ? left : right;
    }
    return first;
  }

  [[nodiscard]] bool known_whole(Node node) const {
    return first_[node.id()] == nobody ||
           std::atomic_ref<std::uint8_t>(whole_[node.id()]).load(std::memory_order_relaxed) != 0;
  }
  void mark_whole(Node node) { std::atomic_ref<std::uint8_t>(whole_[node.id()]).store(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_whole(Node node) {
    if (known_whole(node)) return true;
    if (node.is_tile() || !known_whole(node.left()) || !known_whole(node.right())) return false;
    const std::int32_t left = first_[node.left().id()];
    const std::int32_t right = first_[node.right().id()];
    const bool whole = left == nobody || right == nobody || sets_.joined(left, right);
    if (whole) mark_whole(node);
    return whole;
  }

  /// Live rows of a tile that are not (yet) in the component of a position.
  [[nodiscard]] std::uint64_t outside_of(std::int32_t t, std::int32_t of) const {
    std::uint64_t result = 0;
    const std::int32_t root = sets_.root(of);
    for_bits(tiles_.live(t), [&](int r) {
      if (sets_.root(position(t, r)) != root) result |= 1ULL << r;
    });
    return result;
  }

  void join_all(Node node, std::int32_t with) {
    for (std::int32_t t = node.first; t < node.last; ++t)
      for_bits(tiles_.live(t), [&](int r) { sets_.join(with, position(t, r)); });
    mark_whole(node);
  }
  void join_each(std::int32_t a, int r, std::int32_t b, std::uint64_t mask) const {
    const std::int32_t own = position(a, r);
    std::int32_t root = sets_.root(own);
    for_bits(mask, [&](int other) {
      if (sets_.is_in(position(b, other), root)) return;
      sets_.join(own, position(b, other));
      root = sets_.root(own);
    });
  }

  const Tiles<T>& tiles_;
  TilePairs<T> pairs_;
  UnionFind sets_;
  std::int32_t* first_;  ///< position of the first live row of each node
  std::uint8_t* whole_;
};

}  // namespace

template <typename T>
void join_components(const Tiles<T>& tiles, const Context& context, std::int32_t* parents) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  JoinPairs<T> visitor(tiles, context, UnionFind(parents), scratch);
  PairWalk(tiles, context, visitor).run();
}

template void join_components(const Tiles<float>&, const Context&, std::int32_t*);
template void join_components(const Tiles<double>&, const Context&, std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
