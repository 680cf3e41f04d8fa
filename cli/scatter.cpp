#include "scatter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "principal_directions.hpp"
#include "sampling.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

constexpr std::int64_t most_points = 5000;

Scatter start(const ScatterSource& source) {
  Scatter scatter;
  scatter.sizes = source.sizes;
  scatter.noise = std::count(source.labels.begin(), source.labels.end(), noise_label);
  scatter.rows = static_cast<std::int64_t>(source.labels.size());
  return scatter;
}

std::vector<std::int64_t> all_rows(std::size_t size) {
  std::vector<std::int64_t> rows(size);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

std::vector<std::int64_t> drawn(const ScatterSource& source, const std::vector<std::int64_t>& rows) {
  return sample_rows(rows, most_points, source.seed, SampleUse::plot);
}

/// The only feature against the cluster's number.
template <typename T>
Scatter scatter_of_one_feature(const ScatterSource& source, const Matrix<T>& X, const std::string& feature,
                               const Matrix<T>& centers) {
  Scatter scatter = start(source);
  scatter.x_name = feature;
  scatter.y_name = "cluster";
  scatter.y_is_cluster = true;
  for (const std::int64_t row : drawn(source, all_rows(source.labels.size()))) {
    const std::int32_t label = source.labels[static_cast<std::size_t>(row)];
    scatter.points.push_back({static_cast<double>(X(row, 0)), static_cast<double>(label), label});
  }
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(centers.rows()); ++c)
    scatter.centers.push_back({static_cast<double>(centers(c, 0)), static_cast<double>(c), c});
  return scatter;
}

std::string direction_name(int number, double share) {
  constexpr double percent = 100.0;
  return "principal direction " + std::to_string(number) + " (" + brief(share * percent, 3) + " % of the variance)";
}

}  // namespace

Scatter scatter_of_columns(const ScatterSource& source, const Table& table, const std::vector<std::int64_t>& rows,
                           const std::vector<std::string>& columns, const std::vector<std::string>& features,
                           const Matrix<double>& centers) {
  Scatter scatter = start(source);
  scatter.x_name = columns[0];
  scatter.y_name = columns[1];
  const auto x = table.numbers(columns[0]);
  const auto y = table.numbers(columns[1]);
  std::vector<std::int64_t> usable = all_rows(rows.size());
  std::erase_if(usable, [&](std::int64_t i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    return !std::isfinite(x[row]) || !std::isfinite(y[row]);
  });
  for (const std::int64_t i : drawn(source, usable)) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    scatter.points.push_back({x[row], y[row], source.labels[static_cast<std::size_t>(i)]});
  }
  const auto feature_x = std::find(features.begin(), features.end(), columns[0]) - features.begin();
  const auto feature_y = std::find(features.begin(), features.end(), columns[1]) - features.begin();
  if (std::max(feature_x, feature_y) >= centers.columns()) return scatter;
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    scatter.centers.push_back({centers(c, feature_x), centers(c, feature_y), static_cast<std::int32_t>(c)});
  return scatter;
}

template <typename T>
Scatter scatter_of_directions(const ScatterSource& source, const Matrix<T>& X, const std::vector<std::string>& features,
                              const Matrix<T>& centers) {
  if (X.columns() == 1) return scatter_of_one_feature(source, X, features[0], centers);
  const PrincipalDirections directions = principal_directions(X);
  Scatter scatter = start(source);
  scatter.x_name = direction_name(1, directions.share[0]);
  scatter.y_name = direction_name(2, directions.share[1]);
  for (const std::int64_t row : drawn(source, all_rows(source.labels.size()))) {
    const auto [x, y] = directions.project(X.data() + row * X.columns());
    scatter.points.push_back({x, y, source.labels[static_cast<std::size_t>(row)]});
  }
  for (std::int64_t c = 0; c < centers.rows(); ++c) {
    const auto [x, y] = directions.project(centers.data() + c * centers.columns());
    scatter.centers.push_back({x, y, static_cast<std::int32_t>(c)});
  }
  return scatter;
}

template Scatter scatter_of_directions(const ScatterSource&, const Matrix<float>&, const std::vector<std::string>&,
                                       const Matrix<float>&);
template Scatter scatter_of_directions(const ScatterSource&, const Matrix<double>&, const std::vector<std::string>&,
                                       const Matrix<double>&);

}  // namespace tilelearn::cli
