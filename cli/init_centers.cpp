#include "init_centers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

/// The names that a file without a header gets.
std::vector<std::string> positions(std::size_t columns) {
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= columns; ++j) names.push_back("column_" + std::to_string(j));
  return names;
}

void check_finite(const Table& table, const Matrix<double>& centers, const std::string& path) {
  for (std::int64_t c = 0; c < centers.rows(); ++c)
    for (std::int64_t j = 0; j < centers.columns(); ++j)
      if (!std::isfinite(centers(c, j)))
        throw UsageError("--init " + path + ", line " + std::to_string(table.row_line(c)) +
                         ": a coordinate of the "
                         "centre is missing or not finite; give every centre a number in each column");
}

}  // namespace

std::optional<KMeansInit> init_method(const std::string& text) {
  if (text == "k-means++") return KMeansInit::k_means_plus_plus;
  if (text == "k-means||") return KMeansInit::k_means_parallel;
  if (text == "random") return KMeansInit::random;
  return std::nullopt;
}

Matrix<double> read_init_centers(const std::string& path, const CsvFlags& csv,
                                 const std::vector<std::string>& features) {
  if (!std::filesystem::exists(path))
    throw UsageError("--init is '" + path + "': neither k-means++, k-means|| or random, nor a file");
  CsvFlags flags = csv;
  flags.header = flags.no_header = false;  // these speak of the input file
  flags.text_columns.clear();
  const Table table = read_csv(path, flags.options(0));
  const bool by_name = std::all_of(features.begin(), features.end(),
                                   [&table](const std::string& name) { return table.has_column(name); });
  if (!by_name && table.columns() != positions(features.size()))
    throw UsageError("--init " + path + ": its columns are " + join(table.columns(), ", ") +
                     "; give a header with the columns that are used (" + join(features, ", ") +
                     "), or no header and " + count(static_cast<std::int64_t>(features.size()), "column") +
                     " in that order");
  Matrix<double> centers = table.matrix<double>(by_name ? features : table.columns());
  check_finite(table, centers, path);
  return centers;
}

}  // namespace tilelearn::cli
