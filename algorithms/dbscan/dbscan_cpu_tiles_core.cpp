// Which rows are core, by tiles: a walk over pairs of tiles that leaves off where all rows are known to be core.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "dbscan/dbscan_cpu_amounts.hpp"
#include "dbscan/dbscan_cpu_tiles_pairs.hpp"
#include "dbscan/dbscan_cpu_tiles_steps.hpp"
#include "dbscan/dbscan_cpu_tiles_walk.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

/// A visitor of PairWalk that credits both rows of every pair within eps.
template <typename T, typename Amounts>
class CountPairs {
 public:
  using Amount = typename Amounts::Amount;

  CountPairs(const Tiles<T>& tiles, const Context& context, Amounts& amounts, detail::CpuWorkspace& workspace)
      : tiles_(tiles),
        pairs_(context.ball),
        amounts_(amounts),
        settled_(workspace.take<std::uint64_t>(tiles.count(), "rows known to be core")),
        done_(workspace.take<std::uint8_t>(2 * std::int64_t{tiles.count()}, "tiles known to be core")) {
    std::fill_n(settled_, tiles.count(), 0);
    std::fill_n(done_, 2 * std::int64_t{tiles.count()}, 0);
  }

  [[nodiscard]] bool is_done(Node a, Node b) { return is_settled(a) && is_settled(b); }

  void all(Node a, Node b) {
    credit_all(a, amount_of(b));
    credit_all(b, amount_of(a));
  }

  void tile(std::int32_t t) { one_way(t, tiles_.live(t), t); }

  void tiles(std::int32_t a, std::int32_t b) {
    const std::uint64_t open_a = open(a);
    const std::uint64_t open_b = open(b);
    if (open_b == 0) return one_way(a, open_a, b);
    if (open_a == 0) return one_way(b, open_b, a);
    if (__builtin_popcountll(tiles_.live(a)) <= __builtin_popcountll(tiles_.live(b))) return both_ways(a, b, open_b);
    both_ways(b, a, open_a);
  }

  void finish(Node node) { static_cast<void>(is_settled(node)); }

 private:
  /// Whether all rows of a node are known to be core.
  [[nodiscard]] bool is_settled(Node node) {
    if (known_done(node)) return true;
    const bool done = node.is_tile() ? open(node.first) == 0 : known_done(node.left()) && known_done(node.right());
    if (done) std::atomic_ref<std::uint8_t>(done_[node.id()]).store(1, std::memory_order_relaxed);
    return done;
  }
  [[nodiscard]] bool known_done(Node node) const {
    return std::atomic_ref<std::uint8_t>(done_[node.id()]).load(std::memory_order_relaxed) != 0;
  }
  /// Rows of a tile that are not known to be core.
  [[nodiscard]] std::uint64_t open(std::int32_t t) const {
    return tiles_.live(t) & ~std::atomic_ref<std::uint64_t>(settled_[t]).load(std::memory_order_relaxed);
  }

  [[nodiscard]] Amount amount_of(std::int32_t t, std::uint64_t which) const {
    if constexpr (std::is_same_v<Amounts, Counts>) return __builtin_popcountll(which);
    Amount sum{};
    for_bits(which, [&](int r) { Amounts::add(sum, amounts_.of(tiles_.row_at(std::int64_t{t} * tile_rows + r))); });
    return sum;
  }
  [[nodiscard]] Amount amount_of(Node node) const {
    Amount sum{};
    for (std::int32_t t = node.first; t < node.last; ++t) Amounts::add(sum, amount_of(t, tiles_.live(t)));
    return sum;
  }

  void credit(std::int32_t t, int r, const Amount& amount) {
    if (amounts_.credit(std::int64_t{t} * tile_rows + r, amount))
      std::atomic_ref<std::uint64_t>(settled_[t]).fetch_or(1ULL << r, std::memory_order_relaxed);
  }
  void credit_all(Node node, const Amount& amount) {
    for (std::int32_t t = node.first; t < node.last; ++t) for_bits(open(t), [&](int r) { credit(t, r, amount); });
  }

  void one_way(std::int32_t from, std::uint64_t queries, std::int32_t to) {
    pairs_.for_rows(tiles_, from, queries, tiles_, to, tiles_.live(to), tiles_.box({to, to + 1}),
                    [&](int r, std::uint64_t mask) {
                      credit(from, r, amount_of(to, mask));
                      return true;
                    });
  }

  void both_ways(std::int32_t a, std::int32_t b, std::uint64_t open_b) {
    Amount found[tile_rows] = {};
    std::uint64_t any = 0;
    pairs_.for_rows(tiles_, a, tiles_.live(a), tiles_, b, tiles_.live(b), tiles_.box({b, b + 1}),
                    [&](int r, std::uint64_t mask) {
                      credit(a, r, amount_of(b, mask));
                      const Amount own = amounts_.of(tiles_.row_at(std::int64_t{a} * tile_rows + r));
                      any |= mask & open_b;
                      for_bits(mask & open_b, [&](int other) { Amounts::add(found[other], own); });
                      return true;
                    });
    for_bits(any, [&](int r) { credit(b, r, found[r]); });
  }

  const Tiles<T>& tiles_;
  TilePairs<T> pairs_;
  Amounts& amounts_;
  std::uint64_t* settled_;
  std::uint8_t* done_;
};

template <typename Amounts, typename T>
void find_core_by(const Tiles<T>& tiles, const Density& density, const Context& context, std::uint64_t* core) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  Amounts amounts(density, tiles.positions(), scratch);
  CountPairs<T, Amounts> visitor(tiles, context, amounts, scratch);
  PairWalk(tiles, context, visitor).run();
  for (std::int32_t t = 0; t < tiles.count(); ++t) {
    core[t] = 0;
    for_bits(tiles.live(t), [&](int r) {
      if (amounts.is_core(std::int64_t{t} * tile_rows + r)) core[t] |= 1ULL << r;
    });
  }
}

}  // namespace

template <typename T>
void find_core(const Tiles<T>& tiles, const Density& density, const Context& context, std::uint64_t* core) {
  if (density.words == nullptr) return find_core_by<Counts>(tiles, density, context, core);
  find_core_by<WeightSums>(tiles, density, context, core);
}

template void find_core(const Tiles<float>&, const Density&, const Context&, std::uint64_t*);
template void find_core(const Tiles<double>&, const Density&, const Context&, std::uint64_t*);

}  // namespace tilelearn::dbscan::cpu
