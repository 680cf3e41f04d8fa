// --init: the name of a method, or a CSV file of first centres in the file's units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tilelearn/kmeans.hpp>

#include "common_options.hpp"

namespace tilelearn::cli {

/// The method of that name, or nothing if the text must be a file.
std::optional<KMeansInit> init_method(const std::string& text);

/// One row a centre; columns are found by the features' names or, in a file without a header, by their order.
/// @throws UsageError, ParseError
Matrix<double> read_init_centers(const std::string& path, const CsvFlags& csv,
                                 const std::vector<std::string>& features);

}  // namespace tilelearn::cli
