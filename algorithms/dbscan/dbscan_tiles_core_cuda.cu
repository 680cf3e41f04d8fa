// Core rows: every strip counts its neighbours, nearest tiles first, until each of its rows has enough.
#include "dbscan/dbscan_tiles_launch.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

/// What lane r of a strip knows of row r.
struct RowCount {
  std::int32_t neighbours = 0;  ///< itself included
  fixed_point::Words weights{};
  std::int32_t link = -1;  ///< the slot of a neighbour
};

/// What makes a row core.
struct CoreRule {
  std::int64_t min_samples;
  const int2* weights;  ///< [slots], null for none
  fixed_point::Words threshold;
  bool stops_early;

  [[nodiscard]] __device__ bool met_by(const RowCount& count) const {
    return weights == nullptr ? count.neighbours >= min_samples : reaches(count.weights, threshold);
  }
};

/// Sum over the warp of values below 2^31 in size.
__device__ std::int64_t warp_sum(std::int32_t value) {
  constexpr int low_bits = 16;
  const int high = __reduce_add_sync(full_warp, value >> low_bits);
  const int low = __reduce_add_sync(full_warp, value & ((1 << low_bits) - 1));
  return (std::int64_t{high} << low_bits) + low;
}

/// Adds the neighbours in a tile to the counts of the strip rows `rows`, which have one.
__device__ void count_neighbours(const NearRows& near, unsigned rows, std::int64_t first_slot, std::int32_t tile,
                                 const int2* weights, RowCount& count) {
  const int lane = threadIdx.x % 32;
  const std::int64_t tile_slot = std::int64_t{tile} * tile_rows;
  for (; rows != 0; rows &= rows - 1) {
    const int r = __ffs(static_cast<int>(rows)) - 1;
    const bool mine[2] = {(near.of[0] >> r & 1) != 0, (near.of[1] >> r & 1) != 0};
    const unsigned first = __ballot_sync(full_warp, mine[0]);
    const unsigned second = __ballot_sync(full_warp, mine[1]);
    fixed_point::Words sum{};
    if (weights != nullptr) {
      for (int u = 0; u < 2; ++u) {
        const int2 weight = mine[u] ? weights[tile_slot + lane + 32 * u] : int2{0, 0};
        sum.high += warp_sum(weight.x);
        sum.low += warp_sum(weight.y);
      }
    }
    if (lane != r) continue;
    count.neighbours += __popc(first) + __popc(second);
    count.weights.high += sum.high;
    count.weights.low += sum.low;
    const std::int64_t link =
        tile_slot + (first != 0 ? __ffs(static_cast<int>(first)) - 1 : 31 + __ffs(static_cast<int>(second)));
    if (link != first_slot + r) count.link = static_cast<std::int32_t>(link);
  }
}

/// Pairs of near tiles, until every row is decided.
template <Norm norm, typename T, typename A>
__global__ void __launch_bounds__(strip_threads, blocks_together<A>)
    count_strips(const __grid_constant__ Tiles<T> tiles, const __grid_constant__ Measure<A> measure,
                 const __grid_constant__ CoreRule rule, const __grid_constant__ TileSlots slots) {
  const int lane = threadIdx.x % 32;
  const StripPairs<norm, T, A> pairs{tiles, tiles, measure.ball, measure.band, own_strip()};
  const std::int64_t first_slot = pairs.first_slot();
  const unsigned real = real_rows(tiles, pairs.strip);
  const auto any_node = [](int, std::int32_t) { return true; };
  unsigned open = real;
  BoxLooks looks;
  RowCount count;
  if (real != 0) {
    TileWalk<norm, T, A> walk(pairs, pairs.strip / strips_a_tile, tiles.tree.levels - 1, false, any_node);
    while (open != 0) {
      const std::int32_t tile = walk.next(any_node);
      if (tile < 0) break;
      const unsigned rows = open & pairs.rows_near(tile, looks);
      if (rows == 0) continue;
      const std::int64_t slot = std::int64_t{tile} * tile_rows + lane;
      const bool wanted[2] = {slot < tiles.tree.rows, slot + 32 < tiles.tree.rows};
      const NearRows near = pairs.within_eps(rows, tile, wanted);
      count_neighbours(near, rows_of(near), first_slot, tile, rule.weights, count);
      if (rule.stops_early) open &= ~__ballot_sync(full_warp, lane < strip_rows && rule.met_by(count));
    }
  }
  const unsigned core = __ballot_sync(full_warp, lane < strip_rows && rule.met_by(count)) & real;
  const unsigned reachable = __ballot_sync(full_warp, lane < strip_rows && count.neighbours > 1) & real & ~core;
  if (lane < strip_rows) {
    slots.parent[first_slot + lane] = (real >> lane & 1) != 0 ? static_cast<std::int32_t>(first_slot + lane) : noise;
    slots.link[first_slot + lane] = count.link;
  }
  if (lane == 0) {
    slots.core[pairs.strip] = static_cast<std::uint16_t>(core);
    slots.reachable[pairs.strip] = static_cast<std::uint16_t>(reachable);
  }
}

}  // namespace

template <typename T>
void find_core_rows(const Tiles<T>& rows, const Search<T>& search, const TileSlots& slots, const Device& device) {
  const cudaStream_t stream = device.stream();
  Buffer<int2> weights;
  if (search.weights != nullptr) {
    weights = Buffer<int2>(device, rows.tree.slots());
    gather_slots<<<tilelearn::cuda::blocks_for(rows.tree.slots(), slot_threads, most_slot_blocks), slot_threads, 0,
                   stream>>>(rows.order, rows.tree.slots(), search.weights, int2{0, 0}, weights.data());
    check_launch();
  }
  const CoreRule rule{search.min_samples, weights.data(), search.threshold, search.stops_early};
  with_measure<T>(
      search.ball, [&]<Norm norm, typename A>(std::integral_constant<Norm, norm>, const Measure<A>& measure) {
        count_strips<norm, T, A>
            <<<static_cast<unsigned>(rows.tree.tiles()), strip_threads, 0, stream>>>(rows, measure, rule, slots);
      });
  check_launch();
}

template void find_core_rows(const Tiles<float>&, const Search<float>&, const TileSlots&, const Device&);
template void find_core_rows(const Tiles<double>&, const Search<double>&, const TileSlots&, const Device&);

}  // namespace tilelearn::dbscan::cuda
