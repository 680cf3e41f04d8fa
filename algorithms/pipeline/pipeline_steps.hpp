// What a pipeline holds. A new estimator joins the variant and gets a kind and a device; if it does not give class
// indices, it gets a method of Pipeline beside predict.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::detail {

/// The estimators of one precision.
template <typename T>
using Estimator = std::variant<KMeans<T>, DBSCAN<T>>;

/// What model files call an estimator; the argument is a tag and may be null.
template <typename T>
std::string kind_of(const KMeans<T>* /*tag*/) {
  return "kmeans";
}
template <typename T>
std::string kind_of(const DBSCAN<T>* /*tag*/) {
  return "dbscan";
}

/// Where a fitted estimator keeps what it learned.
template <typename T>
const Device& device_of(const KMeans<T>& model) {
  return model.cluster_centers().device();
}
template <typename T>
const Device& device_of(const DBSCAN<T>& model) {
  return model.components().device();
}

template <typename T>
struct TypedSteps {
  using Value = T;
  std::optional<StandardScaler<T>> scaler;
  Estimator<T> estimator;
};

struct PipelineSteps {
  std::string kind;
  TableEncoder encoder;
  Device device;  ///< where predictions for tables are made
  std::variant<TypedSteps<float>, TypedSteps<double>> typed;
};

}  // namespace tilelearn::detail
