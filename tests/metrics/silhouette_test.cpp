// Silhouette: values by hand, against the plain twin and scikit-learn, hard data, layouts, errors.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <tilelearn/metrics.hpp>

#include "metrics/scikit_learn_values.hpp"
#include "metrics/silhouette_reference.hpp"
#include "support/device_test.hpp"
#include "support/generators.hpp"

namespace tilelearn {
namespace {

using ::testing::HasSubstr;
using Labels = std::vector<std::int32_t>;

/// Of a coefficient (|s| <= 1): a distance of d columns has relative error (d / 2 + 2) eps at most, a sum of n of them
/// another n / 16 + 3 (eight lanes, half an ulp an addition), and a, b and the quotient add a few. The sizes here are
/// at most 300 rows and 128 columns; a and b both err.
constexpr double tolerance = 2 * (64 + 2 + 19 + 3 + 4) * std::numeric_limits<double>::epsilon();

template <typename I>
class SilhouetteTest : public testing::DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  [[nodiscard]] std::vector<double> samples(const Matrix<Value>& X, const Labels& labels) const {
    const Matrix<Value> on_device = X.to(this->device());
    const Vector<std::int32_t> device_labels = Vector<std::int32_t>(labels).to(this->device());
    const Vector<double> result = silhouette_samples(on_device, device_labels);
    EXPECT_EQ(result.device(), this->device());
    return result.to_std();
  }

  [[nodiscard]] double score(const Matrix<Value>& X, const Labels& labels) const {
    const Matrix<Value> on_device = X.to(this->device());
    return silhouette_score(on_device, Vector<std::int32_t>(labels));
  }

  static Labels some_labels(std::int64_t rows, int clusters) {
    Labels labels;
    for (std::int64_t i = 0; i < rows; ++i)
      labels.push_back(i < clusters ? static_cast<std::int32_t>(i)
                                    : static_cast<std::int32_t>(testing::uniform(5, i) * clusters));
    return labels;
  }
};
TYPED_TEST_SUITE(SilhouetteTest, testing::DeviceTypes, testing::DeviceTypeNames);

TYPED_TEST(SilhouetteTest, ValuesByHand) {
  using T = typename TypeParam::Value;
  const Matrix<T> X{{0}, {1}, {10}, {11}};
  const auto s = this->samples(X, {0, 0, 1, 1});
  EXPECT_DOUBLE_EQ(s[0], 9.5 / 10.5);
  EXPECT_DOUBLE_EQ(s[1], 8.5 / 9.5);
  EXPECT_DOUBLE_EQ(s[2], 8.5 / 9.5);
  EXPECT_DOUBLE_EQ(s[3], 9.5 / 10.5);
  EXPECT_DOUBLE_EQ(this->score(X, {0, 0, 1, 1}), (9.5 / 10.5 + 8.5 / 9.5) / 2);
  // the wrong grouping is negative: a = 10, b = (1 + 11) / 2 for row 0
  EXPECT_DOUBLE_EQ(this->samples(X, {0, 1, 0, 1})[0], (6.0 - 10.0) / 10.0);
}

TYPED_TEST(SilhouetteTest, LoneRowsAndCoincidentRowsAreZero) {
  using T = typename TypeParam::Value;
  const auto lone = this->samples(Matrix<T>{{0}, {1}, {50}}, {0, 0, 1});
  EXPECT_DOUBLE_EQ(lone[0], 49.0 / 50.0);
  EXPECT_EQ(lone[2], 0.0);
  EXPECT_EQ(this->samples(Matrix<T>{{3}, {3}, {3}, {3}}, {0, 0, 1, 1}), std::vector<double>(4, 0.0));
}

TYPED_TEST(SilhouetteTest, AnyInt32IsALabel) {
  using T = typename TypeParam::Value;
  const Matrix<T> X{{0}, {1}, {10}, {11}};
  constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(this->samples(X, {-1, -1, low, low}), this->samples(X, {0, 0, 1, 1}));
}

TYPED_TEST(SilhouetteTest, AgreesWithTheTwin) {
  using T = typename TypeParam::Value;
  for (const std::int64_t rows : {3, 31, 32, 33, 65, 257})
    for (const std::int64_t columns : {1, 3, 33, 128})
      for (const int clusters : {2, 7}) {
        if (clusters >= rows) continue;
        const Matrix<T> X = testing::random_matrix<T>(rows, columns, 21, 4.0);
        const Labels labels = this->some_labels(rows, clusters);
        const auto s = this->samples(X, labels);
        const auto truth = metrics::reference::silhouette_samples<T>(X.view(), labels);
        ASSERT_EQ(s.size(), truth.size());
        for (std::size_t i = 0; i < truth.size(); ++i)
          EXPECT_NEAR(s[i], truth[i], tolerance) << rows << " x " << columns << ", row " << i;
      }
}

TYPED_TEST(SilhouetteTest, AgreesWithTheTwinOnOffsetData) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = testing::random_matrix<T>(300, 4, 22, 1e6);
  const Labels labels = this->some_labels(300, 4);
  const auto s = this->samples(X, labels);
  const auto truth = metrics::reference::silhouette_samples<T>(X.view(), labels);
  for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(s[i], truth[i], tolerance);
}

