// Rows that are not core, and new rows: the least cluster with a core row within eps. A tile whose least cluster is no
// better than what all rows of a strip have found already is left out.
#include <climits>

#include "dbscan/dbscan_tiles_launch.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::check_launch;

namespace {

constexpr std::int32_t none = INT_MAX;

/// Least cluster of each tile, one tile a warp.
__global__ void least_of_tiles(const std::int32_t* clusters, std::int32_t tiles, std::int32_t* least) {
  const std::int32_t tile = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (tile >= tiles) return;
  std::int32_t mine = none;
  for (int u = 0; u < 2; ++u) {
    const std::int32_t cluster = clusters[std::int64_t{tile} * tile_rows + threadIdx.x % 32 + 32 * u];
    if (cluster >= 0) mine = min(mine, cluster);
  }
  mine = __reduce_min_sync(full_warp, mine);
  if (threadIdx.x % 32 == 0) least[tile] = mine;
}

/// Of the nodes of a level above the tiles, one node a warp.
__global__ void least_of_nodes(const __grid_constant__ TileTree tree, int level, std::int32_t* least) {
  const std::int32_t node = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (node >= tree.count[level]) return;
  const std::int32_t child = node * fan + static_cast<std::int32_t>(threadIdx.x % 32);
  const std::int32_t mine = child < tree.count[level - 1] ? least[tree.place(level - 1, child)] : none;
  const std::int32_t common = __reduce_min_sync(full_warp, mine);
  if (threadIdx.x % 32 == 0) least[tree.place(level, node)] = common;
}

/// Nodes that can better a row.
struct BetterClusters {
  const TileTree& tree;
  const std::int32_t* least;
  std::int32_t worst;  ///< the largest label that an asking row has so far

  __device__ bool operator()(int level, std::int32_t node) const { return least[tree.place(level, node)] < worst; }
};

/// Lane r's label of row r after the clusters of the tile rows near it.
__device__ std::int32_t better_label(const NearRows& near, unsigned rows, const std::int32_t (&cluster)[2],
                                     std::int32_t best) {
  for (; rows != 0; rows &= rows - 1) {
    const int r = __ffs(static_cast<int>(rows)) - 1;
    std::int32_t least = none;
    for (int u = 0; u < 2; ++u)
      if ((near.of[u] >> r & 1) != 0) least = min(least, cluster[u]);
    least = __reduce_min_sync(full_warp, least);
    if (threadIdx.x % 32 == r) best = min(best, least);
  }
  return best;
}

template <Norm norm, typename T, typename A>
__device__ std::int32_t least_label(const LabelTask<T>& task, const StripPairs<norm, T, A>& pairs, unsigned asking) {
  const int lane = threadIdx.x % 32;
  const bool asks = (asking >> lane & 1) != 0;
  BoxLooks looks;
  std::int32_t best = none;
  BetterClusters better{task.rows.tree, task.least, none};
  const std::int32_t home = task.own == nullptr ? 0 : pairs.strip / strips_a_tile;
  TileWalk<norm, T, A> walk(pairs, home, task.rows.tree.levels - 1, false, better);
  while (true) {
    const std::int32_t tile = walk.next(better);
    if (tile < 0) return best;
    unsigned rows = __ballot_sync(full_warp, asks && task.least[tile] < best);
    if (rows != 0) rows &= pairs.rows_near(tile, looks);
    if (rows == 0) continue;
    const std::int64_t slot = std::int64_t{tile} * tile_rows + lane;
    const std::int32_t cluster[2] = {task.clusters[slot], task.clusters[slot + 32]};
    const bool wanted[2] = {cluster[0] >= 0, cluster[1] >= 0};
    const NearRows near = pairs.within_eps(rows, tile, wanted);
    best = better_label(near, rows_of(near), cluster, best);
    better.worst = __reduce_max_sync(full_warp, asks ? best : INT_MIN);
  }
}

template <Norm norm, typename T, typename A>
__global__ void __launch_bounds__(strip_threads, blocks_together<A>)
    label_strips(const __grid_constant__ LabelTask<T> task, const __grid_constant__ Measure<A> measure) {
  const StripPairs<norm, T, A> pairs{task.queries, task.rows, measure.ball, measure.band, own_strip()};
  unsigned asking = real_rows(task.queries, pairs.strip);
  if (task.reachable != nullptr) asking &= task.reachable[pairs.strip];
  std::int32_t best = none;
  if (asking != 0) best = least_label(task, pairs, asking);
  const int lane = threadIdx.x % 32;
  const std::int64_t slot = pairs.first_slot() + lane;
  if (lane >= strip_rows || slot >= task.queries.tree.rows) return;
  const std::int32_t label = best == none ? noise : best;
  std::int32_t answer = label;
  if (task.own != nullptr) answer = task.own[slot] >= 0 ? coded(task.own[slot], true) : coded(label, false);
  task.answers[task.queries.order[slot]] = answer;
}

}  // namespace

template <typename T>
void find_least_labels(const LabelTask<T>& task, const Ball& ball, const Device& device) {
  const cudaStream_t stream = device.stream();
  const TileTree& tree = task.rows.tree;
  least_of_tiles<<<blocks_for(tree.tiles(), slot_threads / 32), slot_threads, 0, stream>>>(task.clusters, tree.tiles(),
                                                                                           task.least);
  for (int level = 1; level < tree.levels; ++level)
    least_of_nodes<<<blocks_for(tree.count[level], slot_threads / 32), slot_threads, 0, stream>>>(tree, level,
                                                                                                  task.least);
  check_launch();
  with_measure<T>(ball, [&]<Norm norm, typename A>(std::integral_constant<Norm, norm>, const Measure<A>& measure) {
    label_strips<norm, T, A>
        <<<static_cast<unsigned>(task.queries.tree.tiles()), strip_threads, 0, stream>>>(task, measure);
  });
  check_launch();
}

template void find_least_labels(const LabelTask<float>&, const Ball&, const Device&);
template void find_least_labels(const LabelTask<double>&, const Ball&, const Device&);

}  // namespace tilelearn::dbscan::cuda
