// The same answer for every layout, number of threads, workspace limit, stream, regime and run.
#include <functional>

#include "dbscan/dbscan_test.hpp"
#include "support/cuda_stream.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANDevices : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// Fits a view of memory on the device that holds X in some layout.
  void expect_same_in_layout(const Matrix<Value>& X, const Matrix<Value>& memory, std::int64_t first,
                             std::int64_t row_stride, std::int64_t column_stride, double eps = 1.2) const {
    const DBSCANOptions options{.eps = eps, .min_samples = 4};
    const DBSCAN<Value> packed = this->fit({X.clone(), options});
    EXPECT_GT(packed.n_clusters(), 0);
    const Matrix<Value> here = memory.to(this->device());
    const MatrixView<const Value> view(here.data() + first, X.rows(), X.columns(), row_stride, column_stride,
                                       this->device());
    DBSCAN<Value> model(options);
    model.fit(view);
    expect_same(model, packed);
    EXPECT_EQ(model.predict(view).to_std(), packed.labels().to_std());
  }
};
TYPED_TEST_SUITE(DBSCANDevices, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANDevices, ColumnMajor) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 5}) {
    const Matrix<T> X = normal_matrix<T>(257, d, 1);
    Matrix<T> memory(d, 257);
    for (std::int64_t i = 0; i < 257; ++i)
      for (std::int64_t j = 0; j < d; ++j) memory(j, i) = X(i, j);
    this->expect_same_in_layout(X, memory, 0, 1, 257);
  }
}

TYPED_TEST(DBSCANDevices, EverySecondRowOfWiderRows) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 5}) {
    const Matrix<T> X = normal_matrix<T>(257, d, 2);
    Matrix<T> memory = normal_matrix<T>(2 * 257, 8, 3);
    for (std::int64_t i = 0; i < 257; ++i)
      for (std::int64_t j = 0; j < d; ++j) memory(2 * i, j + 1) = X(i, j);
    this->expect_same_in_layout(X, memory, 1, 16, 1);
  }
}

TYPED_TEST(DBSCANDevices, RowsBackwards) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(257, 3, 4);
  Matrix<T> memory(257, 3);
  for (std::int64_t i = 0; i < 257; ++i)
    for (std::int64_t j = 0; j < 3; ++j) memory(256 - i, j) = X(i, j);
  this->expect_same_in_layout(X, memory, 256 * 3, -3, 1);
}

TYPED_TEST(DBSCANDevices, OneRowAgainAndAgain) {
  using T = typename TypeParam::Value;
  const Matrix<T> memory = normal_matrix<T>(1, 5, 5);
  Matrix<T> X(40, 5);
  for (std::int64_t i = 0; i < 40; ++i) std::copy_n(memory.data(), 5, X.data() + i * 5);
  this->expect_same_in_layout(X, memory, 0, 0, 1);
}

TYPED_TEST(DBSCANDevices, StridedWeights) {
  using T = typename TypeParam::Value;
  Given<T> given{normal_matrix<T>(300, 2, 5), {.eps = 0.5, .min_samples = 4}, weight_vector<T>(300, 6)};
  const DBSCAN<T> packed = this->fit(given);
  Matrix<T> weights(300, 3);
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::int64_t j = 0; j < 3; ++j) weights(i, j) = j == 1 ? (*given.weights)[i] : T(-7);
  const Matrix<T> weights_here = weights.to(this->device());
  const Matrix<T> X = given.X.to(this->device());
  DBSCANFitArguments<T> arguments;
  arguments.sample_weight = VectorView<const T>(weights_here.data() + 1, 300, this->device(), 3);
  DBSCAN<T> model(given.options);
  model.fit(X, arguments);
  expect_same(model, packed);
}

TYPED_TEST(DBSCANDevices, RowsThatStartBetweenVectors) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 4, 16}) {
    const Matrix<T> X = normal_matrix<T>(300, d, 7);
    Matrix<T> memory(1, 300 * d + 1);
    std::copy_n(X.data(), 300 * d, memory.data() + 1);
    this->expect_same_in_layout(X, memory, 1, d, 1, quantile_distance(X, DBSCANMetric::euclidean, 0.05));
  }
}

