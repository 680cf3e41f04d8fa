#include "input_checks.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

std::string place(const std::string& file, const Table& table, std::int64_t row, const std::string& column) {
  return file + ": line " + std::to_string(table.row_line(row)) + ", column '" + column + "': ";
}

void check_missing(const std::string& file, const Table& table, const std::vector<std::string>& columns,
                   MissingPolicy policy, bool takes_means) {
  if (policy != MissingPolicy::error) return;
  const std::string remedy = takes_means ? ", fill in the mean with --missing mean, or do without the column with "
                                           "--exclude"
                                         : "";
  for (const std::string& column : columns) {
    if (table.missing_count(column) == 0) continue;
    const std::vector<std::int64_t> complete = table.complete_rows({column});
    std::size_t row = 0;
    while (row < complete.size() && complete[row] == static_cast<std::int64_t>(row)) ++row;
    throw UsageError(place(file, table, static_cast<std::int64_t>(row), column) + "no value, as in " +
                     std::to_string(table.missing_count(column)) + " of " + count(table.rows(), "row") +
                     "; leave such rows out with --missing drop" + remedy);
  }
}

/// The library says the same of a program's matrix; here the remedy is a flag.
void check_range(const std::string& file, const Table& table, const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    if (table.kind(column) == ColumnKind::category) continue;
    const VectorView<const double> values = table.numbers(column);
    for (std::int64_t row = 0; row < values.size(); ++row)
      if (std::isfinite(values[row]) && !std::isfinite(static_cast<float>(values[row])))
        throw UsageError(place(file, table, row, column) + exact(values[row]) +
                         " is beyond float32; use --precision float64");
  }
}

VectorView<const double> check_weights(const std::string& file, const Table& table, const std::string& column,
                                       Precision precision, bool takes_negative) {
  VectorView<const double> weights = table.numbers(column);
  for (std::int64_t row = 0; row < weights.size(); ++row) {
    const double weight = weights[row];
    if (std::isfinite(weight) && (weight >= 0.0 || takes_negative)) continue;
    throw UsageError(place(file, table, row, column) + "the weight is " +
                     (std::isnan(weight)
                          ? "missing; correct it, or leave such rows out with --missing drop"
                          : exact(weight) + "; weights must be finite" + (takes_negative ? "" : " and 0 or more")));
  }
  const auto counts = [precision](double weight) {
    return precision == Precision::float32 ? static_cast<float>(weight) > 0.0F : weight > 0.0;
  };
  if (takes_negative || std::any_of(weights.data(), weights.data() + weights.size(), counts)) return weights;
  const bool is_below = std::any_of(weights.data(), weights.data() + weights.size(), [](double w) { return w > 0.0; });
  throw UsageError(file + ": column '" + column + "': no weight is above 0" +
                   (is_below ? " in float32; use --precision float64" : ", so that no row counts"));
}

VectorView<const double> check_target(const std::string& file, const Table& table, const std::string& column) {
  VectorView<const double> target = table.numbers(column);
  for (std::int64_t row = 0; row < target.size(); ++row) {
    if (std::isfinite(target[row])) continue;
    throw UsageError(place(file, table, row, column) + "the target is " +
                     (std::isnan(target[row]) ? "missing; correct it, or leave such rows out with --missing drop"
                                              : exact(target[row]) + "; targets must be finite"));
  }
  return target;
}

}  // namespace tilelearn::cli
