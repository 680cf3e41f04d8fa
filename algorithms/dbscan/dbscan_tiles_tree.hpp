// The shape of the tree over tiles: arithmetic alone, for kernels and for tests.
//
// Rows in k-d order are cut into strips of 16 and tiles of 64; 32 neighbouring tiles make a node of the next level, 32
// of these one of the level above, until at most 32 are left. Siblings are next to each other in every array.
#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace tilelearn::dbscan {

inline constexpr int strip_rows = 16;
inline constexpr int strips_a_tile = 4;
inline constexpr int tile_rows = strip_rows * strips_a_tile;
inline constexpr int fan_bits = 5;
inline constexpr int fan = 1 << fan_bits;
/// 32^5 tiles hold 2^31 rows.
inline constexpr int most_levels = 5;

/// Level 0 are the tiles.
struct TileTree {
  std::int32_t rows = 0;
  int levels = 0;
  std::int32_t count[most_levels] = {};         ///< nodes of each level
  std::int32_t first_family[most_levels] = {};  ///< families (32 siblings, one parent) of the levels below
  std::int32_t families = 0;                    ///< of all levels

  [[nodiscard]] TILELEARN_HOST_DEVICE std::int32_t tiles() const { return count[0]; }
  /// Rows with padding.
  [[nodiscard]] TILELEARN_HOST_DEVICE std::int64_t slots() const { return std::int64_t{count[0]} * tile_rows; }
  /// Place of a node in arrays of families x 32.
  [[nodiscard]] TILELEARN_HOST_DEVICE std::int64_t place(int level, std::int32_t node) const {
    return std::int64_t{first_family[level]} * fan + node;
  }
};

TILELEARN_HOST_DEVICE inline TileTree make_tile_tree(std::int32_t rows) {
  TileTree tree;
  tree.rows = rows;
  std::int32_t nodes = static_cast<std::int32_t>((std::int64_t{rows} + tile_rows - 1) / tile_rows);
  while (true) {
    tree.count[tree.levels] = nodes;
    tree.first_family[tree.levels++] = tree.families;
    tree.families += (nodes + fan - 1) / fan;
    if (nodes <= fan) return tree;
    nodes = (nodes + fan - 1) / fan;
  }
}

/// A node's place among its siblings for a walk from tile `home`: the home's own ancestor comes first, then its
/// sibling, then the two next to them, and so on (the number XOR the home's).
TILELEARN_HOST_DEVICE inline std::int32_t child_in_turn(std::int32_t parent, int level, std::int32_t home, int turn) {
  return parent * fan + (turn ^ (home >> fan_bits * level & (fan - 1)));
}

/// Whether a node holds a tile that is not before `tile`.
TILELEARN_HOST_DEVICE inline bool reaches_tile(int level, std::int32_t node, std::int32_t tile) {
  return (std::int64_t{node} + 1) << fan_bits * level > tile;
}

}  // namespace tilelearn::dbscan
