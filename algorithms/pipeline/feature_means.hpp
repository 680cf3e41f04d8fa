// Means of a table's features, missing values aside: what MissingPolicy::mean fills in.
#pragma once

#include <optional>
#include <vector>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::pipeline {

struct MeansOptions {
  std::optional<VectorView<const double>> weights{};
  bool drop_first = false;  ///< as TableEncoderOptions has it
};

/// One (weighted) mean for each feature, float64, rows ascending; a category's mean is its share.
/// @throws InvalidArgument for a column without a value of positive weight
std::vector<double> feature_means(const Table& table, const std::vector<EncodedColumn>& columns,
                                  const MeansOptions& options);

}  // namespace tilelearn::pipeline
