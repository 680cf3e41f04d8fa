// What a pipeline holds. A new estimator joins the variant and gets a kind, a device and, if its predictions are
// numbers, a line in predicts_values.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::detail {

/// The estimators of one precision.
template <typename T>
using Estimator = std::variant<KMeans<T>, DBSCAN<T>, LinearRegression<T>, Ridge<T>>;

/// What model files call an estimator; the argument is a tag and may be null.
template <typename T>
std::string kind_of(const KMeans<T>* /*tag*/) {
  return "kmeans";
}
template <typename T>
std::string kind_of(const DBSCAN<T>* /*tag*/) {
  return "dbscan";
}
template <typename T>
std::string kind_of(const LinearRegression<T>* /*tag*/) {
  return "linear_regression";
}
template <typename T>
std::string kind_of(const Ridge<T>* /*tag*/) {
  return "ridge";
}

/// Whether the estimator's predictions are numbers, not labels.
template <typename Model>
inline constexpr bool predicts_values = false;
template <typename T>
inline constexpr bool predicts_values<LinearRegression<T>> = true;
template <typename T>
inline constexpr bool predicts_values<Ridge<T>> = true;

/// Where a fitted estimator keeps what it learned.
template <typename T>
const Device& device_of(const KMeans<T>& model) {
  return model.cluster_centers().device();
}
template <typename T>
const Device& device_of(const DBSCAN<T>& model) {
  return model.components().device();
}
/// Linear models keep what they learned in CPU memory, whatever device fitted them.
template <typename T>
Device device_of(const LinearRegression<T>& /*model*/) {
  return Device::cpu();
}
template <typename T>
Device device_of(const Ridge<T>& /*model*/) {
  return Device::cpu();
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
