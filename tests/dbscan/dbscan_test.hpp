// What the tests of DBSCAN share: fits on a device, clusterings brought back to the CPU, what holds for every model.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tilelearn/dbscan.hpp>

#include "dbscan/dbscan_reference.hpp"
#include "support/clusters.hpp"
#include "support/dbscan_verifier.hpp"
#include "support/device_test.hpp"
#include "support/temporary_file.hpp"

namespace tilelearn::testing {

namespace reference = dbscan::reference;

using Labels = std::vector<std::int32_t>;

/// float and double, for what needs no device.
using ValueTypes = ::testing::Types<float, double>;

struct ValueTypeNames {
  template <typename T>
  static std::string GetName(int /*number*/) {
    return sizeof(T) == sizeof(float) ? "float" : "double";
  }
};

constexpr DBSCANMetric every_norm[] = {DBSCANMetric::euclidean, DBSCANMetric::manhattan, DBSCANMetric::chebyshev};

/// A problem in CPU memory.
template <typename T>
struct Given {
  Matrix<T> X;
  DBSCANOptions options;
  std::optional<Vector<T>> weights{};
};

template <typename T>
std::vector<T> weights_of(const Given<T>& given) {
  return given.weights.has_value() ? given.weights->to_std() : std::vector<T>();
}

template <typename T>
DBSCAN<T> fit_on(const Device& device, const Given<T>& given) {
  DBSCAN<T> model(given.options);
  const Matrix<T> X = given.X.to(device);
  DBSCANFitArguments<T> arguments;
  Vector<T> weights;
  if (given.weights.has_value()) {
    weights = given.weights->to(device);
    arguments.sample_weight = std::as_const(weights).view();
  }
  model.fit(X, arguments);
  return model;
}

template <typename T>
reference::Result twin(const Given<T>& given) {
  return reference::fit(given.X.view(), given.options, weights_of(given));
}

template <typename T>
std::vector<T> values_of(const Matrix<T>& matrix) {
  const Matrix<T> here = matrix.to(Device::cpu());
  return {here.data(), here.data() + here.rows() * here.columns()};
}

template <typename T>
void expect_same(const DBSCAN<T>& a, const DBSCAN<T>& b) {
  EXPECT_EQ(a.labels().to_std(), b.labels().to_std());
  EXPECT_EQ(a.core_sample_indices().to_std(), b.core_sample_indices().to_std());
  EXPECT_EQ(values_of(a.components()), values_of(b.components()));
  EXPECT_EQ(a.n_clusters(), b.n_clusters());
  EXPECT_EQ(a.n_features_in(), b.n_features_in());
  EXPECT_EQ(a.warnings(), b.warnings());
}

/// In float64, rounded anyhow.
template <typename T>
double plain_distance(const T* x, const T* y, std::int64_t d, DBSCANMetric metric) {
  double squares = 0.0;
  double sum = 0.0;
  double largest = 0.0;
  double products[3] = {};  // x.y, x.x, y.y
  for (std::int64_t j = 0; j < d; ++j) {
    const double a = double{x[j]};
    const double b = double{y[j]};
    const double t = std::abs(a - b);
    squares += t * t;
    sum += t;
    largest = std::max(largest, t);
    products[0] += a * b;
    products[1] += a * a;
    products[2] += b * b;
  }
  switch (metric) {
    case DBSCANMetric::manhattan:
      return sum;
    case DBSCANMetric::chebyshev:
      return largest;
    case DBSCANMetric::cosine:
      return 1.0 - products[0] / std::sqrt(products[1] * products[2]);
    default:  // of angles too: near enough for small distances
      return std::sqrt(squares);
  }
}

/// The distance below which a share of the pairs with some rows is, for options that give clusters, borders and noise.
template <typename T>
double quantile_distance(const Matrix<T>& X, DBSCANMetric metric, double share) {
  constexpr std::int64_t most_rows = 40;
  std::vector<double> distances;
  for (std::int64_t i = 0; i < std::min(X.rows(), most_rows); ++i)
    for (std::int64_t k = 0; k < X.rows(); ++k) {
      const T* x = X.data() + i * X.columns();
      const T* y = X.data() + k * X.columns();
      if (i != k) distances.push_back(plain_distance(x, y, X.columns(), metric));
    }
  if (distances.empty()) return 1.0;
  std::sort(distances.begin(), distances.end());
  const double found = distances[static_cast<std::size_t>(share * static_cast<double>(distances.size()))];
  return found > 0.0 ? found : 1.0;
}

/// Every attribute equals the twin's.
template <typename T>
void expect_equals_twin(const DBSCAN<T>& model, const reference::Result& expected) {
  EXPECT_EQ(model.labels().to_std(), expected.labels);
  EXPECT_EQ(model.core_sample_indices().to_std(), expected.core);
  EXPECT_EQ(model.n_clusters(), expected.n_clusters);
}

/// Components are the core rows as they were, to the last bit, and predict gives the labels of the fit.
template <typename T>
void expect_consistent(const DBSCAN<T>& model, const Given<T>& given, const Device& device) {
  const std::int64_t d = given.X.columns();
  std::vector<T> core_values;
  for (const std::int64_t i : model.core_sample_indices().to_std())
    core_values.insert(core_values.end(), given.X.data() + i * d, given.X.data() + (i + 1) * d);
  EXPECT_EQ(values_of(model.components()), core_values);
  EXPECT_EQ(model.n_features_in(), d);
  EXPECT_EQ(model.predict(given.X.to(device)).to_std(), model.labels().to_std());
  EXPECT_EQ(model.warnings().size(), model.n_clusters() == 0 ? 1U : 0U);
}

template <typename I>
class DBSCANTest : public DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  DBSCAN<Value> fit(const Given<Value>& given) const { return fit_on(this->device(), given); }

  /// Fits, and checks what holds for every model and for this clustering.
  DBSCAN<Value> checked_fit(const Given<Value>& given) const {
    DBSCAN<Value> model = fit(given);
    expect_consistent(model, given, this->device());
    const DBSCANVerifier verifier(given.X, given.options, weights_of(given));
    EXPECT_EQ(verifier.fault(clustering_of(model)), "");
    return model;
  }

  /// The labels of a checked fit.
  Labels labels(const Given<Value>& given) const { return checked_fit(given).labels().to_std(); }
};

}  // namespace tilelearn::testing
