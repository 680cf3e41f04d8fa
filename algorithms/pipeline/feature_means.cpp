#include "pipeline/feature_means.hpp"

#include <cmath>

namespace tilelearn::pipeline {

namespace {

using Weights = std::optional<VectorView<const double>>;

double weight_of(const Weights& weights, std::int64_t row) { return weights ? (*weights)[row] : 1.0; }

[[noreturn]] void throw_no_mean(const std::string& column) {
  throw InvalidArgument("column '" + column + "' has no values to take a mean of; leave the column out");
}

/// Shifted by the first value, so that a large common offset costs no accuracy.
double number_mean(const Table& table, const std::string& column, const Weights& weights) {
  const auto values = table.numbers(column);
  double pilot = 0.0;
  double sum = 0.0;
  double total = 0.0;
  for (std::int64_t row = 0; row < values.size(); ++row) {
    const double weight = weight_of(weights, row);
    if (std::isnan(values[row]) || weight == 0.0) continue;
    if (total == 0.0) pilot = values[row];
    sum += weight * (values[row] - pilot);
    total += weight;
  }
  if (total == 0.0) throw_no_mean(column);
  const double mean = pilot + sum / total;
  if (!std::isfinite(mean)) throw InvalidArgument("column '" + column + "': the mean of its values is not finite");
  return mean;
}

std::vector<double> category_shares(const Table& table, const EncodedColumn& column, const Weights& weights) {
  const auto codes = table.codes(column.name);
  std::vector<double> shares(column.categories.size(), 0.0);
  double total = 0.0;
  for (std::int64_t row = 0; row < codes.size(); ++row) {
    if (codes[row] < 0) continue;
    shares[static_cast<std::size_t>(codes[row])] += weight_of(weights, row);
    total += weight_of(weights, row);
  }
  if (total == 0.0) throw_no_mean(column.name);
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace

std::vector<double> feature_means(const Table& table, const std::vector<EncodedColumn>& columns,
                                  const MeansOptions& options) {
  std::vector<double> means;
  for (const EncodedColumn& column : columns) {
    if (column.kind == ColumnKind::number) {
      means.push_back(number_mean(table, column.name, options.weights));
    } else {
      const std::vector<double> shares = category_shares(table, column, options.weights);
      means.insert(means.end(), shares.begin() + (options.drop_first ? 1 : 0), shares.end());
    }
  }
  return means;
}

}  // namespace tilelearn::pipeline
