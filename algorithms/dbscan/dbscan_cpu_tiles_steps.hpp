// The steps of DBSCAN on tiles: which rows are core, which of them belong together, whom the other rows belong to.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_cpu_tiles.hpp"

namespace tilelearn::dbscan::cpu {

/// core[t]: bits of the core rows of tile t.
template <typename T>
void find_core(const Tiles<T>& tiles, const Density& density, const Context& context, std::uint64_t* core);

/// Joins the positions of live rows within eps of each other; parents (n) are those of a UnionFind, which may hold
/// sets.
template <typename T>
void join_components(const Tiles<T>& tiles, const Context& context, std::int32_t* parents);

/// For the rows `which[t]` of each tile of `queries`: labels[row] = the least of data_labels (by row of `data`) of the
/// live rows of `data` within eps, else noise.
template <typename T>
void assign_least_label(const Tiles<T>& queries, const std::uint64_t* which, const Tiles<T>& data,
                        const std::int32_t* data_labels, const Context& context, std::int32_t* labels);

}  // namespace tilelearn::dbscan::cpu
