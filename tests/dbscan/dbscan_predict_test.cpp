// Labels of new rows: the lowest cluster with a core row within eps, wherever the rows lie.
#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANPredict : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// New rows against the twin.
  void compare(const Given<Value>& given, const Matrix<Value>& Y) const {
    const DBSCAN<Value> model = this->fit(given);
    const reference::Result fitted = twin(given);
    EXPECT_EQ(model.predict(Y.to(this->device())).to_std(),
              reference::predict(given.X.view(), given.options, fitted, Y.view()));
  }
};
TYPED_TEST_SUITE(DBSCANPredict, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANPredict, TheLowestClusterWithinEps) {
  using T = typename TypeParam::Value;
  const DBSCAN<T> model = this->fit({column<T>({10, 11, 0, 1}), {.eps = 1.0, .min_samples = 2}});
  EXPECT_EQ(model.predict(column<T>({-1, -1.01, 0.5, 2, 2.01, 9, 8.9, 12, 100, -1e30}).to(this->device())).to_std(),
            (Labels{1, -1, 1, 1, -1, 0, -1, 0, -1, -1}));
  const DBSCAN<T> touching = this->fit({column<T>({2, 2, 0, 0}), {.eps = 1.5, .min_samples = 2}});
  EXPECT_EQ(touching.predict(column<T>({0.4, 0.5, 1, 1.5, 1.6}).to(this->device())).to_std(), (Labels{1, 0, 0, 0, 0}));
}

TYPED_TEST(DBSCANPredict, BorderRowsOfTheFitDoNotReachOthers) {
  using T = typename TypeParam::Value;
  // core at 0, border at 1: a new row at 2 is within eps of the border alone
  const DBSCAN<T> model = this->fit({column<T>({0, 0, 1, -1}), {.eps = 1.0, .min_samples = 4}});
  EXPECT_EQ(model.core_sample_indices().size(), 2);
  EXPECT_EQ(model.predict(column<T>({2, 1.5, 1, 0}).to(this->device())).to_std(), (Labels{-1, -1, 0, 0}));
}

TYPED_TEST(DBSCANPredict, NothingIsNearWhereAllIsNoise) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 3, 8}) {
    const DBSCAN<T> model = this->fit({normal_matrix<T>(50, d, 1), {.eps = 1e-6, .min_samples = 2}});
    EXPECT_EQ(model.components().rows(), 0);
    EXPECT_EQ(model.components().columns(), d);
    EXPECT_EQ(model.predict(normal_matrix<T>(33, d, 2).to(this->device())).to_std(), Labels(33, -1));
  }
}

TYPED_TEST(DBSCANPredict, NewRowsFarFromAllOthers) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {5, 40}) {
    Matrix<T> X = blobs_matrix<T>(300, d, 5, 3);
    const double eps = quantile_distance(X, DBSCANMetric::euclidean, 0.03);
    Matrix<T> Y = X.clone();
    for (std::int64_t i = 0; i < 300; ++i)
      for (std::int64_t j = i % d; j < d; ++j)
        Y(i, j) *= i % 4 == 1 ? T(1e6) : i % 4 == 2 ? T(1e30) : i % 4 == 3 ? T(1.5) : T{1};
    this->compare({std::move(X), {.eps = eps, .min_samples = 6}}, Y);
  }
}

TYPED_TEST(DBSCANPredict, NewRowsOfEverySizeAndMetric) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 2, 3, 4, 9, 40})
    for (const DBSCANMetric metric :
         {DBSCANMetric::euclidean, DBSCANMetric::manhattan, DBSCANMetric::chebyshev, DBSCANMetric::cosine}) {
      if (metric == DBSCANMetric::cosine && d == 1) continue;
      Matrix<T> X = blobs_matrix<T>(300, d, 5, 3);
      const double eps = quantile_distance(X, metric, 0.03);
      const Given<T> given{std::move(X), {.eps = eps, .min_samples = 6, .metric = metric}};
      for (const std::int64_t m : {1, 31, 33, 700}) {
        SCOPED_TRACE(::testing::Message() << m << " x " << d << ", metric " << static_cast<int>(metric));
        this->compare(given, blobs_matrix<T>(m, d, 5, 3, 10.5));
      }
    }
}

TYPED_TEST(DBSCANPredict, NewRowsOnALatticeOfTies) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 2, 3, 5})
    for (const DBSCANMetric metric : every_norm) {
      const Given<T> given{grid_matrix<T>(200, d, d == 1 ? 150 : 12, 4),
                           {.eps = 2.0, .min_samples = 3, .metric = metric}};
      this->compare(given, grid_matrix<T>(500, d, d == 1 ? 200 : 16, 5));
    }
}

TYPED_TEST(DBSCANPredict, RowsFarFromAllOfTheFit) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {1, 2, 3, 6}) {
    const Given<T> given{normal_matrix<T>(200, d, 6), {.eps = 0.7, .min_samples = 3}};
    Matrix<T> Y = normal_matrix<T>(64, d, 7);
    constexpr double reach[] = {1e3, 1e9, 1e18, 3e38};
    for (std::int64_t i = 0; i < 64; i += 2) Y(i, i % d) = static_cast<T>(reach[i / 2 % 4] * (i % 4 == 0 ? 1.0 : -1.0));
    this->compare(given, Y);
  }
}

TYPED_TEST(DBSCANPredict, AnglesAcrossTheDateLineAndThePoles) {
  using T = typename TypeParam::Value;
  const Given<T> given{Matrix<T>{{0, T(3.13)}, {0, T(-3.13)}, {T(1.56), 0}, {T(1.56), 3}, {-1, 1}},
                       {.eps = 0.05, .min_samples = 2, .metric = DBSCANMetric::haversine}};
  EXPECT_EQ(this->labels(given), (Labels{0, 0, 1, 1, -1}));
  Matrix<T> Y(400, 2);
  for (std::int64_t i = 0; i < 400; ++i) {
    Y(i, 0) = static_cast<T>(i % 2 == 0 ? 1.5 + 0.07 * uniform(8, i) : 0.1 * (uniform(8, i) - 0.5));
    Y(i, 1) = static_cast<T>(i % 2 == 0 ? 12.0 * (uniform(9, i) - 0.5) : 3.1416 + 0.1 * (uniform(9, i) - 0.5));
  }
  this->compare(given, Y);
}

TYPED_TEST(DBSCANPredict, AModelOfOneDeviceServesTheOther) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : {2, 7}) {
    const Given<T> given{blobs_matrix<T>(400, d, 5, 10), {.eps = d == 2 ? 0.6 : 2.5, .min_samples = 5}};
    const Matrix<T> Y = blobs_matrix<T>(200, d, 5, 10, 11.0);
    const DBSCAN<T> model = this->fit(given);
    const DBSCAN<T> on_cpu = fit_on(Device::cpu(), given);
    EXPECT_GT(model.n_clusters(), 2);
    expect_same(model, on_cpu);
    EXPECT_EQ(model.predict(Y).to_std(), on_cpu.predict(Y).to_std());
    const Vector<std::int32_t> there = on_cpu.predict(Y.to(this->device()));
    EXPECT_EQ(there.device(), this->device());
    EXPECT_EQ(there.to_std(), on_cpu.predict(Y).to_std());
  }
}

}  // namespace
}  // namespace tilelearn::testing
