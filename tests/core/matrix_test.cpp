// Matrices, vectors and views: layouts, copies between devices, element access, sizes that cannot be.
#include <tilelearn/matrix.hpp>

#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "support/device_test.hpp"

/// Under the address sanitizer an allocation that cannot be has to fail as malloc does, not to end the program.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::vector<T> elements(const Matrix<T>& X) {
  const Matrix<T> host = X.to(Device::cpu());
  return {host.data(), host.data() + host.rows() * host.columns()};
}

/// 0, 1, 2, ... row by row.
template <typename T>
Matrix<T> counting(std::int64_t rows, std::int64_t columns) {
  Matrix<T> X(rows, columns);
  std::iota(X.data(), X.data() + rows * columns, T(0));
  return X;
}

template <typename I>
class MatrixTest : public testing::DeviceTest<I> {};
TYPED_TEST_SUITE(MatrixTest, testing::DeviceTypes, testing::DeviceTypeNames);

TYPED_TEST(MatrixTest, GoesToTheDeviceAndBack) {
  using T = typename TypeParam::Value;
  const Matrix<T> host{{1, 2, 3}, {4, 5, 6}};
  const Matrix<T> X = host.to(this->device());
  EXPECT_EQ(X.device(), this->device());
  EXPECT_EQ(X.rows(), 2);
  EXPECT_EQ(X.columns(), 3);
  EXPECT_THAT(elements(X), ElementsAre(1, 2, 3, 4, 5, 6));
  const Vector<T> v = Vector<T>{7, 8}.to(this->device());
  EXPECT_THAT(v.to_std(), ElementsAre(7, 8));
  EXPECT_EQ(v.device(), this->device());
}

TYPED_TEST(MatrixTest, LargeCopiesArriveWhole) {
  using T = typename TypeParam::Value;
  const Matrix<T> host = counting<T>(1031, 1009);  // more than 4 MB: several pieces of a staged copy
  EXPECT_EQ(elements(host.to(this->device())), elements(host));
}

TYPED_TEST(MatrixTest, ACloneIsIndependent) {
  using T = typename TypeParam::Value;
  Matrix<T> X = Matrix<T>{{1, 2}}.to(this->device());
  const Matrix<T> clone = X.clone();
  EXPECT_EQ(clone.device(), this->device());
  EXPECT_NE(clone.data(), X.data());
  X = Matrix<T>{{8, 9}}.to(this->device());
  EXPECT_THAT(elements(clone), ElementsAre(1, 2));
  EXPECT_THAT(elements(X), ElementsAre(8, 9));
}

/// Element (i, j) of the base 6 x 4 is 4 i + j.
TYPED_TEST(MatrixTest, CopyToReadsAnyStrides) {
  using T = typename TypeParam::Value;
  const Matrix<T> base = counting<T>(6, 4).to(this->device());
  const auto read = [&](std::int64_t offset, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                        std::int64_t column_stride) {
    const MatrixView<const T> view(base.data() + offset, rows, columns, row_stride, column_stride, base.device());
    const auto on_host = elements(copy_to(view, Device::cpu()));
    EXPECT_EQ(elements(copy_to(view, base.device())), on_host);
    return on_host;
  };
  EXPECT_THAT(read(0, 2, 4, 4, 1), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(read(0, 2, 3, 1, 4), ElementsAre(0, 4, 8, 1, 5, 9)) << "column-major";
  EXPECT_THAT(read(0, 3, 2, 8, 1), ElementsAre(0, 1, 8, 9, 16, 17)) << "every second row";
  EXPECT_THAT(read(20, 3, 2, -4, 1), ElementsAre(20, 21, 16, 17, 12, 13)) << "rows backwards";
  EXPECT_THAT(read(3, 2, 4, 4, -1), ElementsAre(3, 2, 1, 0, 7, 6, 5, 4)) << "columns backwards";
  EXPECT_THAT(read(5, 3, 2, 0, 1), ElementsAre(5, 6, 5, 6, 5, 6)) << "one row repeated";
  EXPECT_THAT(read(5, 2, 3, 4, 0), ElementsAre(5, 5, 5, 9, 9, 9)) << "one column repeated";
  EXPECT_THAT(read(23, 1, 1, 99, 99), ElementsAre(23)) << "strides of one element do not matter";
}

TYPED_TEST(MatrixTest, CopyToReadsLargeTranspositions) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t rows = 131;
  constexpr std::int64_t columns = 67;  // no multiples of a tile
  const Matrix<T> base = counting<T>(columns, rows).to(this->device());
  const MatrixView<const T> transposed(base.data(), rows, columns, 1, rows, base.device());
  const Matrix<T> host = copy_to(transposed, Device::cpu());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(host(i, j), static_cast<T>(j * rows + i)) << i << ", " << j;
}

