// Values worked out by hand: fit, predict, transform, score, weights, starts.
#include <cmath>

#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class KMeansValues : public KMeansTest<I> {};
TYPED_TEST_SUITE(KMeansValues, DeviceTypes, DeviceTypeNames);

TYPED_TEST(KMeansValues, WorkedExample) {
  // from 0 and 1: {0}, {1, 9, 10} give 0 and 20/3; then {0, 1}, {9, 10} give 0.5 and 9.5; then nothing changes
  using T = typename TypeParam::Value;
  const KMeans<T> model =
      this->checked_fit({Matrix<T>{{0}, {1}, {9}, {10}}, {.n_clusters = 2, .tol = 0.0}, {}, Matrix<T>{{0}, {1}}});
  EXPECT_EQ(model.n_iter(), 3);
  EXPECT_TRUE(model.converged());
  EXPECT_EQ(to_rows(model.cluster_centers().to(Device::cpu())), to_rows(Matrix<T>{{T(0.5)}, {T(9.5)}}));
  EXPECT_EQ(model.labels().to_std(), (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(model.inertia(), 1.0);
  EXPECT_EQ(model.n_features_in(), 1);
}

TYPED_TEST(KMeansValues, StoppedAtMaxIter) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit(
      {Matrix<T>{{0}, {1}, {9}, {10}}, {.n_clusters = 2, .max_iter = 1, .tol = 0.0}, {}, Matrix<T>{{0}, {1}}});
  EXPECT_EQ(model.n_iter(), 1);
  EXPECT_FALSE(model.converged());
  EXPECT_EQ(model.labels().to_std(), (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TYPED_TEST(KMeansValues, ALargeToleranceStopsAfterOneIteration) {
  using T = typename TypeParam::Value;
  const KMeans<T> model =
      this->checked_fit({Matrix<T>{{0}, {1}, {9}, {10}}, {.n_clusters = 2, .tol = 1e6}, {}, Matrix<T>{{0}, {1}}});
  EXPECT_EQ(model.n_iter(), 1);
  EXPECT_TRUE(model.converged());
}

TYPED_TEST(KMeansValues, PredictTransformScore) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->fit({Matrix<T>{{0, 0}, {6, 8}}, {.n_clusters = 2}, {}, Matrix<T>{{0, 0}, {6, 8}}});
  const Matrix<T> X = Matrix<T>{{3, 4}, {6, 8}, {0, 1}, {9, 12}}.to(this->device());
  EXPECT_EQ(model.predict(X).to_std(), (std::vector<std::int32_t>{0, 1, 0, 1}));
  const Matrix<T> distances = model.transform(X).to(Device::cpu());
  const Matrix<T> expected{{5, 5}, {10, 0}, {1, static_cast<T>(std::sqrt(85.0))}, {15, 5}};
  EXPECT_EQ(to_rows(distances), to_rows(expected));
  EXPECT_EQ(model.score(X), -51.0);
  const Vector<T> weights = Vector<T>{2, 5, 0, T(0.5)}.to(this->device());
  EXPECT_EQ(model.score(X, weights.view()), -62.5);
}

TYPED_TEST(KMeansValues, FitPredictGivesTheLabels) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(100, 2, 1).to(this->device());
  KMeans<T> model({.n_clusters = 3});
  const std::vector<std::int32_t> labels = model.fit_predict(X).to_std();
  EXPECT_EQ(labels, model.labels().to_std());
}

TYPED_TEST(KMeansValues, OneClusterIsTheMean) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit({Matrix<T>{{1, 10}, {2, 20}, {6, 60}}, {.n_clusters = 1}});
  EXPECT_EQ(to_rows(model.cluster_centers().to(Device::cpu())), to_rows(Matrix<T>{{3, 30}}));
  EXPECT_EQ(model.inertia(), 14.0 + 1400.0);
}

TYPED_TEST(KMeansValues, AsManyClustersAsRows) {
  using T = typename TypeParam::Value;
  const KMeans<T> model = this->checked_fit({normal_matrix<T>(40, 2, 1), {.n_clusters = 40}});
  EXPECT_EQ(model.inertia(), 0.0);
  EXPECT_TRUE(model.warnings().empty());
}

TYPED_TEST(KMeansValues, TheBestOfSeveralStartsWins) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = blobs_matrix<T>(400, 2, 12, 3);
  double best = std::numeric_limits<double>::infinity();
  // start s of a fit with several starts is a stream of its own, so more starts never do worse
  for (const std::int32_t n_init : {1, 2, 4, 8}) {
    const KMeans<T> model =
        this->checked_fit({X.clone(), {.n_clusters = 12, .init = KMeansInit::random, .n_init = n_init}});
    EXPECT_LE(model.inertia(), best);
    best = model.inertia();
  }
}

