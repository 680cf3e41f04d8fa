// Hard inputs K01 to K29: what broke other libraries, each with the answer that is right.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class KMeansCases : public KMeansTest<I> {};
TYPED_TEST_SUITE(KMeansCases, DeviceTypes, DeviceTypeNames);

/// Cases that are about float32, or too large for more than one type.
template <typename I>
class KMeansFloatCases : public KMeansTest<I> {};
using FloatDevices = ::testing::Types<Instance<float, DeviceKind::cpu>, Instance<float, DeviceKind::cuda>>;
TYPED_TEST_SUITE(KMeansFloatCases, FloatDevices, DeviceTypeNames);

constexpr KMeansInit every_init[] = {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random};

template <typename T>
Vector<T> vector(std::initializer_list<double> values) {
  Vector<T> result(static_cast<std::int64_t>(values.size()));
  std::transform(values.begin(), values.end(), result.data(), [](double value) { return static_cast<T>(value); });
  return result;
}

template <typename T>
std::vector<T> sorted_centers(const KMeans<T>& model) {
  const Matrix<T> centers = model.cluster_centers().to(Device::cpu());
  std::vector<T> result(centers.data(), centers.data() + centers.rows() * centers.columns());
  std::sort(result.begin(), result.end());
  return result;
}

template <typename T>
std::vector<std::int64_t> sizes(const KMeans<T>& model) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(model.cluster_centers().rows()));
  for (const std::int32_t label : model.labels().to_std()) ++result.at(static_cast<std::size_t>(label));
  return result;
}

TYPED_TEST(KMeansFloatCases, K01_SmallDistancesAreNotCancelled) {
  const KMeans<float> model = this->checked_fit({column<float>({-1.0001, -0.9999, 0.9999, 1.0001}), {.n_clusters = 2}});
  EXPECT_NEAR(model.inertia(), 4.001327624791884e-08, 1e-14);
  EXPECT_EQ(sorted_centers(model), (std::vector<float>{-1.0F, 1.0F}));
}

TYPED_TEST(KMeansFloatCases, K03_ManyEqualRowsAndOneUlp) {
  Matrix<float> X(100, 3);
  for (std::int64_t i = 0; i < 100; ++i) {
    X(i, 0) = 33790.367F + (i >= 95 ? 0.00390625F : 0.0F);
    X(i, 1) = 14420.832F;
    X(i, 2) = -2311.0F;
  }
  for (const KMeansInit init : every_init)
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const KMeans<float> model =
          this->checked_fit({X.clone(), {.n_clusters = 5, .init = init, .n_init = 1, .seed = seed}});
      const std::vector<std::int32_t> labels = model.labels().to_std();
      EXPECT_LE(std::set<std::int32_t>(labels.begin(), labels.end()).size(), 2U);
      EXPECT_EQ(model.inertia(), 0.0);
      ASSERT_EQ(model.warnings().size(), 1U);
    }
}

TYPED_TEST(KMeansCases, K05_LabelsAreFreshAfterRelocation) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit(
      {column<T>({1, 2, 3}), {.n_clusters = 3, .max_iter = 10, .tol = 0.0}, {}, column<T>({4, 0, 1})});
  EXPECT_EQ(model.inertia(), 0.0);
  EXPECT_EQ(sorted_centers(model), (std::vector<T>{1, 2, 3}));
  EXPECT_TRUE(model.converged());
  EXPECT_TRUE(model.warnings().empty());
}

TYPED_TEST(KMeansCases, K05_FewerDistinctRowsThanClustersEndAtOnce) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit({column<T>({0, 1, 2, 3, 4, 4}),
                                             {.n_clusters = 6, .tol = 0.0},
                                             {},
                                             column<T>({1000, 1001, 1002, 1003, 1004, 1005})});
  EXPECT_LE(model.n_iter(), 10);
  EXPECT_TRUE(model.converged());
  EXPECT_EQ(model.inertia(), 0.0);
  EXPECT_EQ(model.warnings().size(), 1U);
}

TYPED_TEST(KMeansCases, K07_FirstCentersFollowTheWeights) {
  using T = typename TypeParam::Value;
  for (const KMeansInit init : every_init) {
    const KMeans<T> model = this->checked_fit({column<T>({1, 1, 5, 5, 100, 100}),
                                               {.n_clusters = 2, .init = init, .n_init = 10},
                                               vector<T>({1e8, 1e8, 1e8, 1e8, 1e-8, 1e-8})});
    const std::vector<T> centers = sorted_centers(model);
    EXPECT_EQ(centers[0], T{1});
    // 5 + 95e-16, which float32 rounds to 5; float64 holds it to an ulp
    EXPECT_NEAR(static_cast<double>(centers[1]), sizeof(T) == sizeof(float) ? 5.0 : 5.00000000000001, 9e-16);
    EXPECT_NEAR(model.inertia(), 1.805e-4, 1e-10);
  }
}