TYPED_TEST(MatrixTest, CopyBlockWritesAnyStrides) {
  using T = typename TypeParam::Value;
  Matrix<T> target = Matrix<T>{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}.to(this->device());
  Matrix<T> source{{1, 2}, {3, 4}};
  // the source's columns become rows 0 and 2, columns backwards
  detail::copy_block({target.data() + 2, -1, 6}, target.device(), {source.data(), 2, 1}, source.device(), 2, 2,
                     sizeof(T));
  target.device().synchronize();
  EXPECT_THAT(elements(target), ElementsAre(0, 3, 1, 0, 0, 0, 0, 4, 2, 0, 0, 0));
}

TYPED_TEST(MatrixTest, CopyToReadsStridedVectors) {
  using T = typename TypeParam::Value;
  const Vector<T> base = Vector<T>{0, 1, 2, 3, 4, 5}.to(this->device());
  const auto read = [&](std::int64_t offset, std::int64_t size, std::int64_t stride) {
    return copy_to(VectorView<const T>(base.data() + offset, size, base.device(), stride), Device::cpu()).to_std();
  };
  EXPECT_THAT(read(0, 3, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(read(5, 3, -2), ElementsAre(5, 3, 1));
  EXPECT_THAT(read(4, 3, 0), ElementsAre(4, 4, 4));
}

TYPED_TEST(MatrixTest, EmptyOnesHaveShapesAndCopies) {
  using T = typename TypeParam::Value;
  const Matrix<T> X(0, 5, this->device());
  EXPECT_EQ(X.clone().columns(), 5);
  EXPECT_EQ(X.to(Device::cpu()).rows(), 0);
  EXPECT_EQ(Matrix<T>(5, 0, this->device()).clone().rows(), 5);
  EXPECT_TRUE(Vector<T>(0, this->device()).to_std().empty());
}

TYPED_TEST(MatrixTest, SizesThatCannotBeAreErrors) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(Matrix<T>(-1, 2, this->device()), InvalidArgument);
  EXPECT_THROW(Matrix<T>(2, -1, this->device()), InvalidArgument);
  EXPECT_THROW(Matrix<T>(std::int64_t{1} << 32, std::int64_t{1} << 31, this->device()), InvalidArgument);
  EXPECT_THROW(Matrix<T>(most / 2, 1, this->device()), InvalidArgument) << "the bytes overflow, not the elements";
  EXPECT_THROW(Vector<T>(-1, this->device()), InvalidArgument);
}

TYPED_TEST(MatrixTest, MoreThanThereIsIsOutOfMemoryWithTheNumbers) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t rows = std::int64_t{1} << 46;
  try {
    const Matrix<T> X(rows, 1, this->device());
    FAIL() << "a matrix of 2^46 rows was allocated";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.asked_bytes(), rows * static_cast<std::int64_t>(sizeof(T)));
    EXPECT_GT(error.free_bytes(), 0);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(error.asked_bytes())));
  }
  EXPECT_THAT(elements(Matrix<T>{{3}}.to(this->device())), ElementsAre(3)) << "the device works on";
}