TYPED_TEST(DBSCANDevices, InputsStayAsTheyWere) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 6}) {
    const Matrix<T> original = normal_matrix<T>(300, d, 7, 1e3);
    const Matrix<T> X = original.to(this->device());
    const Vector<T> weights = weight_vector<T>(300, 8).to(this->device());
    DBSCANFitArguments<T> arguments;
    arguments.sample_weight = weights.view();
    DBSCAN<T> model({.eps = 0.5});
    model.fit(X, arguments);
    (void)model.predict(X);
    EXPECT_EQ(values_of(X), values_of(original));
    EXPECT_EQ(weights.to_std(), weight_vector<T>(300, 8).to_std());
  }
}

TYPED_TEST(DBSCANDevices, ResultsLiveWhereXLives) {
  using T = typename TypeParam::Value;
  DBSCAN<T> model({.eps = 1.0, .min_samples = 2});
  const Matrix<T> X = column<T>({0, 1, 2, 9}).to(this->device());
  const Vector<std::int32_t> labels = model.fit_predict(X);
  EXPECT_EQ(labels.to_std(), (Labels{0, 0, 0, -1}));
  EXPECT_EQ(labels.device(), this->device());
  EXPECT_EQ(model.labels().device(), this->device());
  EXPECT_EQ(model.labels().to_std(), labels.to_std());
  EXPECT_EQ(model.core_sample_indices().device(), this->device());
  EXPECT_EQ(model.components().device(), this->device());
  EXPECT_EQ(model.predict(X).device(), this->device());
}

TYPED_TEST(DBSCANDevices, ASecondFitReplacesTheFirst) {
  using T = typename TypeParam::Value;
  DBSCAN<T> model({.eps = 1.0, .min_samples = 2});
  model.fit(normal_matrix<T>(500, 5, 9).to(this->device()));
  model.fit(column<T>({0, 1, 5}).to(this->device()));
  EXPECT_EQ(model.labels().to_std(), (Labels{0, 0, -1}));
  EXPECT_EQ(model.n_features_in(), 1);
  EXPECT_TRUE(model.warnings().empty());
}

TYPED_TEST(DBSCANDevices, WarnsWhereEveryRowIsNoise) {
  using T = typename TypeParam::Value;
  const DBSCAN<T> model = this->fit({column<T>({0, 10, 20}), {.eps = 1.5, .min_samples = 2}});
  ASSERT_EQ(model.warnings().size(), 1U);
  EXPECT_EQ(model.warnings().front(), "DBSCAN: every row is noise: none has min_samples = 2 within eps = 1.5");
  EXPECT_EQ(model.n_clusters(), 0);
  EXPECT_EQ(model.core_sample_indices().size(), 0);
}

TYPED_TEST(DBSCANDevices, AHundredRunsGiveTheSameBits) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 3, 8}) {
    Given<T> given{blobs_matrix<T>(2000, d, 30, 10), {.eps = d == 8 ? 2.0 : 0.35, .min_samples = 5}};
    given.weights = weight_vector<T>(2000, 11, true);
    const DBSCAN<T> first = this->fit(given);
    EXPECT_GT(first.n_clusters(), 3);
    for (int run = 1; run < 100; ++run) {
      const DBSCAN<T> again = this->fit(given);
      ASSERT_EQ(again.labels().to_std(), first.labels().to_std());
      ASSERT_EQ(again.core_sample_indices().to_std(), first.core_sample_indices().to_std());
    }
  }
}