TYPED_TEST(KMeansCases, K09_InertiaAndScoreAreWeighted) {
  using T = typename TypeParam::Value;
  const KMeans<T> model =
      this->checked_fit({column<T>({0, 2, 10}), {.n_clusters = 2, .n_init = 5}, vector<T>({3, 1, 2})});
  EXPECT_EQ(sorted_centers(model), (std::vector<T>{T(0.5), T{10}}));
  EXPECT_EQ(model.inertia(), 3.0);
  const Matrix<T> X = column<T>({0, 2, 10}).to(this->device());
  const Vector<T> weights = vector<T>({3, 1, 2}).to(this->device());
  EXPECT_EQ(model.score(X, weights.view()), -3.0);
  EXPECT_EQ(model.score(X), -2.5);
}

TYPED_TEST(KMeansCases, K11_MoreClustersThanDistinctRows) {
  using T = typename TypeParam::Value;
  const Matrix<T> X{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {5, 5}, {5, 5}, {5, 5}, {9, 1}, {9, 1}};
  for (const KMeansInit init : every_init) {
    const KMeans<T> model = this->checked_fit({X.clone(), {.n_clusters = 5, .init = init}});
    EXPECT_EQ(model.inertia(), 0.0);
    const std::vector<std::int32_t> labels = model.labels().to_std();
    EXPECT_EQ(std::set<std::int32_t>(labels.begin(), labels.end()).size(), 3U);
    EXPECT_TRUE(to_rows(model.cluster_centers().to(Device::cpu())).allFinite());
    ASSERT_EQ(model.warnings().size(), 1U);
    EXPECT_NE(model.warnings().front().find("3 distinct rows"), std::string::npos);
  }
}

TYPED_TEST(KMeansCases, K13_TooFewRowsOrColumns) {
  using T = typename TypeParam::Value;
  const auto fit = [this](std::int64_t n, std::int64_t d, std::int32_t k) {
    Matrix<T> X(n, d);
    std::fill_n(X.data(), n * d, T{1});
    this->fit({std::move(X), {.n_clusters = k}});
  };
  EXPECT_THROW(fit(2, 3, 8), InvalidArgument);
  EXPECT_THROW(fit(2, 3, 0), InvalidArgument);
  EXPECT_THROW(fit(2, 3, -1), InvalidArgument);
  EXPECT_THROW(fit(0, 3, 1), InvalidArgument);
  EXPECT_THROW(fit(2, 0, 1), InvalidArgument);
  EXPECT_NO_THROW(fit(2, 3, 2));
}

TYPED_TEST(KMeansFloatCases, K15_CountsBeyondFloatPrecision) {
  constexpr std::int64_t two_to_24 = 1 << 24;
  Matrix<float> ones(two_to_24 + (1 << 20), 1);
  std::fill_n(ones.data(), ones.rows(), 1.0F);
  const KMeans<float> all_equal = this->fit({std::move(ones), {.n_clusters = 1}});
  EXPECT_EQ(sorted_centers(all_equal), std::vector<float>{1.0F});
  EXPECT_EQ(all_equal.inertia(), 0.0);

  Matrix<float> alternating(2 * two_to_24, 1);
  for (std::int64_t i = 0; i < alternating.rows(); ++i) alternating.data()[i] = static_cast<float>(i % 2);
  const KMeans<float> halves = this->fit({std::move(alternating), {.n_clusters = 1}});
  EXPECT_EQ(sorted_centers(halves), std::vector<float>{0.5F});
  EXPECT_EQ(halves.inertia(), 8388608.0);
}

TYPED_TEST(KMeansCases, K17_ZeroToleranceConverges) {
  using T = typename TypeParam::Value;
  Matrix<T> X(200, 1);
  for (std::int64_t i = 0; i < 200; ++i) X(i, 0) = static_cast<T>(i);
  const KMeans<T> model =
      this->checked_fit({std::move(X), {.n_clusters = 8, .tol = 0.0}, {}, column<T>({0, 1, 2, 3, 4, 5, 6, 7})});
  EXPECT_EQ(model.n_iter(), 67);
  EXPECT_TRUE(model.converged());
  EXPECT_EQ(sizes(model), (std::vector<std::int64_t>{22, 23, 24, 25, 25, 26, 27, 28}));
  EXPECT_EQ(sorted_centers(model), (std::vector<T>{10.5, 33, 56.5, 81, 106, 131.5, 158, 185.5}));
  EXPECT_EQ(model.inertia(), 10575.0);
}

TYPED_TEST(KMeansCases, K19_LabelsBelongToTheCentersWhenStoppedEarly) {
  using T = typename TypeParam::Value;
  Matrix<T> X(500, 2);
  for (std::int64_t i = 0; i < 500; ++i) {
    X(i, 0) = static_cast<T>(std::fmod(static_cast<double>(i) * 0.618033988749895, 1.0));
    X(i, 1) = static_cast<T>(std::fmod(static_cast<double>(i) * 0.754877666246693, 1.0));
  }
  for (const std::int32_t max_iter : {1, 2, 3, 300}) {
    const KMeans<T> model = this->checked_fit({X.clone(), {.n_clusters = 7, .max_iter = max_iter}});
    EXPECT_LE(model.n_iter(), max_iter);
    EXPECT_GT(model.inertia(), 0.0);
    EXPECT_EQ(model.converged(), max_iter == 300);
  }
}

