// A warp's walk through the tree for the tiles that may be near a strip, its own surroundings first.
#pragma once

#include "dbscan/dbscan_tiles_pairs.cuh"

namespace tilelearn::dbscan::cuda {

/// Depth first; the 32 children of a node are tested together, a lane each. Bit `turn` of a mask stands for the child
/// child_in_turn names. All lanes hold the same state but `pending`, where lane l keeps the mask of level l.
template <Norm norm, typename T, typename A>
class TileWalk {
 public:
  /// The tiles of the parent, at level top + 1, of the home's ancestor: that ancestor's own unless `skip_home`. With
  /// top = levels - 1 these are all tiles. keep(level, node) is asked of nodes before their boxes are looked at.
  template <typename Keep>
  __device__ TileWalk(const StripPairs<norm, T, A>& pairs, std::int32_t home, int top, bool skip_home, const Keep& keep)
      : pairs_(pairs), home_(home), top_(top), level_(top), parent_(home >> fan_bits * top >> fan_bits) {
    mask_ = near_children(keep);
    if (skip_home) mask_ &= ~1u;
  }

  /// The next tile, -1 after the last one.
  template <typename Keep>
  __device__ std::int32_t next(const Keep& keep) {
    const int lane = threadIdx.x % 32;
    while (true) {
      if (mask_ == 0) {
        if (level_ == top_) return -1;
        parent_ >>= fan_bits;
        mask_ = __shfl_sync(full_warp, pending_, ++level_);
        continue;
      }
      const int turn = __ffs(static_cast<int>(mask_)) - 1;
      mask_ &= mask_ - 1;
      const std::int32_t child = child_in_turn(parent_, level_, home_, turn);
      if (level_ == 0) return child;
      if (lane == level_) pending_ = mask_;
      --level_;
      parent_ = child;
      mask_ = near_children(keep);
    }
  }

 private:
  template <typename Keep>
  __device__ unsigned near_children(const Keep& keep) const {
    constexpr int columns_a_look = 8;
    const Tiles<T>& tiles = pairs_.others;
    const TileBand<A>& band = pairs_.band;
    const std::int32_t node = child_in_turn(parent_, level_, home_, threadIdx.x % 32);
    bool near = node < tiles.tree.count[level_] && keep(level_, node);
    const T* box =
        tiles.boxes + (std::int64_t{tiles.tree.first_family[level_]} + parent_) * tiles.d * 2 * fan + node % fan;
    const T* own = pairs_.queries.strip_boxes + std::int64_t{pairs_.strip} * tiles.d * 2;
    A sum = 0;
    for (int begin = 0; begin < tiles.d && __any_sync(full_warp, near); begin += columns_a_look) {
      const int end = min(begin + columns_a_look, tiles.d);
#pragma unroll 4
      for (int j = begin; j < end; ++j) {
        const T low = box[std::int64_t{j} * 2 * fan];
        const T high = box[(std::int64_t{j} * 2 + 1) * fan];
        const A gap = max(max(scaled_difference(low, own[2 * std::int64_t{j} + 1], band),
                              scaled_difference(own[2 * std::int64_t{j}], high, band)),
                          A{0});
        sum = with_column<norm>(sum, gap);
      }
      near = near && !(sum >= band.outside);
    }
    return __ballot_sync(full_warp, near);
  }

  const StripPairs<norm, T, A>& pairs_;
  std::int32_t home_;
  int top_;
  int level_;
  std::int32_t parent_;
  unsigned mask_ = 0;
  unsigned pending_ = 0;
};

}  // namespace tilelearn::dbscan::cuda
