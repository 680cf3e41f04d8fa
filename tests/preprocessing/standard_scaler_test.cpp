// StandardScaler: values by hand, against the plain twin and scikit-learn, hard columns, layouts, errors.
#include <tilelearn/standard_scaler.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "preprocessing/scikit_learn_values.hpp"
#include "preprocessing/standard_scaler_reference.hpp"
#include "support/device_test.hpp"
#include "support/generators.hpp"

namespace tilelearn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Relative; chunks add 256 rows one after the other, which may lose half an ulp each time, and the trees, differences
/// and squares a few more.
constexpr double sum_tolerance = (128 + 22) * std::numeric_limits<double>::epsilon();

template <typename I>
class StandardScalerTest : public testing::DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  [[nodiscard]] Matrix<Value> put(const Matrix<Value>& X) const { return X.to(this->device()); }

  /// One column on the device.
  [[nodiscard]] Matrix<Value> column(const std::vector<double>& values) const {
    Matrix<Value> X(static_cast<std::int64_t>(values.size()), 1);
    for (std::size_t i = 0; i < values.size(); ++i) X.data()[i] = static_cast<Value>(values[i]);
    return put(X);
  }

  [[nodiscard]] Vector<Value> vector(const std::vector<double>& values) const {
    return Vector<Value>(std::vector<Value>(values.begin(), values.end())).to(this->device());
  }

  [[nodiscard]] static std::vector<Value> elements(const Matrix<Value>& X) {
    const Matrix<Value> host = X.to(Device::cpu());
    return {host.data(), host.data() + host.rows() * host.columns()};
  }

  template <typename Function>
  static void expect_text(Function function, const std::string& text) {
    try {
      function();
      ADD_FAILURE() << "nothing was thrown; expected: " << text;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  }
};
TYPED_TEST_SUITE(StandardScalerTest, testing::DeviceTypes, testing::DeviceTypeNames);

/// For what only float64 data can show.
template <typename I>
class StandardScalerDoubleTest : public StandardScalerTest<I> {};

using DoubleTypes =
    ::testing::Types<testing::Instance<double, DeviceKind::cpu>, testing::Instance<double, DeviceKind::cuda>>;
TYPED_TEST_SUITE(StandardScalerDoubleTest, DoubleTypes, testing::DeviceTypeNames);

TYPED_TEST(StandardScalerTest, ValuesByHand) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{1, 10}, {2, 20}, {3, 10}, {6, 40}});
  StandardScaler<T> scaler;
  const Matrix<T> Z = scaler.fit_transform(X);
  EXPECT_THAT(scaler.mean(), ElementsAre(3.0, 20.0));
  EXPECT_THAT(scaler.variance(), ElementsAre(3.5, 150.0));
  EXPECT_THAT(scaler.scale(), ElementsAre(std::sqrt(3.5), std::sqrt(150.0)));
  EXPECT_EQ(scaler.n_features_in(), 2);
  EXPECT_TRUE(scaler.warnings().empty());
  EXPECT_EQ(Z.device(), this->device());
  const Matrix<T> host = Z.to(Device::cpu());
  EXPECT_EQ(host(0, 0), static_cast<T>(-2.0 / std::sqrt(3.5)));
  EXPECT_EQ(host(3, 1), static_cast<T>(20.0 / std::sqrt(150.0)));
}

TYPED_TEST(StandardScalerTest, OptionsLeaveOutMeanOrScale) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{1}, {3}, {8}});
  StandardScaler<T> centered({.with_std = false});
  EXPECT_EQ(this->elements(centered.fit_transform(X)), (std::vector<T>{-3, -1, 4}));
  EXPECT_THAT(centered.scale(), ElementsAre(1.0));
  StandardScaler<T> scaled({.with_mean = false});
  const Matrix<T> Z = scaled.fit_transform(X);
  const double deviation = std::sqrt(26.0 / 3.0);
  EXPECT_DOUBLE_EQ(scaled.scale()[0], deviation);
  EXPECT_EQ(this->elements(Z)[2], static_cast<T>(8.0 / scaled.scale()[0]));
}

