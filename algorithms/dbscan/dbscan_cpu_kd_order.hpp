// The order of rows in a k-d tree of tiles: each node halved at the median of its widest column.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_cpu_tiles.hpp"

namespace tilelearn::dbscan::cpu {

/// order[p] = the row at position p. The order depends on the rows alone. O(n log^2 n) at worst, n log n as a rule.
template <typename T>
void kd_order(const Rows<T>& rows, const Context& context, std::int32_t* order);

}  // namespace tilelearn::dbscan::cpu
