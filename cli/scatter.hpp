// The points of a picture: two columns, or the first two principal directions, of at most some thousand rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/matrix.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn::cli {

/// Of a row that belongs to no cluster.
inline constexpr std::int32_t noise_label = -1;

struct Point {
  double x = 0.0;
  double y = 0.0;
  std::int32_t label = 0;
};

struct Scatter {
  std::string x_name{};
  std::string y_name{};
  std::string note{};  ///< added to the count of rows
  bool y_is_cluster = false;
  std::vector<Point> points{};        ///< that are drawn
  std::vector<Point> centers{};       ///< none where the picture's columns are not those of the fit
  std::vector<std::int64_t> sizes{};  ///< of all clusters, drawn or not
  std::int64_t noise = 0;             ///< rows of no cluster, drawn or not
  std::int64_t rows = 0;              ///< that were fitted
};

/// What both kinds of picture are made from.
struct ScatterSource {
  const std::vector<std::int32_t>& labels;  ///< of the fitted rows
  const std::vector<std::int64_t>& sizes;
  std::uint64_t seed = 0;
};

/// Two columns of numbers of the table, in its units; rows that miss one of them are not drawn. `rows` are the table's
/// rows of the fit, `centers` (k x features; empty for none) are in the same units.
Scatter scatter_of_columns(const ScatterSource& source, const Table& table, const std::vector<std::int64_t>& rows,
                           const std::vector<std::string>& columns, const std::vector<std::string>& features,
                           const Matrix<double>& centers);

/// X (n x features) and centers (k x features) projected on the first two principal directions of X, computed in
/// float64; with one feature, that feature and the cluster's number. `centers` may be empty.
template <typename T>
Scatter scatter_of_directions(const ScatterSource& source, const Matrix<T>& X, const std::vector<std::string>& features,
                              const Matrix<T>& centers);

}  // namespace tilelearn::cli