/// Data that each regime takes, or refuses: rows in up to three columns, the same with a row 1e12 eps away, the same
/// beside columns of zeros. Neighbours are the same in all, and so are the labels.
TYPED_TEST(DBSCANDevices, RegimesAgree) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 20000;
  for (const std::int64_t d : {1, 2, 3})
    for (const DBSCANMetric metric : every_norm) {
      SCOPED_TRACE(::testing::Message() << d << " columns, metric " << static_cast<int>(metric));
      // half of the rows scattered, half in dense places of several sizes
      const double width = d == 1 ? 20000.0 : d == 2 ? 120.0 : 24.0;
      Matrix<T> X = random_matrix<T>(n, d, 12, 0.0, width);
      for (std::int64_t i = 0; i < n; i += 2)
        for (std::int64_t j = 0; j < d; ++j) {
          const double place = (2.0 * uniform(13, i / 2 % 40 * 3 + j) - 1.0) * width;
          X(i, j) = static_cast<T>(place + 0.05 * static_cast<double>(1 + i % 40) * normal(14, i * d + j));
        }
      const DBSCANOptions options{.eps = 1.0, .min_samples = 6, .metric = metric};
      const DBSCAN<T> model = this->fit({X.clone(), options});
      const Labels labels = model.labels().to_std();
      EXPECT_GT(model.n_clusters(), 10);
      EXPECT_GT(std::count(labels.begin(), labels.end(), -1), 10);

      Matrix<T> far(n + 1, d);
      std::copy_n(X.data(), n * d, far.data());
      for (std::int64_t j = 0; j < d; ++j) far(n, j) = T(1e12);
      Labels expected = labels;
      expected.push_back(-1);
      EXPECT_EQ(this->fit({std::move(far), options}).labels().to_std(), expected);

      Matrix<T> wide(n, d + 3);
      std::fill_n(wide.data(), n * (d + 3), T{0});
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < d; ++j) wide(i, (2 * j + 1) % (d + 3)) = X(i, j);
      EXPECT_EQ(this->fit({std::move(wide), options}).labels().to_std(), labels);

      Matrix<T> mirrored = X.clone();
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < d; ++j) mirrored(i, j) = -X(i, d - 1 - j);
      EXPECT_EQ(this->fit({std::move(mirrored), options}).labels().to_std(), labels);

      expect_same(model, fit_on(Device::cpu(), Given<T>{X.clone(), options}));
    }
}

/// The order of the rows names the clusters and decides nothing else.
TYPED_TEST(DBSCANDevices, TheOrderOfRowsOnlyNumbersTheClusters) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 5000;
  for (const std::int64_t d : {2, 3, 6}) {
    const Matrix<T> X = blobs_matrix<T>(n, d, 60, 15, 15.0);
    const DBSCANOptions options{.eps = d == 2 ? 0.3 : d == 3 ? 0.6 : 1.4, .min_samples = 6};
    Matrix<T> shuffled(n, d);
    const auto place = [](std::int64_t i) { return (i * 1237 + 11) % n; };
    for (std::int64_t i = 0; i < n; ++i) std::copy_n(X.data() + i * d, d, shuffled.data() + place(i) * d);
    const DBSCAN<T> a = this->fit({X.clone(), options});
    const DBSCAN<T> b = this->fit({std::move(shuffled), options});
    EXPECT_GT(a.n_clusters(), 5);
    EXPECT_EQ(a.n_clusters(), b.n_clusters());
    std::vector<std::int64_t> core;
    for (const std::int64_t i : a.core_sample_indices().to_std()) core.push_back(place(i));
    std::sort(core.begin(), core.end());
    EXPECT_EQ(core, b.core_sample_indices().to_std());
    const Labels labels_a = a.labels().to_std();
    const Labels labels_b = b.labels().to_std();
    std::vector<std::int32_t> other(static_cast<std::size_t>(a.n_clusters()), -1);
    for (const std::int64_t i : a.core_sample_indices().to_std()) {
      std::int32_t& known = other[static_cast<std::size_t>(labels_a[static_cast<std::size_t>(i)])];
      const std::int32_t found = labels_b[static_cast<std::size_t>(place(i))];
      if (known < 0) known = found;
      ASSERT_EQ(known, found);
    }
  }
}

TYPED_TEST(DBSCANDevices, WorkspaceLimitIsObeyedOrRefused) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 20000;
  for (const std::int64_t d : {2, 6}) {
    Given<T> given{random_matrix<T>(n, d, 16), {.eps = d == 2 ? 0.01 : 0.3, .min_samples = 4}};
    given.weights = weight_vector<T>(n, 17);
    const DBSCAN<T> free_of_limits = this->fit(given);
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
    std::int64_t accepted = std::int64_t{1} << 30;
    ASSERT_TRUE(fits_within(accepted));
    while (accepted - refused > 4096) {
      const std::int64_t middle = refused + (accepted - refused) / 2;
      (fits_within(middle) ? accepted : refused) = middle;
    }
    // O(n d): n^2 bits would be 2500 bytes a row
    EXPECT_LT(accepted / n, 200) << d << " columns";
  }
}

