// The order of the work by tiles: a fit, and labels for new rows.
#include "dbscan/dbscan_tiles_launch.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

__global__ void fill(std::int32_t* values, std::int64_t size, std::int32_t value) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < size; i += tilelearn::cuda::thread_count())
    values[i] = value;
}

void fill_values(std::int32_t* values, std::int64_t size, std::int32_t value, cudaStream_t stream) {
  fill<<<blocks_for(size, slot_threads, most_slot_blocks), slot_threads, 0, stream>>>(values, size, value);
  check_launch();
}

/// For every slot its row where that is core, no_row elsewhere.
__global__ void core_rows_of_slots(const std::uint16_t* core, const std::int32_t* order, std::int32_t rows,
                                   std::int32_t* first_row) {
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < rows; i += tilelearn::cuda::thread_count())
    first_row[i] = (core[i / strip_rows] >> i % strip_rows & 1) != 0 ? order[i] : no_row;
}

/// Buffers behind TileSlots.
struct SlotBuffers {
  SlotBuffers(const TileTree& tree, const Device& device)
      : core(device, tree.slots() / strip_rows),
        reachable(device, tree.slots() / strip_rows),
        link(device, tree.slots()),
        parent(device, tree.slots()),
        node_label(device, std::int64_t{tree.families} * fan) {}

  [[nodiscard]] TileSlots slots() const {
    return {core.data(), reachable.data(), link.data(), parent.data(), node_label.data()};
  }

  Buffer<std::uint16_t> core;
  Buffer<std::uint16_t> reachable;
  Buffer<std::int32_t> link;
  Buffer<std::int32_t> parent;
  Buffer<std::int32_t> node_label;
};

}  // namespace

template <typename T>
void cluster_by_tiles(const Search<T>& search, std::int32_t* labels, RankedBits& clusters, const Device& device) {
  if (search.weights == nullptr && !search.enough(search.n)) {
    fill_values(labels, search.n, coded(noise, false), device.stream());
    return clusters.rank();
  }
  const TiledRows<T> rows(search.X, search.n, search.ball.d, search.ball.norm, device);
  const Tiles<T> tiles = rows.view();
  const SlotBuffers buffers(tiles.tree, device);
  const TileSlots slots = buffers.slots();
  find_core_rows(tiles, search, slots, device);
  unite_core_rows(tiles, search, slots, device);

  // The links have served: their place holds the core rows that clusters are numbered by.
  std::int32_t* first_row = slots.link;
  const std::int32_t n = tiles.tree.rows;
  core_rows_of_slots<<<blocks_for(n, slot_threads, most_slot_blocks), slot_threads, 0, device.stream()>>>(
      slots.core, tiles.order, n, first_row);
  check_launch();
  number_clusters(slots.parent, first_row, n, nullptr, clusters, device);
  find_least_labels<T>({tiles, tiles, slots.parent, slots.node_label, slots.reachable, slots.parent, labels},
                       search.ball, device);
}

template <typename T>
void label_by_tiles(const Search<T>& rows, const std::int32_t* labels_of_rows, const T* queries, std::int64_t m,
                    std::int32_t* labels, const Device& device) {
  const TiledRows<T> tiled_rows(rows.X, rows.n, rows.ball.d, rows.ball.norm, device);
  const TiledRows<T> tiled_queries(queries, m, rows.ball.d, rows.ball.norm, device, &tiled_rows);
  const Tiles<T> tiles = tiled_rows.view();
  const Buffer<std::int32_t> clusters(device, tiles.tree.slots());
  const Buffer<std::int32_t> least(device, std::int64_t{tiles.tree.families} * fan);
  gather_slots<<<blocks_for(tiles.tree.slots(), slot_threads, most_slot_blocks), slot_threads, 0, device.stream()>>>(
      tiles.order, tiles.tree.slots(), labels_of_rows, noise, clusters.data());
  check_launch();
  find_least_labels<T>({tiled_queries.view(), tiles, clusters.data(), least.data(), nullptr, nullptr, labels},
                       rows.ball, device);
}

template void cluster_by_tiles(const Search<float>&, std::int32_t*, RankedBits&, const Device&);
template void cluster_by_tiles(const Search<double>&, std::int32_t*, RankedBits&, const Device&);
template void label_by_tiles(const Search<float>&, const std::int32_t*, const float*, std::int64_t, std::int32_t*,
                             const Device&);
template void label_by_tiles(const Search<double>&, const std::int32_t*, const double*, std::int64_t, std::int32_t*,
                             const Device&);

}  // namespace tilelearn::dbscan::cuda