TYPED_TEST(StandardScalerTest, TakesGivenStatistics) {
  using T = typename TypeParam::Value;
  const auto scaler = StandardScaler<T>::from_statistics({0.0, 10.0}, {4.0, 0.5});
  EXPECT_EQ(scaler.n_features_in(), 2);
  EXPECT_THAT(scaler.variance(), ElementsAre(16.0, 0.25));
  EXPECT_THAT(this->elements(scaler.transform(this->put(Matrix<T>{{8, 11}, {-1, 10}}))), ElementsAre(2, 2, -0.25, 0));
  EXPECT_THAT(this->elements(scaler.inverse_transform(this->put(Matrix<T>{{2, 2}}))), ElementsAre(8, 11));
}

TYPED_TEST(StandardScalerTest, DegreesBecomeRadiansRoundedOnce) {
  using T = typename TypeParam::Value;
  const double degrees = 180.0 / std::acos(-1.0);
  const auto scaler = StandardScaler<T>::from_statistics({0.0}, {degrees});
  const std::vector<T> radians = this->elements(scaler.transform(this->column({90.0, -180.0, 181.625})));
  EXPECT_THAT(radians, ElementsAre(static_cast<T>(90.0 / degrees), static_cast<T>(-180.0 / degrees),
                                   static_cast<T>(181.625 / degrees)));
  EXPECT_EQ(radians[1], static_cast<T>(-std::acos(-1.0)));
}

TYPED_TEST(StandardScalerTest, StatisticsThatNoFitGivesAreErrors) {
  using Scaler = StandardScaler<typename TypeParam::Value>;
  this->expect_text([] { (void)Scaler::from_statistics({}, {}); }, "no columns");
  this->expect_text([] { (void)Scaler::from_statistics({0.0, infinity}, {1.0, 1.0}); }, "mean of column 1 is inf");
  this->expect_text([] { (void)Scaler::from_statistics({0.0}, {infinity}); }, "scale of column 0 is inf");
  this->expect_text([] { (void)Scaler::from_statistics({0.0}, {0.0}); }, "scale of column 0 is 0");
  this->expect_text([] { (void)Scaler::from_statistics({0.0}, {std::nan("")}); }, "scale of column 0 is nan");
  EXPECT_THROW((void)Scaler::from_statistics({0.0}, {1.0, 2.0}), ShapeMismatch);
}

TYPED_TEST(StandardScalerTest, AgreesWithTheTwinOnSizesAroundAWarpAndAChunk) {
  using T = typename TypeParam::Value;
  for (const std::int64_t rows : {1, 2, 31, 32, 33, 257, 1000})
    for (const std::int64_t columns : {1, 3, 33, 128}) {
      const Matrix<T> host = testing::random_matrix<T>(rows, columns, 11, 3.0);
      StandardScaler<T> scaler;
      scaler.fit(this->put(host));
      const auto truth = standard_scaler::reference::moments<T>(host.view());
      for (std::size_t j = 0; j < truth.mean.size(); ++j) {
        EXPECT_DOUBLE_EQ(scaler.mean()[j], truth.mean[j]);
        EXPECT_NEAR(scaler.variance()[j], truth.variance[j], sum_tolerance * truth.variance[j]);
      }
    }
}

TYPED_TEST(StandardScalerTest, AgreesWithTheTwinOnWeightedRows) {
  using T = typename TypeParam::Value;
  const Matrix<T> host = testing::random_matrix<T>(1000, 5, 12, -7.0);
  const Matrix<T> weights = testing::random_matrix<T>(1000, 1, 13, 1.0);
  const VectorView<const T> w(weights.data(), 1000);
  const Vector<T> device_weights = copy_to(w, this->device());
  StandardScaler<T> scaler;
  scaler.fit(this->put(host), {.sample_weight = device_weights});
  const auto truth = standard_scaler::reference::moments<T>(host.view(), w);
  for (std::size_t j = 0; j < truth.mean.size(); ++j) {
    EXPECT_DOUBLE_EQ(scaler.mean()[j], truth.mean[j]);
    EXPECT_NEAR(scaler.variance()[j], truth.variance[j], sum_tolerance * truth.variance[j]);
  }
}

