// The same bits for every layout, number of threads, workspace limit and device; exact labels of a million rows.
#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename T>
void expect_same(const KMeans<T>& a, const KMeans<T>& b) {
  EXPECT_EQ(to_rows(a.cluster_centers().to(Device::cpu())), to_rows(b.cluster_centers().to(Device::cpu())));
  EXPECT_EQ(a.labels().to_std(), b.labels().to_std());
  EXPECT_EQ(a.inertia(), b.inertia());
  EXPECT_EQ(a.n_iter(), b.n_iter());
}

template <typename I>
class KMeansDevices : public KMeansTest<I> {
 protected:
  using Value = typename I::Value;

  /// Fits a view of memory on the device that holds X in some layout.
  void expect_same_in_layout(const Matrix<Value>& X, const Matrix<Value>& memory, std::int64_t first,
                             std::int64_t row_stride, std::int64_t column_stride) const {
    const KMeansOptions options{.n_clusters = 6, .seed = 5};
    const KMeans<Value> packed = fit_on(this->device(), Given<Value>{X.clone(), options});
    const Matrix<Value> here = memory.to(this->device());
    const MatrixView<const Value> view(here.data() + first, X.rows(), X.columns(), row_stride, column_stride,
                                       this->device());
    KMeans<Value> model(options);
    model.fit(view);
    expect_same(model, packed);
    EXPECT_EQ(model.predict(view).to_std(), packed.labels().to_std());
    EXPECT_EQ(model.score(view), -packed.inertia());
  }
};
TYPED_TEST_SUITE(KMeansDevices, DeviceTypes, DeviceTypeNames);

TYPED_TEST(KMeansDevices, ColumnMajor) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(257, 5, 1);
  Matrix<T> memory(5, 257);
  for (std::int64_t i = 0; i < 257; ++i)
    for (std::int64_t j = 0; j < 5; ++j) memory(j, i) = X(i, j);
  this->expect_same_in_layout(X, memory, 0, 1, 257);
}

TYPED_TEST(KMeansDevices, EverySecondRowOfWiderRows) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(257, 5, 2);
  Matrix<T> memory = normal_matrix<T>(2 * 257, 8, 3);
  for (std::int64_t i = 0; i < 257; ++i)
    for (std::int64_t j = 0; j < 5; ++j) memory(2 * i, j + 1) = X(i, j);
  this->expect_same_in_layout(X, memory, 1, 16, 1);
}

TYPED_TEST(KMeansDevices, RowsBackwards) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(257, 5, 4);
  Matrix<T> memory(257, 5);
  for (std::int64_t i = 0; i < 257; ++i)
    for (std::int64_t j = 0; j < 5; ++j) memory(256 - i, j) = X(i, j);
  this->expect_same_in_layout(X, memory, 256 * 5, -5, 1);
}

TYPED_TEST(KMeansDevices, StridedWeightsAndCenters) {
  using T = typename TypeParam::Value;
  Given<T> given{
      normal_matrix<T>(100, 2, 5), {.n_clusters = 3}, weight_vector<T>(100, 6), Matrix<T>{{0, 0}, {1, 0}, {0, 1}}};
  const KMeans<T> packed = this->fit(given);
  Matrix<T> weights(100, 3);
  for (std::int64_t i = 0; i < 100; ++i)
    for (std::int64_t j = 0; j < 3; ++j) weights(i, j) = j == 1 ? (*given.weights)[i] : T(-7);
  const Matrix<T> transposed{{0, 1, 0}, {0, 0, 1}};
  const Matrix<T> weights_here = weights.to(this->device());
  const Matrix<T> centers_here = transposed.to(this->device());
  const Matrix<T> X = given.X.to(this->device());
  KMeansFitArguments<T> arguments;
  arguments.sample_weight = VectorView<const T>(weights_here.data() + 1, 100, this->device(), 3);
  arguments.init_centers = MatrixView<const T>(centers_here.data(), 3, 2, 1, 3, this->device());
  KMeans<T> model(given.options);
  model.fit(X, arguments);
  expect_same(model, packed);
  EXPECT_EQ(model.score(X, arguments.sample_weight), -packed.inertia());
}

TYPED_TEST(KMeansDevices, InputsStayAsTheyWere) {
  using T = typename TypeParam::Value;
  const Matrix<T> original = normal_matrix<T>(300, 4, 7, 1e3);
  const Matrix<T> X = original.to(this->device());
  KMeans<T> model({.n_clusters = 5});
  model.fit(X);
  (void)model.transform(X);
  EXPECT_EQ(to_rows(X.to(Device::cpu())), to_rows(original));
}

TYPED_TEST(KMeansDevices, TwoRunsGiveTheSameBits) {
  using T = typename TypeParam::Value;
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random}) {
    const Given<T> given{normal_matrix<T>(3000, 7, 8), {.n_clusters = 20, .init = init, .max_iter = 20}};
    expect_same(this->fit(given), this->fit(given));
  }
}

