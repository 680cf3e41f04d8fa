// The steps of DBSCAN on a grid: which rows are core, which of them belong together, whom the other rows belong to.
#pragma once

#include <cstdint>

#include "dbscan/dbscan_cpu_grid.hpp"
#include "dbscan/dbscan_cpu_union_find.hpp"

namespace tilelearn::dbscan::cpu {

/// is_core[p] for the row at each position.
template <typename T>
void find_core(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Density& density,
               const Context& context, std::uint8_t* is_core);

/// Joins the cells (of size within_eps; the members of `sets`) that hold rows within eps of each other.
template <typename T>
void join_cells(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Context& context,
                const UnionFind& sets);

/// Joins the positions (the members of `sets`) of rows within eps of each other.
template <typename T>
void join_rows(const Rows<T>& rows, const GridFrame& frame, const GridRows<T>& grid, const Context& context,
               const UnionFind& sets);

/// For each row of `queries`: labels[its number] = the least of data_labels (by number of the rows of `data`, which
/// orders `data_rows`) of the rows within eps, else noise.
template <typename T>
void assign_least_label(const GridRows<T>& queries, const Rows<T>& data_rows, const GridRows<T>& data,
                        const std::int32_t* data_labels, const GridFrame& frame, const Context& context,
                        std::int32_t* labels);

}  // namespace tilelearn::dbscan::cpu
