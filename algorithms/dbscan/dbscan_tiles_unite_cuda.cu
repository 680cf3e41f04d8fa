// Unions of core rows within eps. Round l takes the pairs of tiles whose nodes part at level l, near pairs first: after
// it whole nodes are mostly of one set, and the rounds above leave out pairs of nodes of the same set.
#include "dbscan/dbscan_tiles_launch.cuh"
#include "dbscan/dbscan_union_find.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

/// Labels of nodes, and of slots in place of a root.
constexpr std::int32_t no_core = -1;  ///< holds no core row
constexpr std::int32_t mixed = -2;    ///< core rows of several sets

__device__ bool is_core_slot(const std::uint16_t* core, std::int64_t slot) {
  return (core[slot / strip_rows] >> slot % strip_rows & 1) != 0;
}

/// Unites every core row with its link, which the count of neighbours left.
__global__ void unite_links(const std::uint16_t* core, const std::int32_t* link, std::int64_t slots,
                            std::int32_t* parent) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < slots; i += tilelearn::cuda::thread_count())
    if (is_core_slot(core, i) && link[i] >= 0 && is_core_slot(core, link[i]))
      unite(parent, static_cast<std::int32_t>(i), link[i]);
}

/// The label that all lanes with a core row share; `values` are roots, no_core or mixed.
__device__ std::int32_t common_label(std::int32_t value) {
  const unsigned there = __ballot_sync(full_warp, value != no_core);
  if (there == 0) return no_core;
  const std::int32_t first = __shfl_sync(full_warp, value, __ffs(static_cast<int>(there)) - 1);
  return __all_sync(full_warp, value == no_core || value == first) ? first : mixed;
}

__device__ std::int32_t common_label(std::int32_t a, std::int32_t b) {
  return a == no_core || a == b ? b : b == no_core ? a : mixed;
}

/// Roots of all slots and the labels of tiles, one tile a warp.
__global__ void label_tiles(const std::uint16_t* core, std::int32_t tiles, std::int32_t* parent, std::int32_t* root,
                            std::int32_t* node_label) {
  const std::int32_t tile = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (tile >= tiles) return;
  std::int32_t label[2];
  for (int u = 0; u < 2; ++u) {
    const std::int64_t slot = std::int64_t{tile} * tile_rows + threadIdx.x % 32 + 32 * u;
    label[u] = is_core_slot(core, slot) ? find_root(parent, static_cast<std::int32_t>(slot)) : no_core;
    root[slot] = label[u];
  }
  const std::int32_t first = common_label(label[0]);
  const std::int32_t both = common_label(first, common_label(label[1]));
  if (threadIdx.x % 32 == 0) node_label[tile] = both;
}

/// Labels of the nodes of a level above the tiles, one node a warp.
__global__ void label_nodes(const __grid_constant__ TileTree tree, int level, std::int32_t* node_label) {
  const std::int32_t node = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (node >= tree.count[level]) return;
  const std::int32_t child = node * fan + static_cast<std::int32_t>(threadIdx.x % 32);
  const std::int32_t label = child < tree.count[level - 1] ? node_label[tree.place(level - 1, child)] : no_core;
  const std::int32_t common = common_label(label);
  if (threadIdx.x % 32 == 0) node_label[tree.place(level, node)] = common;
}

/// Which nodes a strip looks into: from its own tile on, with core rows of another set.
struct OtherSets {
  const TileTree& tree;
  const std::int32_t* node_label;
  std::int32_t* parent;
  std::int32_t home;
  std::int32_t own;  ///< the one root of the strip's core rows, or mixed

  __device__ bool operator()(int level, std::int32_t node) const {
    const std::int32_t label = node_label[tree.place(level, node)];
    if (label == no_core || !reaches_tile(level, node, home)) return false;
    return label == mixed || own == mixed || find_root(parent, label) != find_root(parent, own);
  }
};

/// Roots of the core rows that a lane holds, no_core for the others: strip row `lane` and two tile rows.
struct Roots {
  std::int32_t row;
  std::int32_t other[2];

  /// Strip rows with a tile row of another set.
  [[nodiscard]] __device__ unsigned rows_to_unite() const {
    const std::int32_t tile = common_label(common_label(other[0]), common_label(other[1]));
    if (tile == no_core) return 0;
    return __ballot_sync(full_warp, row != no_core && row != tile);
  }
  __device__ void rename(std::int32_t from, std::int32_t to) {
    row = row == from ? to : row;
    other[0] = other[0] == from ? to : other[0];
    other[1] = other[1] == from ? to : other[1];
  }
};

