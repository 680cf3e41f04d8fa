// Inertia of given centres: values by hand, against KMeans::score, errors.
#include <limits>

#include <gmock/gmock.h>
#include <tilelearn/kmeans.hpp>
#include <tilelearn/metrics.hpp>

#include "support/device_test.hpp"
#include "support/generators.hpp"

namespace tilelearn {
namespace {

template <typename I>
class InertiaTest : public testing::DeviceTest<I> {};
TYPED_TEST_SUITE(InertiaTest, testing::DeviceTypes, testing::DeviceTypeNames);

TYPED_TEST(InertiaTest, ValuesByHand) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = Matrix<T>{{0, 0}, {3, 4}, {10, 0}}.to(this->device());
  const Matrix<T> centers{{0, 0}, {10, 1}};  // stay on the CPU: parameters may
  EXPECT_EQ(inertia(X, centers), 0.0 + 25.0 + 1.0);
  const Vector<T> weights = Vector<T>{5, 2, T(0.5)}.to(this->device());
  EXPECT_EQ(inertia(X, centers, weights), 50.5);
}

TYPED_TEST(InertiaTest, IsMinusTheScoreOfKMeans) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = testing::random_matrix<T>(257, 3, 41).to(this->device());
  KMeans<T> model({.n_clusters = 4});
  model.fit(X);
  EXPECT_EQ(inertia(X, model.cluster_centers()), -model.score(X));
  EXPECT_EQ(inertia(X, model.cluster_centers()), model.inertia());
}

TYPED_TEST(InertiaTest, BadInputsAreErrors) {
  using T = typename TypeParam::Value;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const Matrix<T> X = Matrix<T>{{0, 0}, {3, 4}}.to(this->device());
  const Matrix<T> centers{{0, 0}};
  EXPECT_THROW((void)inertia(X, Matrix<T>{{1}}), ShapeMismatch);
  EXPECT_THROW((void)inertia(X, Matrix<T>(0, 2)), InvalidArgument);
  EXPECT_THROW((void)inertia(Matrix<T>(0, 2, this->device()), centers), InvalidArgument);
  EXPECT_THROW((void)inertia(X, Matrix<T>{{0, nan}}), InvalidArgument);
  EXPECT_THROW((void)inertia(Matrix<T>{{0, nan}}.to(this->device()), centers), InvalidArgument);
  EXPECT_THROW((void)inertia(X, centers, Vector<T>{1}.to(this->device())), ShapeMismatch);
  EXPECT_THROW((void)inertia(X, centers, Vector<T>{1, -1}.to(this->device())), InvalidArgument);
}

}  // namespace
}  // namespace tilelearn
