// Many columns, and what a grid of cells refuses: tiles of rows in k-d order, their tree, pairs near eps, ties, far
// rows.
#include "dbscan/dbscan_tiles_tree.hpp"

#include <cmath>
#include <set>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

using dbscan::child_in_turn;
using dbscan::fan;
using dbscan::fan_bits;
using dbscan::make_tile_tree;
using dbscan::most_levels;
using dbscan::reaches_tile;
using dbscan::tile_rows;
using dbscan::TileTree;

constexpr std::int32_t tree_sizes[] = {1, 64, 65, 2048, 2049, 65536, 65537, 2097153, 67108865, INT32_MAX};

TEST(TileTree, LevelsHoldAllTilesAndEndWithOneFamily) {
  for (const std::int32_t rows : tree_sizes) {
    SCOPED_TRACE(rows);
    const TileTree tree = make_tile_tree(rows);
    ASSERT_LE(tree.levels, most_levels);
    EXPECT_GE(tree.slots(), rows);
    EXPECT_LT(tree.slots() - rows, tile_rows);
    for (int level = 1; level < tree.levels; ++level) {
      EXPECT_GT(tree.count[level - 1], fan);
      EXPECT_EQ(tree.count[level], (tree.count[level - 1] + fan - 1) / fan);
    }
    EXPECT_LE(tree.count[tree.levels - 1], fan);
  }
}

TEST(TileTree, PlacesAreDistinctAndFamiliesWhole) {
  const TileTree tree = make_tile_tree(65537);
  std::set<std::int64_t> places;
  for (int level = 0; level < tree.levels; ++level)
    for (std::int32_t node = 0; node < tree.count[level]; ++node) {
      const std::int64_t place = tree.place(level, node);
      EXPECT_TRUE(places.insert(place).second);
      EXPECT_EQ(place % fan, node % fan);
      EXPECT_LT(place, std::int64_t{tree.families} * fan);
    }
}

TEST(TileTree, TurnsVisitEveryChildOnceAndTheHomeFirst) {
  const std::int32_t home = 12345;
  for (int level = 0; level < 3; ++level) {
    const std::int32_t parent = home >> fan_bits * level >> fan_bits;
    EXPECT_EQ(child_in_turn(parent, level, home, 0), home >> fan_bits * level);
    EXPECT_EQ(child_in_turn(parent, level, home, 1), (home >> fan_bits * level) ^ 1);
    std::set<std::int32_t> children;
    for (int turn = 0; turn < fan; ++turn) children.insert(child_in_turn(parent, level, home, turn));
    EXPECT_EQ(children.size(), static_cast<std::size_t>(fan));
    EXPECT_EQ(*children.begin(), parent * fan);
    EXPECT_EQ(*children.rbegin(), parent * fan + fan - 1);
  }
}

TEST(TileTree, ReachesTileFromItsOwnNodeOn) {
  const std::int32_t home = (1 << 25) - 1;
  for (int level = 0; level < most_levels; ++level) {
    const std::int32_t own = home >> fan_bits * level;
    EXPECT_TRUE(reaches_tile(level, own, home));
    EXPECT_FALSE(reaches_tile(level, own - 1, home));
  }
}

template <typename I>
class DBSCANTiles : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// Every attribute is the twin's, and what holds for every model holds.
  void check(const Given<Value>& given) const {
    SCOPED_TRACE(std::to_string(given.X.rows()) + " x " + std::to_string(given.X.columns()) + ", eps " +
                 std::to_string(given.options.eps) + ", metric " +
                 std::to_string(static_cast<int>(given.options.metric)));
    const DBSCAN<Value> model = this->fit(given);
    expect_equals_twin(model, twin(given));
    expect_consistent(model, given, this->device());
  }
};
TYPED_TEST_SUITE(DBSCANTiles, DeviceTypes, DeviceTypeNames);

TYPED_TEST(DBSCANTiles, sanitize_SizesAroundStripsTilesAndWindows) {
  using T = typename TypeParam::Value;
  for (const std::int64_t n : {1, 15, 16, 17, 63, 64, 65, 150, 513, 1025})
    for (const std::int64_t d : {4, 5, 7})
      this->check({random_matrix<T>(n, d, static_cast<std::uint64_t>(n + d), 0.5, 0.5),
                   {.eps = n < 150 ? 0.5 : 0.3, .min_samples = 4}});
}

TYPED_TEST(DBSCANTiles, SeveralLevels) {
  using T = typename TypeParam::Value;
  constexpr double eps_of_blobs[] = {4.5, 15.0, 2.4};  // in the order of every_norm
  constexpr double eps_of_uniform[] = {0.15, 0.28, 0.1};
  for (std::size_t i = 0; i < std::size(every_norm); ++i) {
    this->check(
        {blobs_matrix<T>(2500, 16, 6, 3, 4.0), {.eps = eps_of_blobs[i], .min_samples = 10, .metric = every_norm[i]}});
    this->check({random_matrix<T>(2500, 5, 9, 0.5, 0.5),
                 {.eps = eps_of_uniform[i], .min_samples = 3, .metric = every_norm[i]}});
  }
}

TYPED_TEST(DBSCANTiles, DistancesEqualToEps) {
  using T = typename TypeParam::Value;
  for (const DBSCANMetric metric : every_norm) {
    this->check({grid_matrix<T>(1500, 4, 7, 5), {.eps = 1.0, .min_samples = 5, .metric = metric}});
    this->check({grid_matrix<T>(1500, 6, 5, 6), {.eps = 2.0, .min_samples = 30, .metric = metric}});
  }
}