TYPED_TEST(KMeansCases, K21_SquaresThatOverflowOrVanish) {
  using T = typename TypeParam::Value;
  const bool single = sizeof(T) == sizeof(float);
  for (const double scale : single ? std::vector<double>{1e20, 1e-25} : std::vector<double>{1e160, 1e-170}) {
    SCOPED_TRACE(scale);
    const double outer = 1.1 * scale;
    const KMeans<T> model =
        this->fit({column<T>({-outer, -scale, scale, outer}), {.n_clusters = 2}, {}, column<T>({-outer, outer})});
    EXPECT_EQ(model.labels().to_std(), (std::vector<std::int32_t>{0, 0, 1, 1}));
    const std::vector<T> centers = sorted_centers(model);
    const double rounding = 4.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_NEAR(centers[0] / scale, -1.05, rounding);
    EXPECT_NEAR(centers[1] / scale, 1.05, rounding);
    const Matrix<T> X = column<T>({-outer, -scale, scale, outer}).to(this->device());
    EXPECT_EQ(model.predict(X).to_std(), model.labels().to_std());
    EXPECT_EQ(model.score(X), -model.inertia());
    // four times (0.05 scale)^2; what float64 cannot hold is infinite or zero, never NaN
    const double expected = 0.1 * scale * 0.1 * scale;
    if (single)
      EXPECT_NEAR(model.inertia() / expected, 1.0, 1e-5);
    else
      EXPECT_EQ(model.inertia(), expected);
  }
}

TYPED_TEST(KMeansCases, K21_FirstCentersFromExtremeValues) {
  using T = typename TypeParam::Value;
  for (const double scale :
       sizeof(T) == sizeof(float) ? std::vector<double>{3e38, 1e-44} : std::vector<double>{1.7e308, 1e-307})
    for (const KMeansInit init : every_init) {
      const KMeans<T> model =
          this->fit({column<T>({-scale, -0.5 * scale, scale, scale}), {.n_clusters = 3, .init = init, .n_init = 10}});
      const std::vector<std::int32_t> labels = model.labels().to_std();
      EXPECT_EQ(std::set<std::int32_t>(labels.begin(), labels.end()).size(), 3U);
      EXPECT_EQ(model.inertia(), 0.0);
    }
}

TYPED_TEST(KMeansCases, K23_NotANumberIsNamed) {
  using T = typename TypeParam::Value;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  for (const T bad : {nan, infinity, -infinity}) {
    try {
      this->fit({Matrix<T>{{0, 0}, {1, 1}, {2, bad}, {bad, 10}}, {.n_clusters = 2}});
      FAIL() << "no error for " << bad;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("row 2, column 1"), std::string::npos) << error.what();
    }
  }
}

TYPED_TEST(KMeansFloatCases, K25_MoreThanTwoToThe31Distances) {
  constexpr std::int64_t n = 4300800;
  constexpr std::int32_t k = 512;
  Matrix<float> X(n, 1);
  for (std::int64_t i = 0; i < n; ++i) X.data()[i] = static_cast<float>(i % k);
  Matrix<float> init(k, 1);
  for (std::int64_t c = 0; c < k; ++c) init(c, 0) = static_cast<float>(c);
  const KMeans<float> model = this->fit({std::move(X), {.n_clusters = k}, {}, std::move(init)});
  EXPECT_EQ(model.inertia(), 0.0);
  EXPECT_LE(model.n_iter(), 2);
  const std::vector<std::int32_t> labels = model.labels().to_std();
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(labels[static_cast<std::size_t>(i)], i % k);
}

TYPED_TEST(KMeansCases, K27_ManyDuplicatesSettle) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 100000;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Matrix<T> X(n, 1);
    for (std::int64_t i = 0; i < n; ++i) X(i, 0) = static_cast<T>(i * 7919 % 10);
    const KMeans<T> model = this->checked_fit({std::move(X), {.n_clusters = 10, .seed = seed}});
    EXPECT_EQ(model.inertia(), 0.0);
    EXPECT_LT(model.n_iter(), 5);
    EXPECT_EQ(sizes(model), std::vector<std::int64_t>(10, 10000));
  }
}

TYPED_TEST(KMeansCases, K29_EqualFirstCenters) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit({column<T>({5, 5, 5, 9}), {.n_clusters = 2}, {}, column<T>({5, 5})});
  EXPECT_EQ(model.inertia(), 0.0);
  EXPECT_EQ(sorted_centers(model), (std::vector<T>{5, 9}));
}

}  // namespace
}  // namespace tilelearn::testing
