// Eigen objects as views and back: the same memory, the same elements, every storage order and stride.
#include <tilelearn/eigen.hpp>

#include <numeric>

#include <gtest/gtest.h>

#include "support/device_test.hpp"

namespace tilelearn {
namespace {

template <typename E>
class EigenTest : public ::testing::Test {};
using Objects = ::testing::Types<Eigen::MatrixXf, Eigen::MatrixXd, Eigen::Matrix<float, -1, -1, Eigen::RowMajor>,
                                 Eigen::ArrayXXd, Eigen::Array<double, -1, -1, Eigen::RowMajor>, Eigen::MatrixXi>;
TYPED_TEST_SUITE(EigenTest, Objects);

template <typename View, typename Object>
void expect_same(const View& view, Object& object) {
  ASSERT_EQ(view.rows(), object.rows());
  ASSERT_EQ(view.columns(), object.cols());
  for (Eigen::Index i = 0; i < object.rows(); ++i)
    for (Eigen::Index j = 0; j < object.cols(); ++j) ASSERT_EQ(&view(i, j), &object.coeffRef(i, j)) << i << ", " << j;
}

TYPED_TEST(EigenTest, MatricesAndArraysAreViewedInPlace) {
  TypeParam object = TypeParam::Zero(3, 4);
  expect_same(as_view(object), object);
  as_view(object)(1, 2) = 7;
  EXPECT_EQ(object(1, 2), 7);
  const TypeParam& constant = object;
  const auto view = as_view(constant);
  static_assert(std::is_same_v<decltype(view), const MatrixView<const typename TypeParam::Scalar>>);
  EXPECT_EQ(&view(2, 3), &constant(2, 3));
}

TYPED_TEST(EigenTest, BlocksAndStridedMapsAreViewedInPlace) {
  TypeParam object = TypeParam::Zero(6, 5);
  auto block = object.block(1, 2, 4, 3);
  expect_same(as_view(block), block);
  using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  Eigen::Map<TypeParam, Eigen::Unaligned, Strides> map(object.data(), 2, 3, Strides(8, 2));
  expect_same(as_view(map), map);
  const MatrixView<typename TypeParam::Scalar> of_a_temporary = as_view(object.block(1, 2, 4, 3));
  EXPECT_EQ(of_a_temporary.data(), &object(1, 2));
}

TYPED_TEST(EigenTest, ViewsAndMapsAreTheSameMemoryBothWays) {
  TypeParam object = TypeParam::Zero(4, 3);
  auto map = as_eigen(as_view(object));
  ASSERT_EQ(map.rows(), 4);
  ASSERT_EQ(map.cols(), 3);
  map(3, 1) = 5;
  EXPECT_EQ(object(3, 1), 5);
  EXPECT_EQ(&map.coeffRef(2, 2), &object.coeffRef(2, 2));
}

TEST(Eigen, VectorsAreVectorViews) {
  Eigen::VectorXd v(3);
  v << 1, 2, 3;
  const VectorView<double> view = as_view(v);
  EXPECT_EQ(view.size(), 3);
  EXPECT_EQ(&view[2], &v[2]);
  const MatrixView<double> column = as_matrix_view(v);
  EXPECT_EQ(column.rows(), 3);
  EXPECT_EQ(column.columns(), 1);
  EXPECT_EQ(&column(1, 0), &v[1]);
}

/// A row of a column-major matrix and a column of a row-major one have gaps.
TEST(Eigen, RowsAndColumnsOfMatricesAreStridedVectorViews) {
  Eigen::MatrixXf by_columns(3, 4);
  const VectorView<float> row = as_view(by_columns.row(1));
  ASSERT_EQ(row.size(), 4);
  Eigen::Matrix<float, -1, -1, Eigen::RowMajor> by_rows(3, 4);
  const VectorView<float> column = as_view(by_rows.col(2));
  ASSERT_EQ(column.size(), 3);
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_EQ(&row[i], &by_columns(1, i));
  for (Eigen::Index i = 0; i < 3; ++i) EXPECT_EQ(&column[i], &by_rows(i, 2));
}

TEST(Eigen, ViewsOfAnyStridesBecomeMaps) {
  std::vector<double> memory(24);
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView<double> view(memory.data() + 20, 3, 2, -8, 2);
  const auto map = as_eigen(view);
  Eigen::MatrixXd expected(3, 2);
  expected << 20, 22, 12, 14, 4, 6;
  EXPECT_EQ(map, expected);
  const auto vector = as_eigen(VectorView<const double>(memory.data() + 1, 3, Device::cpu(), 5));
  EXPECT_EQ(vector, Eigen::Vector3d(1, 6, 11));
}

TEST(Eigen, OwnersBecomeMaps) {
  Matrix<double> X{{1, 2}, {3, 4}};
  as_eigen(X)(0, 1) = 9;
  EXPECT_EQ(X(0, 1), 9);
  EXPECT_EQ(as_eigen(std::as_const(X)).sum(), 17);
  Vector<float> v{1, 2};
  as_eigen(v) *= 2;
  EXPECT_EQ(as_eigen(std::as_const(v)).sum(), 6);
}

TEST(Eigen, EmptyOnesAreFine) {
  Eigen::MatrixXd empty(0, 3);
  EXPECT_EQ(as_view(empty).columns(), 3);
  EXPECT_EQ(as_eigen(MatrixView<const float>(nullptr, 0, 2)).size(), 0);
}

/// The adapter takes nothing whose memory would be gone: owners that are temporaries.
template <typename Object>
concept Viewable = requires(Object&& object) {
  as_view(std::forward<Object>(object));
};
static_assert(Viewable<Eigen::MatrixXd&> && Viewable<const Eigen::MatrixXd&> && Viewable<Eigen::Map<Eigen::MatrixXd>>);
static_assert(Viewable<Eigen::Map<const Eigen::MatrixXd>>);
static_assert(!Viewable<Eigen::MatrixXd> && !Viewable<const Eigen::MatrixXd> && !Viewable<Eigen::ArrayXf>);

template <typename I>
class EigenDeviceTest : public testing::DeviceTest<I> {};
TYPED_TEST_SUITE(EigenDeviceTest, testing::DeviceTypes, testing::DeviceTypeNames);

TYPED_TEST(EigenDeviceTest, OnlyCpuMemoryBecomesAMap) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = Matrix<T>{{1, 2}}.to(this->device());
  const Vector<T> v = Vector<T>{1, 2}.to(this->device());
  if (this->device().is_cpu()) {
    EXPECT_EQ(as_eigen(X).sum(), 3);
    EXPECT_EQ(as_eigen(v).sum(), 3);
  } else {
    EXPECT_THROW((void)as_eigen(X), InvalidArgument);
    EXPECT_THROW((void)as_eigen(v), InvalidArgument);
  }
}

}  // namespace
}  // namespace tilelearn