TYPED_TEST(DBSCANTiles, MoreColumnsThanAreTakenAtATime) {
  using T = typename TypeParam::Value;
  this->check({blobs_matrix<T>(300, 31, 3, 8, 2.0), {.eps = 7.5, .min_samples = 5}});
  this->check({blobs_matrix<T>(300, 130, 3, 8, 2.0), {.eps = 16.0, .min_samples = 5}});
  this->check({blobs_matrix<T>(100, 1000, 2, 8, 2.0), {.eps = 44.8, .min_samples = 5}});
  this->check(
      {blobs_matrix<T>(600, 300, 2, 8, 2.0), {.eps = 332.0, .min_samples = 5, .metric = DBSCANMetric::manhattan}});
}

TYPED_TEST(DBSCANTiles, Weights) {
  using T = typename TypeParam::Value;
  for (const double least : {0.0, -1.5}) {
    Vector<T> weights(2500);
    for (std::int64_t i = 0; i < weights.size(); ++i)
      weights.data()[i] = static_cast<T>(least + std::floor(uniform(4, i) * 1024) / 256);
    this->check({random_matrix<T>(2500, 4, 77, 0.5, 0.5), {.eps = 0.14, .min_samples = 5}, std::move(weights)});
  }
}

TYPED_TEST(DBSCANTiles, FarRowsTinyAndHugeEps) {
  using T = typename TypeParam::Value;
  Matrix<T> far = random_matrix<T>(1500, 4, 78, 0.5, 0.5);
  far(5, 0) = static_cast<T>(1e30);
  far(100, 2) = static_cast<T>(-1e25);
  this->check({std::move(far), {.eps = 0.12, .min_samples = 4}});
  for (const DBSCANMetric metric : every_norm) {
    this->check({random_matrix<T>(1500, 4, 79, 0.0, 1e-30), {.eps = 0.3e-30, .min_samples = 4, .metric = metric}});
    this->check({random_matrix<T>(1500, 4, 80, 0.0, 1e38), {.eps = 0.3e38, .min_samples = 4, .metric = metric}});
  }
}

TYPED_TEST(DBSCANTiles, RowsFarAlongALine) {
  using T = typename TypeParam::Value;
  Matrix<T> X(600, 2);
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    X(i, 0) = static_cast<T>(i % 3 == 0 ? -1e9 : 1e9);
    X(i, 1) = static_cast<T>(i);
  }
  this->check({std::move(X), {.eps = 2.0, .min_samples = 3}});
}

TYPED_TEST(DBSCANTiles, OneClusterThroughThreeLevels) {
  using T = typename TypeParam::Value;
  if (TypeParam::kind == DeviceKind::cpu) GTEST_SKIP() << "the levels are those of the CUDA backend's tree";
  constexpr std::int64_t n = 70001;  // a prime
  Matrix<T> X(n, 4);
  for (std::int64_t i = 0; i < n; ++i) X(i, 0) = static_cast<T>(i * 7919 % n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 1; j < 4; ++j) X(i, j) = T{1};
  const Given<T> given{std::move(X), {.eps = 1.0, .min_samples = 3}};
  const DBSCAN<T> model = this->fit(given);
  EXPECT_EQ(model.labels().to_std(), Labels(n, 0));
  EXPECT_EQ(static_cast<std::int64_t>(model.core_sample_indices().to_std().size()), n - 2);
}

TYPED_TEST(DBSCANTiles, DuplicatesAndOneRowApart) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 20000;
  Matrix<T> X(n, 5);
  for (std::int64_t i = 0; i < n * 5; ++i) X.data()[i] = static_cast<T>(i < 5 ? 100 : 1);
  Labels expected(n, 0);
  expected[0] = -1;
  EXPECT_EQ(this->fit({std::move(X), {.eps = 0.5, .min_samples = 5}}).labels().to_std(), expected);
}

TYPED_TEST(DBSCANTiles, NothingIsCore) {
  using T = typename TypeParam::Value;
  const Given<T> few{random_matrix<T>(700, 6, 12), {.eps = 100.0, .min_samples = 701}};
  EXPECT_EQ(this->fit(few).labels().to_std(), Labels(700, -1));
  const Given<T> none{random_matrix<T>(700, 6, 12), {.eps = 1e-3, .min_samples = 2}};
  EXPECT_EQ(this->fit(none).labels().to_std(), Labels(700, -1));
  EXPECT_EQ(this->fit(none).predict(none.X.to(this->device())).to_std(), Labels(700, -1));
}

TYPED_TEST(DBSCANTiles, NewRowsTakeTheLeastClusterInReach) {
  using T = typename TypeParam::Value;
  const Given<T> given{blobs_matrix<T>(2500, 6, 9, 21, 5.0), {.eps = 1.7, .min_samples = 8}};
  const Matrix<T> Y = blobs_matrix<T>(1001, 6, 9, 21, 5.0);
  const DBSCAN<T> model = this->fit(given);
  EXPECT_EQ(model.predict(Y.to(this->device())).to_std(),
            reference::predict(given.X.view(), given.options, twin(given), Y.view()));
}

}  // namespace
}  // namespace tilelearn::testing
