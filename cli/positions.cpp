#include "positions.hpp"

#include <algorithm>
#include <cmath>

#include "input_checks.hpp"
#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

constexpr double degrees_per_radian = 57.29577951308232;
constexpr double most_latitude = 90.0;
constexpr double most_longitude = 360.0;

std::string find_column(const Table& table, const std::string& what, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& column : table.columns())
    if (std::find(names.begin(), names.end(), lower(column)) != names.end()) found.push_back(column);
  if (found.size() == 1) return found[0];
  const std::string problem = found.empty() ? "no column is called " + join(names, " or ")
                                            : "the columns " + join(found, " and ") + " may all be the " + what;
  throw UsageError("haversine takes latitude and longitude, but " + problem +
                   "; name the two with --columns LATITUDE,LONGITUDE");
}

void check_column(const std::string& file, const Table& table, const std::string& column, const std::string& what,
                  double most) {
  const VectorView<const double> values = table.numbers(column);
  for (std::int64_t row = 0; row < values.size(); ++row)
    if (std::abs(values[row]) > most)
      throw UsageError(place(file, table, row, column) + "the " + what + " is " + exact(values[row]) +
                       " degrees, must be from -" + brief(most) + " to " + brief(most));
}

template <typename T>
bool takes_degrees_as(const Pipeline& pipeline) {
  const auto* model = pipeline.as<DBSCAN<T>>();
  const auto* scaler = pipeline.scaler<T>();
  return model != nullptr && model->options().metric == DBSCANMetric::haversine && scaler != nullptr &&
         scaler->scale()[0] == degrees_per_radian;
}

}  // namespace

std::vector<std::string> find_position_columns(const Table& table) {
  return {find_column(table, "latitude", {"lat", "latitude"}),
          find_column(table, "longitude", {"lon", "long", "lng", "longitude"})};
}

void check_position_columns(const std::string& file, const Table& table, const std::vector<std::string>& columns) {
  if (columns.size() != 2)
    throw UsageError("haversine takes two columns, latitude and longitude, but " +
                     count(static_cast<std::int64_t>(columns.size()), "column") +
                     " would be used: " + join(columns, ", ") + "; name the two with --columns LATITUDE,LONGITUDE");
  const auto text = std::find_if(columns.begin(), columns.end(), [&table](const std::string& column) {
    return table.kind(column) == ColumnKind::category;
  });
  if (text != columns.end())
    throw UsageError(file + ": haversine takes latitude and longitude in degrees, but column '" + *text + "' is text");
}

void check_degrees(const std::string& file, const Table& table, const std::vector<std::string>& columns) {
  check_column(file, table, columns[0], "latitude", most_latitude);
  check_column(file, table, columns[1], "longitude", most_longitude);
}

template <typename T>
StandardScaler<T> radians_scaler() {
  return StandardScaler<T>::from_statistics({0.0, 0.0}, {degrees_per_radian, degrees_per_radian});
}

bool takes_degrees(const Pipeline& pipeline) {
  return takes_degrees_as<float>(pipeline) || takes_degrees_as<double>(pipeline);
}

template StandardScaler<float> radians_scaler<float>();
template StandardScaler<double> radians_scaler<double>();

}  // namespace tilelearn::cli
