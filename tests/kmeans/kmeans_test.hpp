// What the tests of KMeans share: fits on a device, models brought back to the CPU, the twin beside them.
#pragma once

#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <tilelearn/kmeans.hpp>

#include "kmeans/kmeans_judge.hpp"
#include "kmeans/kmeans_reference.hpp"
#include "support/clusters.hpp"
#include "support/device_test.hpp"

namespace tilelearn::testing {

namespace reference = kmeans::reference;

/// float and double, for what needs no device.
using ValueTypes = ::testing::Types<float, double>;

struct ValueTypeNames {
  template <typename T>
  static std::string GetName(int /*number*/) {
    return sizeof(T) == sizeof(float) ? "float" : "double";
  }
};

/// A problem in CPU memory.
template <typename T>
struct Given {
  Matrix<T> X;
  KMeansOptions options;
  std::optional<Vector<T>> weights{};
  std::optional<Matrix<T>> init{};
};

template <typename T>
KMeans<T> fit_on(const Device& device, const Given<T>& given) {
  KMeans<T> model(given.options);
  const Matrix<T> X = given.X.to(device);
  KMeansFitArguments<T> arguments;
  Vector<T> weights;
  if (given.weights.has_value()) {
    weights = given.weights->to(device);
    arguments.sample_weight = std::as_const(weights).view();
  }
  if (given.init.has_value()) arguments.init_centers = given.init->view();
  model.fit(X, arguments);
  return model;
}

template <typename T>
reference::Rows<T> to_rows(const Matrix<T>& matrix) {
  return Eigen::Map<const reference::Rows<T>>(matrix.data(), matrix.rows(), matrix.columns());
}

template <typename T>
Matrix<T> to_matrix(const reference::Rows<T>& rows) {
  Matrix<T> result(rows.rows(), rows.cols());
  std::copy_n(rows.data(), rows.size(), result.data());
  return result;
}

template <typename T>
std::vector<double> to_doubles(const std::optional<Vector<T>>& weights) {
  std::vector<double> result;
  if (weights.has_value())
    for (std::int64_t i = 0; i < weights->size(); ++i) result.push_back(static_cast<double>(weights->data()[i]));
  return result;
}

template <typename T>
reference::Problem<T> problem_of(const Given<T>& given) {
  reference::Problem<T> problem{to_rows(given.X), {}, given.options};
  if (problem.options.n_init == 0) problem.options.n_init = given.options.init == KMeansInit::random ? 10 : 1;
  const std::vector<double> weights = to_doubles(given.weights);
  problem.weights = Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  return problem;
}

template <typename T>
reference::Result<T> twin(const Given<T>& given) {
  const reference::Problem<T> problem = problem_of(given);
  if (!given.init.has_value()) return reference::fit(problem);
  const reference::Rows<T> init = to_rows(*given.init);
  return reference::lloyd(problem, init, reference::data_scale(problem, init));
}

/// Every attribute equals the twin's, to the last bit.
template <typename T>
void expect_equals_twin(const KMeans<T>& model, const reference::Result<T>& expected) {
  EXPECT_EQ(model.n_iter(), expected.n_iter);
  EXPECT_EQ(model.converged(), expected.converged);
  EXPECT_EQ(to_rows(model.cluster_centers().to(Device::cpu())), expected.centers);
  EXPECT_EQ(model.labels().to_std(), expected.labels);
  EXPECT_EQ(model.inertia(), expected.inertia);
}

/// What must hold for every fitted model: labels are the argmin and predict's, inertia is that of the labels and
/// score's.
template <typename T>
void expect_consistent(const KMeans<T>& model, const Given<T>& given, const Device& device) {
  const Matrix<T> centers = model.cluster_centers().to(Device::cpu());
  const std::vector<std::int32_t> labels = model.labels().to_std();
  const Matrix<T> X = given.X.to(device);
  EXPECT_EQ(first_wrong_label(given.X, centers, labels), -1);
  EXPECT_EQ(model.predict(X).to_std(), labels);
  // n additions of d fused terms, each within 2^-53: far below 1e-12
  const double expected = direct_inertia(given.X, centers, labels, to_doubles(given.weights));
  EXPECT_NEAR(model.inertia(), expected, 1e-12 * expected);
  std::optional<VectorView<const T>> weights;
  Vector<T> on_device;
  if (given.weights.has_value()) {
    on_device = given.weights->to(device);
    weights = std::as_const(on_device).view();
  }
  EXPECT_EQ(model.score(X, weights), -model.inertia());
}

template <typename I>
class KMeansTest : public DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  KMeans<Value> fit(const Given<Value>& given) const { return fit_on(this->device(), given); }

  /// Fits, and checks what holds for every model.
  KMeans<Value> checked_fit(const Given<Value>& given) const {
    KMeans<Value> model = fit(given);
    expect_consistent(model, given, this->device());
    return model;
  }
};

}  // namespace tilelearn::testing