TYPED_TEST(KMeansDevices, SeedsDiffer) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(500, 2, 9);
  const KMeans<T> a = this->fit({X.clone(), {.n_clusters = 10, .seed = 1}});
  const KMeans<T> b = this->fit({X.clone(), {.n_clusters = 10, .seed = 2}});
  EXPECT_NE(a.inertia(), b.inertia());
}

TYPED_TEST(KMeansDevices, ModelOfOneDeviceServesTheOther) {
  using T = typename TypeParam::Value;
  const Given<T> given{normal_matrix<T>(500, 3, 10), {.n_clusters = 7}};
  const KMeans<T> model = this->fit(given);
  EXPECT_EQ(model.predict(given.X).to_std(), model.labels().to_std());
  EXPECT_EQ(model.score(given.X), -model.inertia());
  const KMeans<T> on_cpu = fit_on(Device::cpu(), given);
  expect_same(on_cpu, model);
  const Matrix<T> X = given.X.to(this->device());
  EXPECT_EQ(on_cpu.predict(X).to_std(), model.labels().to_std());
  EXPECT_EQ(to_rows(on_cpu.transform(X).to(Device::cpu())), to_rows(on_cpu.transform(given.X)));
}

TYPED_TEST(KMeansDevices, WorkspaceLimitIsObeyedOrRefused) {
  using T = typename TypeParam::Value;
  const Given<T> given{normal_matrix<T>(2000, 6, 11), {.n_clusters = 9}};
  const KMeans<T> free_of_limits = this->fit(given);
  const auto fits_within = [&](std::int64_t bytes) {
    try {
      expect_same(fit_on(this->device().with_workspace_limit(bytes), given), free_of_limits);
      return true;
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.asked_bytes(), 0);
      return false;
    }
  };
  EXPECT_FALSE(fits_within(0));
  std::int64_t refused = 0;
  std::int64_t accepted = 1 << 26;
  ASSERT_TRUE(fits_within(accepted));
  while (accepted - refused > 1) {
    const std::int64_t middle = refused + (accepted - refused) / 2;
    (fits_within(middle) ? accepted : refused) = middle;
  }
  // O(n + k d), never n k: 2000 x 9 doubles would be 144000 bytes
  EXPECT_LT(accepted, 1 << 20);
}

TYPED_TEST(KMeansDevices, EveryLabelOfAMillionRowsIsExact) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 1000000;
  for (const double offset : {0.0, 1e6}) {
    SCOPED_TRACE(offset);
    const Matrix<T> X = random_matrix<T>(n, 8, 12, offset);
    Given<T> given{X.clone(), {.n_clusters = 32, .max_iter = 3}};
    given.init = random_matrix<T>(32, 8, 13, offset);
    const KMeans<T> model = this->fit(given);
    EXPECT_EQ(first_wrong_label(X, model.cluster_centers().to(Device::cpu()), model.labels().to_std()), -1);
  }
}

TYPED_TEST(KMeansDevices, RowsAHairFromTheMiddleOfTwoCentersAreExact) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 20000;
  constexpr std::int32_t k = 24;
  for (const std::int64_t d : {1, 8, 130}) {
    for (const double offset : {0.0, 1e3}) {
      SCOPED_TRACE(::testing::Message() << d << " columns, offset " << offset);
      const KMeans<T> model = this->fit({random_matrix<T>(k, d, 16, offset), {.n_clusters = k, .max_iter = 1}});
      const Matrix<T> centers = model.cluster_centers().to(Device::cpu());
      Matrix<T> X(n, d);
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < d; ++j) {
          const T middle = (centers(i % k, j) + centers((i / k) % k, j)) / 2;
          const double where = uniform(17, i * d + j);
          X(i, j) = where < 0.4 ? middle : std::nextafter(middle, where < 0.7 ? T(-1e9) : T(1e9));
        }
      EXPECT_EQ(first_wrong_label(X, centers, model.predict(X.to(this->device())).to_std()), -1);
    }
  }
}

template <typename T>
class KMeansThreads : public ::testing::Test {};
TYPED_TEST_SUITE(KMeansThreads, ValueTypes, ValueTypeNames);

TYPED_TEST(KMeansThreads, NeverChangeABit) {
  // large enough that every parallel loop has work for three threads
  for (const KMeansInit init : {KMeansInit::k_means_plus_plus, KMeansInit::k_means_parallel, KMeansInit::random}) {
    Given<TypeParam> given{normal_matrix<TypeParam>(200000, 3, 14),
                           {.n_clusters = 12, .init = init, .n_init = 1, .max_iter = 5}};
    given.weights = weight_vector<TypeParam>(200000, 15, true);
    const KMeans<TypeParam> one = fit_on(Device::cpu(1), given);
    for (const int threads : {2, 3}) expect_same(fit_on(Device::cpu(threads), given), one);
  }
}

}  // namespace
}  // namespace tilelearn::testing
