// Positions on the Earth: columns of latitude and longitude in degrees, distances in kilometres.
#pragma once

#include <string>
#include <vector>

#include <tilelearn/pipeline.hpp>
#include <tilelearn/table.hpp>

namespace tilelearn::cli {

/// Mean radius (2 a + b) / 3 of the International Union of Geodesy and Geophysics.
inline constexpr double earth_radius_km = 6371.0088;

/// The columns called lat or latitude, and lon, long, lng or longitude, in any case.
/// @throws UsageError if there is none or more than one for either
std::vector<std::string> find_position_columns(const Table& table);

/// `columns` are latitude and longitude. @throws UsageError unless they are two columns of numbers
void check_position_columns(const std::string& file, const Table& table, const std::vector<std::string>& columns);

/// @throws UsageError that names the place of the first value that is no latitude or longitude in degrees
void check_degrees(const std::string& file, const Table& table, const std::vector<std::string>& columns);

/// Degrees to radians, as a step of a pipeline.
template <typename T>
StandardScaler<T> radians_scaler();

/// Whether a pipeline takes positions in degrees.
bool takes_degrees(const Pipeline& pipeline);

}  // namespace tilelearn::cli