/// Two levels of the tree of sums, odd tails, several threads: the bits of the CPU with one thread.
TYPED_TEST(StandardScalerTest, SameBitsOnEveryDeviceWithAnyThreads) {
  using T = typename TypeParam::Value;
  const Matrix<T> host = testing::random_matrix<T>(70001, 3, 14, 1e3);
  const Matrix<T> weights = testing::random_matrix<T>(70001, 1, 15, 1.0);
  const Vector<T> host_weights = copy_to(VectorView<const T>(weights.data(), 70001), Device::cpu());
  StandardScaler<T> expected;
  const Device one = Device::cpu(1);
  const Matrix<T> expected_rows = expected.fit_transform(host.to(one), {.sample_weight = host_weights});
  const Device device = this->device().is_cpu() ? Device::cpu(3) : this->device();
  const Vector<T> device_weights = host_weights.to(device);
  StandardScaler<T> scaler;
  const Matrix<T> rows = scaler.fit_transform(host.to(device), {.sample_weight = device_weights});
  EXPECT_EQ(scaler.mean(), expected.mean());
  EXPECT_EQ(scaler.variance(), expected.variance());
  EXPECT_EQ(scaler.scale(), expected.scale());
  EXPECT_EQ(this->elements(rows), this->elements(expected_rows));
  EXPECT_EQ(this->elements(scaler.inverse_transform(rows)), this->elements(expected.inverse_transform(expected_rows)));
}

TYPED_TEST(StandardScalerTest, LargeOffsetCostsNoAccuracy) {
  using T = typename TypeParam::Value;
  const double offset = sizeof(T) == sizeof(float) ? 1e6 : 1e9;  // both exact in T, neighbours too
  std::vector<double> values;
  for (int i = 0; i < 3000; ++i) values.push_back(offset + i % 3 - 1);
  StandardScaler<T> scaler;
  scaler.fit(this->column(values));
  EXPECT_EQ(scaler.mean()[0], offset);
  EXPECT_DOUBLE_EQ(scaler.variance()[0], 2.0 / 3.0);
}

/// The pilot row may be an outlier: the second pass is around the mean.
TYPED_TEST(StandardScalerTest, OutlierInTheFirstRowCostsNoAccuracy) {
  using T = typename TypeParam::Value;
  Matrix<T> X(4097, 1);
  for (std::int64_t i = 0; i < 4097; ++i) X(i, 0) = i == 0 ? T(1048576) : T(i % 2);
  StandardScaler<T> scaler;
  scaler.fit(this->put(X));
  const auto truth = standard_scaler::reference::moments<T>(std::as_const(X).view());
  EXPECT_DOUBLE_EQ(scaler.mean()[0], truth.mean[0]);
  EXPECT_NEAR(scaler.variance()[0], truth.variance[0], sum_tolerance * truth.variance[0]);
  Vector<T> weights(4097);
  for (std::int64_t i = 0; i < 4097; ++i) weights[i] = i == 0 ? T(1e-6) : T(1);
  const Vector<T> device_weights = weights.to(this->device());
  scaler.fit(this->put(X), {.sample_weight = device_weights});
  const auto weighted = standard_scaler::reference::moments<T>(std::as_const(X).view(), std::as_const(weights).view());
  EXPECT_NEAR(scaler.variance()[0], weighted.variance[0], sum_tolerance * weighted.variance[0]);
}

TYPED_TEST(StandardScalerTest, SquaresNeitherOverflowNorVanish) {
  using T = typename TypeParam::Value;
  const std::vector<int> exponents =
      sizeof(T) == sizeof(float) ? std::vector<int>{126, -147} : std::vector<int>{664, 1020, -664, -1030, -1072};
  for (const int exponent : exponents) {
    const T unit = std::ldexp(T(1), exponent);
    const Matrix<T> X = this->put(Matrix<T>{{unit}, {T(3) * unit}, {unit}, {T(3) * unit}});
    StandardScaler<T> scaler;
    const Matrix<T> Z = scaler.fit_transform(X);
    EXPECT_DOUBLE_EQ(scaler.mean()[0], 2.0 * static_cast<double>(unit));
    EXPECT_DOUBLE_EQ(scaler.scale()[0], static_cast<double>(unit));
    EXPECT_EQ(this->elements(Z), (std::vector<T>{-1, 1, -1, 1})) << exponent;
  }
}

