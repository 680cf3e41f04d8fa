// The faults that other libraries shipped, each with data on which they would show.
#include <algorithm>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANFaults : public DBSCANTest<I> {};
TYPED_TEST_SUITE(DBSCANFaults, DeviceTypes, DeviceTypeNames);

/// Values in the first column, zeros in the d - 1 others: 1 to 3 columns and more are searched in different ways.
template <typename T>
Matrix<T> widened(const Matrix<T>& values, std::int64_t d) {
  Matrix<T> X(values.rows(), d);
  std::fill_n(X.data(), X.rows() * d, T{0});
  for (std::int64_t i = 0; i < X.rows(); ++i) X(i, 0) = values(i, 0);
  return X;
}

constexpr std::int64_t every_regime[] = {1, 2, 3, 4, 9};

TYPED_TEST(DBSCANFaults, LabelsDoNotPassThroughRowsThatAreNotCore) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : every_regime) {
    // two crowds whose only link is a row within eps of both that is not core
    Matrix<T> X = widened(column<T>({0, 0, 0, 0, 1, 2, 2, 2, 2}), d);
    Given<T> given{std::move(X), {.eps = 1.0, .min_samples = 10}};
    given.weights = Vector<T>{3, 3, 3, 3, -40, 3, 3, 3, 3};
    EXPECT_EQ(this->labels(given), Labels(9, -1));
    given.weights = Vector<T>{3, 3, 3, 3, 0, 3, 3, 3, 3};
    EXPECT_EQ(this->labels(given), Labels(9, 0));  // the link has weight 24 around it
    given.weights = std::nullopt;
    given.options.min_samples = 5;
    EXPECT_EQ(this->labels(given), Labels(9, 0));
    given.X = widened(column<T>({0, -1, -1, -1, 1, 2, 3, 3, 3}), d);
    EXPECT_EQ(this->labels(given), (Labels{0, 0, 0, 0, 0, 1, 1, 1, 1}));
  }
}

TYPED_TEST(DBSCANFaults, BorderRowsGoToTheLowestClusterNotToTheNearest) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : every_regime) {
    // the border row at 0.9 is nearer to the core row at 0, which is of cluster 1
    const Matrix<T> X = widened(column<T>({1.75, 2.5, 2.5, 2.5, 0.9, 0, -0.75, -0.75, -0.75}), d);
    EXPECT_EQ(this->labels({X.clone(), {.eps = 1.0, .min_samples = 5}}), (Labels{0, 0, 0, 0, 0, 1, 1, 1, 1}));
  }
}

TYPED_TEST(DBSCANFaults, TheFirstRowIsNotStuckAsNoise) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : every_regime) {
    // row 0 is looked at first, is not core, and is reached later
    EXPECT_EQ(this->labels({widened(column<T>({0, 1, 2, 3, 4}), d), {.eps = 1.0, .min_samples = 3}}), Labels(5, 0));
    EXPECT_EQ(this->labels({widened(column<T>({9, 1, 2, 3, 4}), d), {.eps = 1.0, .min_samples = 3}}),
              (Labels{-1, 0, 0, 0, 0}));
    EXPECT_EQ(this->labels({widened(column<T>({5}), d), {.eps = 1.0, .min_samples = 1}}), Labels{0});
    EXPECT_EQ(this->labels({widened(column<T>({5}), d), {.eps = 1.0, .min_samples = 2}}), Labels{-1});
  }
}