TYPED_TEST(SilhouetteTest, AgreesWithScikitLearn) {
  using T = typename TypeParam::Value;
  namespace recorded = testing::scikit_learn;  // its points are exact in float
  Matrix<T> X(24, 3);
  for (std::size_t i = 0; i < recorded::points.size(); ++i) X.data()[i] = static_cast<T>(recorded::points[i]);
  const auto s = this->samples(X, recorded::labels);
  // scikit-learn expands (x - y)^2; squares here are below 256, distances at least 0.25: an error of 1e3 eps each
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(s[i], recorded::silhouettes[i], 1e3 * 2.3e-16);
  EXPECT_NEAR(this->score(X, recorded::labels), recorded::silhouette, 1e3 * 2.3e-16);
}

TYPED_TEST(SilhouetteTest, SameBitsOnEveryDeviceWithAnyThreads) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = testing::random_matrix<T>(1000, 19, 23);
  const Labels labels = this->some_labels(1000, 5);
  const Vector<std::int32_t> host_labels(labels);
  const Matrix<T> one_thread = X.to(Device::cpu(1));
  const auto expected = silhouette_samples(one_thread, host_labels).to_std();
  const Matrix<T> on_device = X.to(this->device().is_cpu() ? Device::cpu(3) : this->device());
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(silhouette_samples(on_device, host_labels).to_std(), expected);
  EXPECT_EQ(silhouette_score(on_device, host_labels), silhouette_score(one_thread, host_labels));
}

TYPED_TEST(SilhouetteTest, UnitsDoNotMatter) {
  using T = typename TypeParam::Value;
  const Labels labels = this->some_labels(100, 3);
  const Matrix<T> X = testing::random_matrix<T>(100, 3, 24);
  const auto expected = this->samples(X, labels);
  const std::vector<int> exponents =
      sizeof(T) == sizeof(float) ? std::vector<int>{100, -100} : std::vector<int>{900, -900};
  for (const int exponent : exponents) {
    Matrix<T> scaled = X.clone();
    for (std::int64_t i = 0; i < 300; ++i) scaled.data()[i] = std::ldexp(scaled.data()[i], exponent);
    EXPECT_EQ(this->samples(scaled, labels), expected) << exponent;
  }
}

TYPED_TEST(SilhouetteTest, C29_AnyLayoutGivesTheSameBits) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 60;
  constexpr std::int64_t d = 3;
  const Matrix<T> X = testing::random_matrix<T>(n, d, 25);
  const Labels labels = this->some_labels(n, 4);
  Matrix<T> by_columns(d, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < d; ++j) by_columns(j, i) = X(i, j);
  const Matrix<T> A = by_columns.to(this->device());
  const MatrixView<const T> view(A.data(), n, d, 1, n, A.device());
  EXPECT_EQ(silhouette_samples(view, Vector<std::int32_t>(labels)).to_std(), this->samples(X, labels));
}

TYPED_TEST(SilhouetteTest, NotFiniteValuesAreNamed) {
  using T = typename TypeParam::Value;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    Matrix<T> X = testing::random_matrix<T>(40, 3, 26);
    X(17, 1) = bad;
    X(30, 0) = bad;
    try {
      (void)this->score(X, this->some_labels(40, 3));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("row 17, column 1"));
    }
  }
}

TYPED_TEST(SilhouetteTest, BadLabelsAndShapesAreErrors) {
  using T = typename TypeParam::Value;
  const Matrix<T> X{{0}, {1}, {2}};
  EXPECT_THROW((void)this->score(X, {0, 0, 0}), InvalidArgument);
  EXPECT_THROW((void)this->score(X, {0, 1, 2}), InvalidArgument);
  EXPECT_THROW((void)this->score(X, {0, 1}), ShapeMismatch);
  EXPECT_THROW((void)this->score(Matrix<T>(0, 1), {}), InvalidArgument);
  EXPECT_THROW((void)this->score(Matrix<T>(3, 0), {0, 0, 1}), InvalidArgument);
}

TYPED_TEST(SilhouetteTest, WorkspaceLimitIsObeyedOrRefused) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = testing::random_matrix<T>(64, 2, 27).to(this->device());
  const Vector<std::int32_t> labels(this->some_labels(64, 2));
  constexpr std::int64_t copy_in_float64 = 64 * 2 * 8;
  const Device too_little = this->device().with_workspace_limit(copy_in_float64 - 1);
  EXPECT_THROW((void)silhouette_score(MatrixView<const T>(X.data(), 64, 2, too_little), labels), OutOfMemory);
  const Device enough = this->device().with_workspace_limit(16 * copy_in_float64);
  EXPECT_EQ(silhouette_score(MatrixView<const T>(X.data(), 64, 2, enough), labels), silhouette_score(X, labels));
}

}  // namespace
}  // namespace tilelearn