/// Half the least double rounds to 0; the column is no constant all the same.
TYPED_TEST(StandardScalerTest, TheLeastDeviationIsNotTakenForAConstantColumn) {
  using T = typename TypeParam::Value;
  const T least = std::numeric_limits<T>::denorm_min();
  const Matrix<T> X = this->put(Matrix<T>{{0}, {least}});
  StandardScaler<T> scaler;
  scaler.fit(X);
  EXPECT_GT(scaler.scale()[0], 0.0);
  EXPECT_LE(scaler.scale()[0], static_cast<double>(least));
  EXPECT_TRUE(scaler.warnings().empty());
}

/// Sums of the first pass overflow, so it is taken again in scaled units.
TYPED_TEST(StandardScalerDoubleTest, SumsOfTheLargestDoublesStayFinite) {
  using T = typename TypeParam::Value;
  const double largest = std::numeric_limits<double>::max();
  std::vector<double> values;
  for (int i = 0; i < 600; ++i) values.push_back(i % 3 == 0 ? -largest : largest);
  StandardScaler<T> scaler;
  scaler.fit(this->column(values));
  EXPECT_DOUBLE_EQ(scaler.mean()[0], largest / 3.0);
  EXPECT_EQ(scaler.variance()[0], infinity);
  EXPECT_NEAR(scaler.scale()[0] / largest, std::sqrt(8.0 / 9.0), sum_tolerance);
}

TYPED_TEST(StandardScalerTest, ConstantColumnsAreNotScaledAndNamed) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{T(0.1), 1}, {T(0.1), 2}, {T(0.1), 4}});
  StandardScaler<T> scaler;
  const Matrix<T> Z = scaler.fit_transform(X);
  EXPECT_EQ(scaler.mean()[0], static_cast<double>(T(0.1)));
  EXPECT_EQ(scaler.variance()[0], 0.0);
  EXPECT_EQ(scaler.scale()[0], 1.0);
  ASSERT_EQ(scaler.warnings().size(), 1U);
  EXPECT_THAT(scaler.warnings()[0], HasSubstr("column 0"));
  const auto z = this->elements(Z);
  EXPECT_EQ(z[0], T(0));
  EXPECT_EQ(z[2], T(0));
}

/// Neighbouring numbers of T are no constant column, however large they are.
TYPED_TEST(StandardScalerTest, NearlyConstantColumnsAreScaled) {
  using T = typename TypeParam::Value;
  const T low = T(1000);
  const T high = std::nextafter(low, T(2000));
  const Matrix<T> X = this->put(Matrix<T>{{low}, {high}});
  StandardScaler<T> scaler;
  scaler.fit(X);
  EXPECT_EQ(scaler.scale()[0], (static_cast<double>(high) - static_cast<double>(low)) / 2.0);
  EXPECT_TRUE(scaler.warnings().empty());
}

TYPED_TEST(StandardScalerTest, WeightsCountAsRepetitionsAndZeroAsNoRow) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{T(1e30)}, {1}, {4}, {T(-1e30)}});
  const Vector<T> weights = this->vector({0, 3, 1, 0});
  StandardScaler<T> weighted;
  weighted.fit(X, {.sample_weight = weights});
  EXPECT_EQ(weighted.mean()[0], 1.75);
  EXPECT_EQ(weighted.variance()[0], 1.6875);
}

TYPED_TEST(StandardScalerTest, ExtremeWeightsAreScaled) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{1}, {4}, {4}});
  for (const T weight : {std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()}) {
    const Vector<T> weights = Vector<T>{weight, weight, weight}.to(this->device());
    StandardScaler<T> scaler;
    scaler.fit(X, {.sample_weight = weights});
    EXPECT_DOUBLE_EQ(scaler.mean()[0], 3.0);
    EXPECT_DOUBLE_EQ(scaler.variance()[0], 2.0);
  }
}