TYPED_TEST(MatrixTest, ElementsAreCheckedAndOfTheCpuAlone) {
  using T = typename TypeParam::Value;
  Matrix<T> X = Matrix<T>{{1, 2}, {3, 4}}.to(this->device());
  Vector<T> v = Vector<T>{1, 2}.to(this->device());
  if (this->device().is_cuda()) {
    EXPECT_THROW((void)X(0, 0), InvalidArgument);
    EXPECT_THROW((void)v[0], InvalidArgument);
    return;
  }
  X(1, 0) = 9;
  v[1] = 7;
  EXPECT_THAT(elements(X), ElementsAre(1, 2, 9, 4));
  EXPECT_EQ(std::as_const(v)[1], 7);
  for (const auto& [i, j] : {std::pair(2, 0), std::pair(0, 2), std::pair(-1, 0), std::pair(0, -1)})
    EXPECT_THROW((void)std::as_const(X)(i, j), InvalidArgument) << i << ", " << j;
  EXPECT_THROW((void)v[2], InvalidArgument);
  EXPECT_THROW((void)std::as_const(v)[-1], InvalidArgument);
}

TEST(MatrixView, KnowsWhetherItIsContiguous) {
  double memory[12] = {};
  using View = MatrixView<double>;
  EXPECT_TRUE(View(memory, 3, 4).is_contiguous());
  EXPECT_FALSE(View(memory, 3, 4, 1, 3).is_contiguous());
  EXPECT_FALSE(View(memory, 3, 2, 4, 1).is_contiguous());
  EXPECT_TRUE(View(memory, 1, 2, 4, 1).is_contiguous()) << "one row";
  EXPECT_TRUE(View(memory, 3, 1, 1, 7).is_contiguous()) << "one column";
  EXPECT_FALSE(View(memory, 3, 1, 4, 1).is_contiguous()) << "one column of a wider matrix";
  EXPECT_TRUE(VectorView<double>(memory, 4).is_contiguous());
  EXPECT_FALSE(VectorView<double>(memory, 4, Device::cpu(), 2).is_contiguous());
  EXPECT_TRUE(VectorView<double>(memory, 1, Device::cpu(), 2).is_contiguous());
}

TEST(MatrixView, ReadsAndWritesThroughStrides) {
  std::vector<int> memory(12);
  std::iota(memory.begin(), memory.end(), 0);
  const MatrixView<int> columns_first(memory.data(), 3, 4, 1, 3);
  EXPECT_EQ(columns_first(1, 2), 7);
  columns_first(2, 3) = -1;
  EXPECT_EQ(memory[11], -1);
  const MatrixView<const int> constant = columns_first;
  EXPECT_EQ(&constant(1, 2), &memory[7]);
  const VectorView<const int> backwards = VectorView<int>(memory.data() + 4, 3, Device::cpu(), -2);
  EXPECT_EQ(backwards[2], 0);
}

TEST(Matrix, RowsOfUnequalLengthAreAnError) {
  try {
    const Matrix<float> matrix{{1, 2}, {3, 4}, {5}};
    ADD_FAILURE() << matrix.rows() << " rows were accepted";
  } catch (const ShapeMismatch& error) {
    EXPECT_STREQ(error.what(), "Matrix: row 2 has 1 elements, row 0 has 2");
  }
}

TEST(Matrix, MovesWithoutACopy) {
  Matrix<float> X{{1, 2}};
  const float* const data = X.data();
  const Matrix<float> moved = std::move(X);
  EXPECT_EQ(moved.data(), data);
  EXPECT_FALSE(std::is_copy_constructible_v<Matrix<float>>);
  EXPECT_FALSE(std::is_copy_assignable_v<Vector<float>>);
}

TEST(Vector, TakesAStdVector) { EXPECT_THAT(Vector<int>(std::vector<int>{4, 5, 6}).to_std(), ElementsAre(4, 5, 6)); }

}  // namespace
}  // namespace tilelearn