TYPED_TEST(KMeansValues, AutoStartsAreTenForRandomAndOneElse) {
  using T = typename TypeParam::Value;
  const Matrix<T> X = normal_matrix<T>(200, 2, 4);
  const auto inertia = [&](KMeansInit init, std::int32_t n_init) {
    return this->fit({X.clone(), {.n_clusters = 6, .init = init, .n_init = n_init}}).inertia();
  };
  EXPECT_EQ(inertia(KMeansInit::random, 0), inertia(KMeansInit::random, 10));
  EXPECT_EQ(inertia(KMeansInit::k_means_plus_plus, 0), inertia(KMeansInit::k_means_plus_plus, 1));
  EXPECT_EQ(inertia(KMeansInit::k_means_parallel, 0), inertia(KMeansInit::k_means_parallel, 1));
}

TYPED_TEST(KMeansValues, RowsOfWeightZeroAreNoRows) {
  using T = typename TypeParam::Value;
  const Matrix<T> kept = normal_matrix<T>(150, 3, 5);
  Matrix<T> mixed(300, 3);
  Vector<T> weights(300);
  for (std::int64_t i = 0; i < 300; ++i) {
    weights[i] = static_cast<T>(i % 2 == 0 ? 1 : 0);
    for (std::int64_t j = 0; j < 3; ++j) mixed(i, j) = i % 2 == 0 ? kept(i / 2, j) : static_cast<T>(1e15);
  }
  const Matrix<T> init{{0, 0, 0}, {1, 1, 1}, {-1, -1, 0}, {2, 0, -1}};
  const KMeansOptions options{.n_clusters = 4, .tol = 0.0};
  Vector<T> ones(150);
  std::fill_n(ones.data(), 150, T{1});
  const KMeans<T> dropped = this->checked_fit({kept.clone(), options, std::move(ones), init.clone()});
  const KMeans<T> weighted = this->checked_fit({std::move(mixed), options, std::move(weights), init.clone()});
  EXPECT_EQ(to_rows(weighted.cluster_centers().to(Device::cpu())),
            to_rows(dropped.cluster_centers().to(Device::cpu())));
  EXPECT_EQ(weighted.n_iter(), dropped.n_iter());
  // the same terms in another order
  EXPECT_NEAR(weighted.inertia(), dropped.inertia(), 1e-13 * dropped.inertia());
  const std::vector<std::int32_t> labels = weighted.labels().to_std();
  const std::vector<std::int32_t> expected = dropped.labels().to_std();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(labels[2 * i], expected[i]);
}

TYPED_TEST(KMeansValues, AWeightOfTwoIsTwoRows) {
  using T = typename TypeParam::Value;
  const Matrix<T> init{{0}, {8}};
  const KMeansOptions options{.n_clusters = 2, .tol = 0.0};
  const KMeans<T> weighted =
      this->checked_fit({Matrix<T>{{0}, {3}, {8}, {9}}, options, Vector<T>{2, 1, 1, 3}, init.clone()});
  const KMeans<T> repeated =
      this->checked_fit({Matrix<T>{{0}, {0}, {3}, {8}, {9}, {9}, {9}}, options, {}, init.clone()});
  EXPECT_EQ(to_rows(weighted.cluster_centers().to(Device::cpu())),
            to_rows(repeated.cluster_centers().to(Device::cpu())));
  EXPECT_EQ(weighted.inertia(), repeated.inertia());
}

TYPED_TEST(KMeansValues, CentersAreTheWeightedMeans) {
  using T = typename TypeParam::Value;
  for (const double offset : {0.0, 1e6}) {
    for (const bool weighted : {false, true}) {
      Given<T> given{normal_matrix<T>(2000, 5, 6, offset), {.n_clusters = 9, .tol = 0.0}};
      if (weighted) given.weights = weight_vector<T>(2000, 7, true);
      const KMeans<T> model = this->checked_fit(given);
      ASSERT_TRUE(model.converged());
      EXPECT_EQ(wrong_mean(given.X, model.cluster_centers().to(Device::cpu()), model.labels().to_std(),
                           to_doubles(given.weights)),
                "");
    }
  }
}

}  // namespace
}  // namespace tilelearn::testing