/// Unites each strip row with the sets of the tile rows near it.
__device__ void unite_near(const NearRows& near, unsigned rows, Roots& roots, std::int32_t* parent) {
  for (; rows != 0; rows &= rows - 1) {
    const int r = __ffs(static_cast<int>(rows)) - 1;
    while (true) {
      const std::int32_t own = __shfl_sync(full_warp, roots.row, r);
      std::int32_t found = no_core;
      for (int u = 0; u < 2; ++u)
        if ((near.of[u] >> r & 1) != 0 && roots.other[u] != own) found = roots.other[u];
      const unsigned lanes = __ballot_sync(full_warp, found != no_core);
      if (lanes == 0) break;
      const std::int32_t other = __shfl_sync(full_warp, found, __ffs(static_cast<int>(lanes)) - 1);
      std::int32_t joined = 0;
      if (threadIdx.x % 32 == 0) joined = unite(parent, own, other);
      joined = __shfl_sync(full_warp, joined, 0);
      roots.rename(own, joined);
      roots.rename(other, joined);
    }
  }
}

template <Norm norm, typename T, typename A>
__global__ void __launch_bounds__(strip_threads, blocks_together<A>)
    unite_strips(const __grid_constant__ Tiles<T> tiles, const __grid_constant__ Measure<A> measure, int round,
                 const std::int32_t* root, const std::int32_t* node_label, std::int32_t* parent) {
  const int lane = threadIdx.x % 32;
  const StripPairs<norm, T, A> pairs{tiles, tiles, measure.ball, measure.band, own_strip()};
  const std::int32_t home = pairs.strip / strips_a_tile;
  Roots roots{};
  roots.row = lane < strip_rows ? root[pairs.first_slot() + lane] : no_core;
  OtherSets other_sets{tiles.tree, node_label, parent, home, common_label(roots.row)};
  if (other_sets.own == no_core) return;
  BoxLooks looks;
  TileWalk<norm, T, A> walk(pairs, home, round, round > 0, other_sets);
  while (true) {
    const std::int32_t tile = walk.next(other_sets);
    if (tile < 0) return;
    for (int u = 0; u < 2; ++u) {
      const std::int32_t then = root[std::int64_t{tile} * tile_rows + lane + 32 * u];
      roots.other[u] = then == no_core ? no_core : find_root(parent, then);
    }
    if (roots.row != no_core) roots.row = find_root(parent, roots.row);
    unsigned rows = roots.rows_to_unite();
    if (rows != 0) rows &= pairs.rows_near(tile, looks);
    if (rows == 0) continue;
    const bool wanted[2] = {roots.other[0] != no_core, roots.other[1] != no_core};
    const NearRows near = pairs.within_eps(rows, tile, wanted);
    unite_near(near, rows_of(near), roots, parent);
    other_sets.own = common_label(roots.row);
  }
}

}  // namespace

template <typename T>
void unite_core_rows(const Tiles<T>& rows, const Search<T>& search, const TileSlots& slots, const Device& device) {
  using tilelearn::cuda::blocks_for;
  const cudaStream_t stream = device.stream();
  const TileTree& tree = rows.tree;
  const Buffer<std::int32_t> root(device, tree.slots());
  unite_links<<<blocks_for(tree.slots(), slot_threads, most_slot_blocks), slot_threads, 0, stream>>>(
      slots.core, slots.link, tree.slots(), slots.parent);
  check_launch();
  for (int round = 0; round < tree.levels; ++round) {
    label_tiles<<<blocks_for(tree.tiles(), slot_threads / 32), slot_threads, 0, stream>>>(
        slots.core, tree.tiles(), slots.parent, root.data(), slots.node_label);
    for (int level = 1; level < tree.levels; ++level)
      label_nodes<<<blocks_for(tree.count[level], slot_threads / 32), slot_threads, 0, stream>>>(tree, level,
                                                                                                 slots.node_label);
    check_launch();
    with_measure<T>(search.ball,
                    [&]<Norm norm, typename A>(std::integral_constant<Norm, norm>, const Measure<A>& measure) {
                      unite_strips<norm, T, A><<<static_cast<unsigned>(tree.tiles()), strip_threads, 0, stream>>>(
                          rows, measure, round, root.data(), slots.node_label, slots.parent);
                    });
    check_launch();
  }
}

template void unite_core_rows(const Tiles<float>&, const Search<float>&, const TileSlots&, const Device&);
template void unite_core_rows(const Tiles<double>&, const Search<double>&, const TileSlots&, const Device&);

}  // namespace tilelearn::dbscan::cuda
