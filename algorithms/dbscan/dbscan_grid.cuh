// Neighbourhoods in up to three columns: a grid of cells, so small that all rows of a cell are within eps of each
// other.
//
// Rows are sorted by cell. Cells of a grid row (a line of cells along the first axis) are neighbours in that order, so
// the rows near a point are one range of sorted rows for each grid row within eps: 5 of them in two columns, 25 in
// three. A table by blocks of cells says where a range begins and ends. Cells with min_samples rows are core without a
// distance. The nodes of the union-find are the cells.
//
// Cell number along an axis: floor((x - low) per_unit) in float64, below 2^30. Two values with equal numbers differ by
// at most (1 + 2^-20) / per_unit, since x - low and the product are each rounded by one part in 2^53; per_unit is
// larger by one part in 2^18 than the norm asks for, so rows of one cell are within eps. All steps are monotone in x.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/cuda_support.cuh"
#include "dbscan/dbscan_components.cuh"
#include "dbscan/dbscan_search.cuh"

namespace tilelearn::dbscan::cuda {

inline constexpr int most_grid_columns = 3;

/// Least and largest value of each column.
struct Extremes {
  double low[most_grid_columns];
  double high[most_grid_columns];
};

/// The cells. Axis 0 is the longest; axes beyond d have one cell.
struct GridShape {
  int column[most_grid_columns];  ///< of each axis
  double low[most_grid_columns];
  int cells[most_grid_columns];
  double per_unit;  ///< cells in one unit of a column
  float reach;      ///< eps in cells, rounded up
  int most_offset;  ///< grid rows farther away along an axis hold nothing within eps
  int block_shift;  ///< a block is 2^block_shift cells of a grid row
  int row_blocks;   ///< blocks of a grid row

  [[nodiscard]] __host__ __device__ std::int64_t rows() const { return std::int64_t{cells[1]} * cells[2]; }
  [[nodiscard]] __host__ __device__ std::int64_t size() const { return rows() * cells[0]; }
  [[nodiscard]] __host__ __device__ std::int64_t blocks() const { return rows() * row_blocks; }
};

/// d values of a row, in the order of the axes. A row that is not core has NaN in place of the first once that is
/// known.
template <typename T, int d>
struct alignas(d == 2 ? 2 * sizeof(T) : sizeof(T)) Point {
  T x[d];
};

/// The float evaluation of a distance: at or below `inside` within, at or above `outside` not, else open.
template <typename T>
struct Band {
  T inside;
  T outside;
};

/// What kernels see of the index, as a __grid_constant__: taking the address of a plain parameter would copy it to the
/// stack.
template <typename T, int d>
struct GridView {
  GridShape shape;
  Ball ball;
  Band<T> band;
  std::int32_t n;
  const Point<T, d>* points;       ///< n, sorted
  const std::int32_t* row_of;      ///< n: rows as given
  const std::int32_t* cell_of;     ///< n: cells that hold rows, numbered in order
  const std::int32_t* cell_start;  ///< first sorted row of each cell; one more entry is n
  const std::int32_t* cell_x;      ///< place of each cell along axis 0
  const std::int32_t* block_end;   ///< one more than the last cell of each block and those before it
  const std::int32_t* cell_count;
};

/// Calls call(std::integral_constant<int, d>).
template <typename Call>
void for_columns(int d, const Call& call) {
  switch (d) {
    case 1:
      return call(std::integral_constant<int, 1>{});
    case 2:
      return call(std::integral_constant<int, 2>{});
    default:
      return call(std::integral_constant<int, 3>{});
  }
}

struct OpenRows;

template <typename T>
class Grid {
 public:
  /// The grid of a search, or nothing where it would not fit: more than 2^30 cells along an axis (far rows, tiny eps),
  /// more than 4 grid rows for each row, or an eps whose squares leave the range of T.
  static std::optional<GridShape> shape(const Search<T>& search, const Extremes& extremes);

  /// Sorts the rows. Stream-ordered.
  Grid(const Search<T>& search, const GridShape& shape, const Device& device);

  /// Clusters the rows: labels[n] coded (dbscan_search.cuh), `clusters` ranked. Stream-ordered.
  void cluster(std::int32_t* labels, RankedBits& clusters);

  /// For rows of a model, all of them core, with labels: least label within eps of m other rows, noise for none.
  /// Stream-ordered.
  void query(const std::int32_t* labels_of_rows, const T* queries, std::int64_t m, std::int32_t* labels) const;

 private:
  template <int d>
  GridView<T, d> view() const;
  template <typename Key, int d>
  void sort_rows();
  template <int d>
  void build();
  template <int d>
  void cluster_in(std::int32_t* labels, RankedBits& clusters);
  template <int d>
  void mark_core_rows(std::uint32_t* core, std::int32_t* first_row, std::int32_t* list, std::int32_t* list_size,
                      std::int32_t* counted, OpenRows open);
  template <int d>
  void unite_cells(const std::int32_t* first_row, std::int32_t* parent);

  Search<T> search_;
  GridShape shape_;
  Device device_;
  std::int32_t n_;
  tilelearn::cuda::Buffer<T> points_;
  tilelearn::cuda::Buffer<std::int32_t> row_of_;
  tilelearn::cuda::Buffer<std::int32_t> cell_of_;
  tilelearn::cuda::Buffer<std::int32_t> cell_start_;
  tilelearn::cuda::Buffer<std::int32_t> cell_x_;
  tilelearn::cuda::Buffer<std::int32_t> block_end_;
  tilelearn::cuda::Buffer<std::int32_t> cell_count_;
};

}  // namespace tilelearn::dbscan::cuda