TYPED_TEST(StandardScalerTest, InverseUndoesTransform) {
  using T = typename TypeParam::Value;
  const Matrix<T> host = testing::random_matrix<T>(257, 7, 16, 5.0);
  StandardScaler<T> scaler;
  const Matrix<T> back = scaler.inverse_transform(scaler.fit_transform(this->put(host)));
  const auto values = this->elements(back);
  for (std::int64_t i = 0; i < 257 * 7; ++i) {
    // One rounding to T each way; a deviation is below 1, a value below 6: half an ulp of 8 covers both.
    EXPECT_NEAR(values[static_cast<std::size_t>(i)], host.data()[i], 8 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(StandardScalerDoubleTest, AgreesWithScikitLearn) {
  using T = typename TypeParam::Value;
  namespace recorded = testing::scikit_learn;
  Matrix<T> X(5, 3);
  for (std::size_t i = 0; i < recorded::table.size(); ++i) X.data()[i] = static_cast<T>(recorded::table[i]);
  const auto expect_near = [](const auto& values, const std::vector<double>& truth) {
    ASSERT_EQ(values.size(), truth.size());
    // Column 2 has mean 1000 and deviation 1: scikit-learn's own roundings there are 1000 eps.
    for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(values[i], truth[i], 2e-13 * (1 + std::fabs(truth[i])));
  };
  StandardScaler<T> plain;
  const auto z = this->elements(plain.fit_transform(this->put(X)));
  expect_near(plain.mean(), recorded::plain_mean);
  expect_near(plain.variance(), recorded::plain_variance);
  expect_near(plain.scale(), recorded::plain_scale);
  expect_near(z, recorded::plain_transformed);
  StandardScaler<T> weighted;
  const Vector<T> weights = this->vector(recorded::weights);
  const auto zw = this->elements(weighted.fit_transform(this->put(X), {.sample_weight = weights}));
  expect_near(weighted.mean(), recorded::weighted_mean);
  expect_near(weighted.variance(), recorded::weighted_variance);
  expect_near(zw, recorded::weighted_transformed);
}

TYPED_TEST(StandardScalerTest, C29_AnyLayoutGivesTheSameBits) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 300;
  constexpr std::int64_t d = 5;
  const Matrix<T> host = testing::random_matrix<T>(n, d, 17);
  Matrix<T> by_columns(d, n);
  Matrix<T> every_second(2 * n, d);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < d; ++j) {
      by_columns(j, i) = host(i, j);
      every_second(2 * i, j) = host(i, j);
      every_second(2 * i + 1, j) = std::numeric_limits<T>::quiet_NaN();  // never read
    }
  const Matrix<T> X = this->put(host);
  const Matrix<T> A = this->put(by_columns);
  const Matrix<T> B = this->put(every_second);
  StandardScaler<T> expected;
  const auto rows = this->elements(expected.fit_transform(X));
  for (const MatrixView<const T>& view : {MatrixView<const T>(A.data(), n, d, 1, n, A.device()),
                                          MatrixView<const T>(B.data(), n, d, 2 * d, 1, B.device())}) {
    StandardScaler<T> scaler;
    EXPECT_EQ(this->elements(scaler.fit_transform(view)), rows);
    EXPECT_EQ(scaler.mean(), expected.mean());
    EXPECT_EQ(scaler.variance(), expected.variance());
  }
}

TYPED_TEST(StandardScalerTest, NotFiniteValuesAreNamed) {
  using T = typename TypeParam::Value;
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
    Matrix<T> host = testing::random_matrix<T>(600, 4, 18);
    const Matrix<T> good = this->put(host);
    host(571, 2) = static_cast<T>(bad);
    host(599, 0) = static_cast<T>(bad);
    const Matrix<T> X = this->put(host);
    StandardScaler<T> scaler;
    this->expect_text([&] { scaler.fit(X); }, "row 571, column 2");
    EXPECT_THROW((void)scaler.mean(), NotFitted);
    scaler.fit(good);
    this->expect_text([&] { (void)scaler.transform(X); }, "row 571, column 2");
    this->expect_text([&] { (void)scaler.inverse_transform(X); }, "row 571, column 2");
  }
}

