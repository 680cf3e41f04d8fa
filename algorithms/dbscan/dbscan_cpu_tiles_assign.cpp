// The least label in reach of each row, by tiles: every tile of rows walks down the tree of labelled rows, near nodes
// first, and leaves out nodes that have no lesser label.
#include <algorithm>
#include <limits>

#include "dbscan/dbscan_cpu_tiles_pairs.hpp"
#include "dbscan/dbscan_cpu_tiles_steps.hpp"

namespace tilelearn::dbscan::cpu {

namespace {

constexpr std::int32_t no_label = std::numeric_limits<std::int32_t>::max();

/// The least label of the live rows of every node; no_label where none is live.
template <typename T>
class LeastLabels {
 public:
  LeastLabels(const Tiles<T>& tiles, const std::int32_t* labels, detail::CpuWorkspace& workspace)
      : tiles_(tiles),
        labels_(labels),
        least_(workspace.take<std::int32_t>(2 * std::int64_t{tiles.count()}, "least labels of the tiles")) {
    fill(tiles.root());
  }

  [[nodiscard]] std::int32_t of(Node node) const { return least_[node.id()]; }
  [[nodiscard]] std::int32_t of_row(std::int32_t t, int r) const {
    return labels_[tiles_.row_at(std::int64_t{t} * tile_rows + r)];
  }

 private:
  std::int32_t fill(Node node) {
    std::int32_t least = no_label;
    if (node.is_tile())
      for_bits(tiles_.live(node.first), [&](int r) { least = std::min(least, of_row(node.first, r)); });
    else
      least = std::min(fill(node.left()), fill(node.right()));
    return least_[node.id()] = least;
  }

  const Tiles<T>& tiles_;
  const std::int32_t* labels_;
  std::int32_t* least_;
};

/// The rows of one tile of queries, and the least label that each has met.
template <typename T>
class LabelSearch {
 public:
  LabelSearch(const Tiles<T>& queries, std::int32_t t, std::uint64_t which, const Tiles<T>& data,
              const LeastLabels<T>& least, const TilePairs<T>& pairs, const Context& context, T* box)
      : queries_(queries),
        data_(data),
        least_(least),
        pairs_(pairs),
        context_(context),
        tile_(t),
        which_(which),
        box_(box) {
    box_of_rows(queries.tile(t), which, queries.d(), box);
    std::fill_n(best_, tile_rows, no_label);
  }

  const std::int32_t* run() {
    const Node root = data_.root();
    visit(root, span(root));
    return best_;
  }

 private:
  [[nodiscard]] Span span(Node node) const {
    return span_of(static_cast<const T*>(box_), data_.box(node), context_.ball);
  }

  /// Rows that a label would improve.
  [[nodiscard]] std::uint64_t improved_by(std::int32_t label) const {
    std::uint64_t result = 0;
    for_bits(which_, [&](int r) {
      if (best_[r] > label) result |= 1ULL << r;
    });
    return result;
  }
  void find_worst() {
    worst_ = noise;
    for_bits(which_, [&](int r) { worst_ = std::max(worst_, best_[r]); });
  }

  void visit(Node node, Span distance) {
    const std::int32_t label = least_.of(node);
    if (label >= worst_ || context_.stop.poll()) return;
    const Reach reach = reach_of(distance, context_.ball);
    if (reach == Reach::none) return;
    if (reach == Reach::all) {
      for_bits(improved_by(label), [&](int r) { best_[r] = label; });
      return find_worst();
    }
    if (node.is_tile()) return visit_tile(node.first, label);
    const Span left = span(node.left());
    const Span right = span(node.right());
    if (left.least <= right.least) visit(node.left(), left);
    visit(node.right(), right);
    if (left.least > right.least) visit(node.left(), left);
  }

  /// The side with fewer rows is taken row by row, the other in lanes.
  void visit_tile(std::int32_t t, std::int32_t label) {
    const std::uint64_t rows = improved_by(label);
    const std::uint64_t live = data_.live(t);
    bool improved = false;
    const auto take = [&](int r, std::int32_t found) {
      improved = improved || found < best_[r];
      best_[r] = std::min(best_[r], found);
    };
    if (__builtin_popcountll(rows) <= __builtin_popcountll(live))
      pairs_.for_rows(queries_, tile_, rows, data_, t, live, data_.box({t, t + 1}), [&](int r, std::uint64_t mask) {
        for_bits(mask, [&](int other) { take(r, least_.of_row(t, other)); });
        return true;
      });
    else
      pairs_.for_rows(data_, t, live, queries_, tile_, rows, box_, [&](int other, std::uint64_t mask) {
        for_bits(mask, [&](int r) { take(r, least_.of_row(t, other)); });
        return true;
      });
    if (improved) find_worst();
  }

  const Tiles<T>& queries_;
  const Tiles<T>& data_;
  const LeastLabels<T>& least_;
  const TilePairs<T>& pairs_;
  const Context& context_;
  std::int32_t tile_;
  std::uint64_t which_;
  T* box_;
  std::int32_t best_[tile_rows];
  std::int32_t worst_ = no_label;  ///< largest of the best of the rows asked for
};

}  // namespace

template <typename T>
void assign_least_label(const Tiles<T>& queries, const std::uint64_t* which, const Tiles<T>& data,
                        const std::int32_t* data_labels, const Context& context, std::int32_t* labels) {
  detail::CpuWorkspace scratch = context.workspace.nested();
  const LeastLabels<T> least(data, data_labels, scratch);
  const TilePairs<T> pairs(context.ball);
  const double work = 16.0 * static_cast<double>(queries.positions()) * queries.d();
  const int threads = useful_threads(context.threads, work);
  auto* boxes = scratch.take<T>(std::int64_t{threads} * box_size(queries.d()), "boxes of rows");
#pragma omp parallel for num_threads(threads) schedule(monotonic : dynamic)
  for (std::int32_t t = 0; t < queries.count(); ++t) {
    if (which[t] == 0) continue;
    T* box = boxes + std::int64_t{omp_get_thread_num()} * box_size(queries.d());
    LabelSearch<T> search(queries, t, which[t], data, least, pairs, context, box);
    const std::int32_t* best = search.run();
    for_bits(which[t], [&](int r) {
      labels[queries.row_at(std::int64_t{t} * tile_rows + r)] = best[r] == no_label ? noise : best[r];
    });
  }
  context.stop.check();
}

template void assign_least_label(const Tiles<float>&, const std::uint64_t*, const Tiles<float>&, const std::int32_t*,
                                 const Context&, std::int32_t*);
template void assign_least_label(const Tiles<double>&, const std::uint64_t*, const Tiles<double>&, const std::int32_t*,
                                 const Context&, std::int32_t*);

}  // namespace tilelearn::dbscan::cpu