TYPED_TEST(DBSCANFaults, ABorderRowIsNotNoiseWhateverTheOrder) {
  using T = typename TypeParam::Value;
  // rows of a star: the middle is core, the tips are border
  std::vector<std::pair<double, double>> star{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  std::sort(star.begin(), star.end());
  do {
    Matrix<T> X(5, 2);
    for (std::int64_t i = 0; i < 5; ++i) {
      X(i, 0) = static_cast<T>(star[static_cast<std::size_t>(i)].first);
      X(i, 1) = static_cast<T>(star[static_cast<std::size_t>(i)].second);
    }
    const DBSCAN<T> model = this->fit({std::move(X), {.eps = 1.0, .min_samples = 5}});
    ASSERT_EQ(model.labels().to_std(), Labels(5, 0));
    ASSERT_EQ(model.core_sample_indices().size(), 1);
  } while (std::next_permutation(star.begin(), star.end()));
}

TYPED_TEST(DBSCANFaults, NoEdgeIsLostBetweenBatches) {
  using T = typename TypeParam::Value;
  // a chain of rows in shuffled order: each links two others, so that one lost edge splits the cluster
  constexpr std::int64_t n = 20000;
  std::vector<std::int64_t> order(n);
  for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i * 7919 % n;
  for (const std::int64_t d : {1, 2, 3, 5}) {
    Matrix<T> X(n, d);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < d; ++j)
        X(i, j) =
            static_cast<T>(j == 0 ? order[static_cast<std::size_t>(i)] : (order[static_cast<std::size_t>(i)] >> j) % 2);
    // neighbours on the chain are 1 apart in the first column and at most 1 in each other: chebyshev 1
    const DBSCAN<T> whole = this->fit({X.clone(), {.eps = 1.0, .min_samples = 3, .metric = DBSCANMetric::chebyshev}});
    EXPECT_EQ(whole.labels().to_std(), Labels(n, 0));
    EXPECT_EQ(whole.core_sample_indices().size(), n - 2);
    // and without one row of the middle, two clusters
    for (std::int64_t i = 0; i < n; ++i)
      if (order[static_cast<std::size_t>(i)] == n / 2) X(i, 0) = static_cast<T>(-100);
    const DBSCAN<T> halves = this->fit({X.clone(), {.eps = 1.0, .min_samples = 2, .metric = DBSCANMetric::chebyshev}});
    EXPECT_EQ(halves.n_clusters(), 2);
  }
}

TYPED_TEST(DBSCANFaults, ClustersThatTouchAtOneRowOnlyAreOne) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : every_regime) {
    // core rows of both crowds at distance exactly eps: one cluster; an ulp more: two
    const T reach = std::nextafter(T{1}, T{2});
    const Matrix<T> joined = widened(column<T>({-0.5, -0.25, 0, 1, 1.25, 1.5}), d);
    Matrix<T> parted = joined.clone();
    for (std::int64_t i = 3; i < 6; ++i) parted(i, 0) = parted(i, 0) + (reach - T{1}) * T{2};
    const DBSCANOptions options{.eps = 1.0, .min_samples = 3};
    EXPECT_EQ(this->labels({joined.clone(), options}), Labels(6, 0));
    EXPECT_EQ(this->labels({parted.clone(), options}), (Labels{0, 0, 0, 1, 1, 1}));
  }
}

TYPED_TEST(DBSCANFaults, NegativeWeightsCanTakeACoreAway) {
  using T = typename TypeParam::Value;
  for (const std::int64_t d : every_regime) {
    Given<T> given{widened(column<T>({0, 0, 0, 0.5}), d), {.eps = 1.0, .min_samples = 2}};
    given.weights = Vector<T>{1, 1, 1, -1};
    EXPECT_EQ(this->labels(given), Labels(4, 0));
    given.weights = Vector<T>{1, 1, 1, T(-1.25)};
    EXPECT_EQ(this->labels(given), Labels(4, -1));
    // a row's own weight does not matter but for the sum: weight 0 can be core
    given.weights = Vector<T>{0, 1, 1, 0};
    EXPECT_EQ(this->labels(given), Labels(4, 0));
  }
}

TYPED_TEST(DBSCANFaults, AWeightIsNotACopyOfTheRow) {
  using T = typename TypeParam::Value;
  // scikit-learn: weights count towards min_samples, not as rows; a row of weight 0 still is a row
  Given<T> given{column<T>({0, 1, 2, 10}), {.eps = 1.0, .min_samples = 3}};
  given.weights = Vector<T>{0, 3, 0, 3};
  const DBSCAN<T> model = this->checked_fit(given);
  EXPECT_EQ(model.labels().to_std(), (Labels{0, 0, 0, 1}));
  EXPECT_EQ(model.core_sample_indices().to_std(), (std::vector<std::int64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace tilelearn::testing