TYPED_TEST(StandardScalerTest, NotFiniteValuesInTheFirstRowOrUnderWeightZeroAreNamed) {
  using T = typename TypeParam::Value;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T inf = std::numeric_limits<T>::infinity();
  StandardScaler<T> scaler;
  const Matrix<T> first = this->put(Matrix<T>{{0, inf}, {1, 1}});
  this->expect_text([&] { scaler.fit(first); }, "row 0, column 1");
  const Vector<T> weights = this->vector({1, 0, 1});
  for (const T bad : {nan, inf}) {
    const Matrix<T> hidden = this->put(Matrix<T>{{1}, {bad}, {2}});
    this->expect_text([&] { scaler.fit(hidden, {.sample_weight = weights}); }, "row 1, column 0");
  }
}

TYPED_TEST(StandardScalerTest, BadWeightsAreErrors) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(Matrix<T>{{1}, {2}, {3}});
  StandardScaler<T> scaler;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, infinity}) {
    const Vector<T> weights = this->vector({1, 1, bad});
    this->expect_text([&] { scaler.fit(X, {.sample_weight = weights}); }, "weight of row 2");
  }
  const Vector<T> zeros = this->vector({0, 0, 0});
  this->expect_text([&] { scaler.fit(X, {.sample_weight = zeros}); }, "all 3 weights are zero");
  const Vector<T> short_weights = this->vector({1, 1});
  EXPECT_THROW(scaler.fit(X, {.sample_weight = short_weights}), ShapeMismatch);
}

TYPED_TEST(StandardScalerTest, BadShapesAreErrors) {
  using T = typename TypeParam::Value;
  StandardScaler<T> scaler;
  EXPECT_THROW(scaler.fit(Matrix<T>(0, 3, this->device())), InvalidArgument);
  EXPECT_THROW(scaler.fit(Matrix<T>(3, 0, this->device())), InvalidArgument);
  const Matrix<T> X = this->put(Matrix<T>{{1, 2}, {3, 4}});
  EXPECT_THROW((void)scaler.transform(X), NotFitted);
  EXPECT_THROW((void)scaler.inverse_transform(X), NotFitted);
  EXPECT_THROW((void)scaler.n_features_in(), NotFitted);
  scaler.fit(X);
  const Matrix<T> three = this->put(Matrix<T>{{1, 2, 3}});
  EXPECT_THROW((void)scaler.transform(three), ShapeMismatch);
  EXPECT_EQ(scaler.transform(Matrix<T>(0, 2, this->device())).rows(), 0);
}

TYPED_TEST(StandardScalerTest, WorkspaceLimitIsObeyedOrRefused) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = this->put(testing::random_matrix<T>(1000, 2, 19));
  constexpr std::int64_t partial_sums = 4 * (3 * 2 + 1) * 8;  // 4 chunks, 2 columns
  const Device enough = this->device().with_workspace_limit(2 * partial_sums);
  const Device too_little = this->device().with_workspace_limit(partial_sums - 1);
  StandardScaler<T> scaler;
  EXPECT_NO_THROW(scaler.fit(MatrixView<const T>(X.data(), 1000, 2, enough)));
  EXPECT_THROW(scaler.fit(MatrixView<const T>(X.data(), 1000, 2, too_little)), OutOfMemory);
}

TYPED_TEST(StandardScalerTest, FittedOnOneDeviceTransformsOnAnother) {
  using T = typename TypeParam::Value;
  const Matrix<T> host = testing::random_matrix<T>(100, 3, 20);
  StandardScaler<T> scaler;
  const Matrix<T> on_device = scaler.fit_transform(this->put(host));
  EXPECT_EQ(this->elements(scaler.transform(host)), this->elements(on_device));
}

}  // namespace
}  // namespace tilelearn
