// What a pipeline holds. A new estimator joins the variant and gets a kind; if it does not give class indices, it gets
// a method of Pipeline beside predict.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include <tilelearn/pipeline.hpp>

namespace tilelearn::detail {

/// The estimators of one precision.
template <typename T>
using Estimator = std::variant<KMeans<T>>;

inline std::string kind_of(const KMeans<float>* /*tag*/) { return "kmeans"; }
inline std::string kind_of(const KMeans<double>* /*tag*/) { return "kmeans"; }

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