TYPED_TEST(DBSCANDevices, ManyThreadsMayPredictWithOneModel) {
  using T = typename TypeParam::Value;
  const Given<T> given{blobs_matrix<T>(3000, 3, 20, 18), {.eps = 0.6, .min_samples = 5}};
  const DBSCAN<T> model = this->fit(given);
  const Matrix<T> X = given.X.to(this->device());
  std::vector<Labels> found(4);
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int t = 0; t < 4; ++t) found[static_cast<std::size_t>(t)] = model.predict(X).to_std();
  for (const Labels& labels : found) EXPECT_EQ(labels, model.labels().to_std());
}

template <typename I>
class DBSCANCuda : public DBSCANTest<I> {};
using CudaTypes = ::testing::Types<Instance<float, DeviceKind::cuda>, Instance<double, DeviceKind::cuda>>;
TYPED_TEST_SUITE(DBSCANCuda, CudaTypes, DeviceTypeNames);

TYPED_TEST(DBSCANCuda, CallersStream) {
  using T = typename TypeParam::Value;
  this->device().synchronize();
  for (const std::int64_t d : {2, 6}) {
    const Given<T> given{blobs_matrix<T>(3000, d, 20, 19), {.eps = d == 2 ? 0.5 : 2.0, .min_samples = 5}};
    (void)given.X.to(this->device());  // makes the device's context current
    const CudaStream stream;
    const Device own = Device::cuda(0, stream.get());
    EXPECT_EQ(own.stream(), stream.get());
    const DBSCAN<T> model = fit_on(own, given);
    expect_same(model, fit_on(Device::cpu(), given));
    // a model on one stream, rows on another
    EXPECT_EQ(model.predict(given.X.to(this->device())).to_std(), model.labels().to_std());
  }
}

TYPED_TEST(DBSCANCuda, WeightsElsewhereAreRefused) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = column<T>({0, 1}).to(this->device());
  const Vector<T> weights{1, 1};
  DBSCANFitArguments<T> arguments;
  arguments.sample_weight = weights.view();
  EXPECT_THROW(DBSCAN<T>().fit(X, arguments), InvalidArgument);
}

/// As on the CPU, in sizes that no twin judges.
TYPED_TEST(DBSCANCuda, ManyRowsAsOnTheCpu) {
  using T = typename TypeParam::Value;
  struct Case {
    std::int64_t n;
    std::int64_t d;
    double eps;
  };
  for (const auto& [n, d, eps] : {Case{300000, 1, 2e-5}, Case{300000, 2, 0.03}, Case{200000, 3, 0.15},
                                  Case{60000, 5, 0.6}, Case{30000, 16, 3.2}, Case{10000, 64, 9.5}}) {
    SCOPED_TRACE(::testing::Message() << n << " x " << d);
    Given<T> given{blobs_matrix<T>(n, d, 50, 20), {.eps = eps, .min_samples = 8}};
    expect_same(this->fit(given), fit_on(Device::cpu(), given));
    given.weights = weight_vector<T>(n, 21, true);
    expect_same(this->fit(given), fit_on(Device::cpu(), given));
  }
}

template <typename T>
class DBSCANThreads : public ::testing::Test {};
TYPED_TEST_SUITE(DBSCANThreads, ValueTypes, ValueTypeNames);

TYPED_TEST(DBSCANThreads, NeverChangeALabel) {
  for (const std::int64_t d : {1, 2, 3, 7}) {
    Given<TypeParam> given{blobs_matrix<TypeParam>(20000, d, 40, 22), {.min_samples = 6}};
    given.options.eps = d == 1 ? 3e-4 : d == 2 ? 0.1 : d == 3 ? 0.3 : 1.5;
    for (const bool weighted : {false, true}) {
      if (weighted) given.weights = weight_vector<TypeParam>(20000, 23, true);
      const DBSCAN<TypeParam> one = fit_on(Device::cpu(1), given);
      const Labels labels = one.labels().to_std();
      EXPECT_GT(one.n_clusters(), 2);
      EXPECT_GT(std::count(labels.begin(), labels.end(), -1), 0);
      for (const int threads : {2, 3, 8}) expect_same(fit_on(Device::cpu(threads), given), one);
    }
  }
}

}  // namespace
}  // namespace tilelearn::testing
