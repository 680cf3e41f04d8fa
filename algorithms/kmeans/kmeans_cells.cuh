// Nearest centres in up to four columns: a grid of cells over the data, each with the centres that can be nearest to
// any row inside it. About half of the cells have one, and then a row's label is a look-up; the others compare two or
// three in float64.
//
// A centre is left out of a cell where every row of the cell's box is nearer to another one. Boxes are a little larger
// than the cells, by more than the rounding of a row's cell number.
//
// Along a column the cells are slabs put together of fine bins of equal width, narrow where rows are many; the slabs of
// the first and of the last bin reach to the column's extremes.
#pragma once

#include <cstdint>

#include "core/cuda_support.cuh"
#include "kmeans/kmeans_loop.cuh"
#include "kmeans/kmeans_rows.cuh"
#include "kmeans/kmeans_statistics.cuh"

namespace tilelearn::kmeans::cuda {

inline constexpr int most_cell_columns = 4;
/// Centres that a cell's record holds; cells with more compare all.
inline constexpr int cell_candidates = 7;
/// Entry of the first table for a cell with several candidates. Labels are below it.
inline constexpr std::uint16_t several_candidates = 0xFFFF;

/// Fine bins along a column.
inline constexpr int fine_bins = 4096;

/// The cells of a grid: slabs[j] slabs along column j.
template <typename T>
struct CellGrid {
  T low[most_cell_columns];       ///< where the fine bins begin
  T per_unit[most_cell_columns];  ///< fine bins in one unit of the column
  T lowest[most_cell_columns];    ///< extremes of the rows
  T highest[most_cell_columns];
  int slabs[most_cell_columns];
  int count;
  const std::uint16_t* slab_of_bin;  ///< [d][fine_bins]
  const std::uint16_t* first_bin;    ///< [d][fine_bins + 1], slabs[j] + 1 of them in use
};

/// A cell's centres: one load of 16 bytes.
struct alignas(16) CellRecord {
  std::uint16_t count;
  std::uint16_t candidate[cell_candidates];
};

template <typename T>
class CellIndex {
 public:
  /// Whether rows and centres of these sizes go through cells.
  static bool serves(const Rows<T>& rows, std::int64_t k);

  CellIndex() = default;
  CellIndex(const Rows<T>& rows, const Statistics& statistics, const Device& device);

  /// Labels of all rows for k x d centres. Stream-ordered.
  void assign(const Rows<T>& rows, const T* centers, int k, std::int32_t* labels, const LoopState* state,
              const Device& device) const;

 private:
  CellGrid<T> grid_{};
  tilelearn::cuda::Buffer<std::uint16_t> slabs_;
  tilelearn::cuda::Buffer<std::uint16_t> single_;
  tilelearn::cuda::Buffer<CellRecord> records_;
};

}  // namespace tilelearn::kmeans::cuda
