// The regimes of the CPU backend: the same labels from each.
#pragma once

#include <cstdint>
#include <optional>

#include "dbscan/dbscan_cpu_search.hpp"

namespace tilelearn::dbscan::cpu {

/// Where a fit puts its results, n values each.
struct FitResult {
  std::int32_t* labels;
  std::uint8_t* is_core;
};

/// Tiles of rows in k-d order; any number of columns. Returns the number of clusters.
template <typename T>
std::int32_t fit_tiles(const Rows<T>& rows, const Density& density, const Context& context, const FitResult& result);

/// A grid of cells; up to three columns, weights that are not negative. Returns the number of clusters, or nothing
/// where the rows do not suit a grid.
template <typename T>
std::optional<std::int32_t> fit_grid(const Rows<T>& rows, const Density& density, const Context& context,
                                     const FitResult& result);

/// labels[i] = the least of component_labels of the components within eps of row i, else noise.
template <typename T>
void predict_tiles(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                   const Context& context, std::int32_t* labels);

/// The same by a grid; false, and nothing done, where the rows do not suit one.
template <typename T>
bool predict_grid(const Rows<T>& rows, const Rows<T>& components, const std::int32_t* component_labels,
                  const Context& context, std::int32_t* labels);

}  // namespace tilelearn::dbscan::cpu
