// The regimes of the CPU backend give one answer: grids of both cell sizes, tiles, the twin; any number of threads; any
// workspace limit that is enough.
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "dbscan/dbscan_cpu_check.hpp"
#include "dbscan/dbscan_cpu_fit.hpp"
#include "dbscan/dbscan_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

namespace cpu = dbscan::cpu;

struct Fitted {
  std::int32_t clusters = -1;
  Labels labels;
  std::vector<std::uint8_t> is_core;

  friend bool operator==(const Fitted&, const Fitted&) = default;
};

enum class Regime { grid, tiles };

/// A fit by one regime; clusters stay -1 where the grid refuses the rows.
template <typename T>
Fitted fit_by(Regime regime, const Given<T>& given, int threads = 2, const std::function<bool()>& asked = {}) {
  const auto n = static_cast<std::size_t>(given.X.rows());
  Fitted fitted{-1, Labels(n), std::vector<std::uint8_t>(n)};
  const Device device = Device::cpu(threads);
  detail::CpuWorkspace workspace(device, "DBSCAN");
  cpu::Stop stop(asked);
  std::optional<VectorView<const T>> weights;
  if (given.weights.has_value()) weights = given.weights->view();
  const cpu::Density density = cpu::make_density(weights, given.options.min_samples, workspace);
  const cpu::Context context{dbscan::ball_of(given.options, given.X.columns()), threads, workspace, stop};
  const cpu::Rows<T> rows{given.X.data(), given.X.rows(), static_cast<int>(given.X.columns())};
  const cpu::FitResult result{fitted.labels.data(), fitted.is_core.data()};
  if (regime == Regime::tiles)
    fitted.clusters = cpu::fit_tiles(rows, density, context, result);
  else
    fitted.clusters = cpu::fit_grid(rows, density, context, result).value_or(-1);
  return fitted;
}

template <typename T>
Fitted expected_of(const Given<T>& given) {
  const reference::Result expected = twin(given);
  Fitted fitted{expected.n_clusters, expected.labels, std::vector<std::uint8_t>(expected.labels.size())};
  for (const std::int64_t i : expected.core) fitted.is_core[static_cast<std::size_t>(i)] = 1;
  return fitted;
}

template <typename T>
class DBSCANCpuRegimes : public ::testing::Test {
 protected:
  /// All regimes against the twin.
  static void expect_one_answer(const Given<T>& given) {
    const Fitted expected = expected_of(given);
    EXPECT_EQ(fit_by(Regime::tiles, given), expected);
    EXPECT_EQ(fit_by(Regime::grid, given), expected);
  }
};

TYPED_TEST_SUITE(DBSCANCpuRegimes, ValueTypes, ValueTypeNames);

/// Rows in blobs of standard deviations that differ, so that a grid has crowded, thin and lonely cells.
template <typename T>
Matrix<T> uneven_blobs(std::int64_t n, std::int64_t d, std::uint64_t seed) {
  constexpr std::int64_t blobs = 5;
  Matrix<T> X = random_matrix<T>(n, d, seed);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < d; ++j) {
      const std::int64_t blob = i % blobs;
      const double width = std::ldexp(0.5, -2 * static_cast<int>(blob));
      X(i, j) = static_cast<T>(width * static_cast<double>(X(i, j)) + 1.5 * uniform(seed + 1, blob * d + j));
    }
  return X;
}

TYPED_TEST(DBSCANCpuRegimes, AgreeOnBlobsOfEveryNormAndSize) {
  for (const DBSCANMetric metric : every_norm)
    for (const std::int64_t d : {1, 2, 3})
      for (const double eps : {0.004, 0.03, 0.2, 0.9})
        for (const std::int64_t min_samples : {1, 4, 30}) {
          SCOPED_TRACE(::testing::Message() << "metric " << static_cast<int>(metric) << ", d " << d << ", eps " << eps
                                            << ", min_samples " << min_samples);
          this->expect_one_answer({uneven_blobs<TypeParam>(400, d, 11), {eps, min_samples, metric}});
        }
}

TYPED_TEST(DBSCANCpuRegimes, AgreeOnRowsOfALattice) {
  // Every distance ties with some eps here.
  Matrix<TypeParam> X(600, 2);
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    X(i, 0) = static_cast<TypeParam>(i % 25);
    X(i, 1) = static_cast<TypeParam>(i * 7 % 29);
  }
  for (const DBSCANMetric metric : every_norm)
    for (const double eps : {1.0, 2.0, 5.0}) this->expect_one_answer({X.clone(), {eps, 6, metric}});
}

TYPED_TEST(DBSCANCpuRegimes, AgreeOnRowsFarFromZero) {
  // Neighbourhoods are a few units in the last place wide.
  Matrix<TypeParam> X = random_matrix<TypeParam>(300, 2, 3, 3.0e6, 40.0);
  this->expect_one_answer({X.clone(), {1.5, 4}});
  this->expect_one_answer({X.clone(), {0.3, 2}});
}

TYPED_TEST(DBSCANCpuRegimes, AgreeOnWeights) {
  const Matrix<TypeParam> X = uneven_blobs<TypeParam>(400, 2, 5);
  for (const std::int64_t kind : {0, 1, 2}) {
    Vector<TypeParam> weights(X.rows());
    for (std::int64_t i = 0; i < X.rows(); ++i)
      weights[i] = static_cast<TypeParam>(kind == 0   ? static_cast<double>(i % 3)
                                          : kind == 1 ? 0.25 + uniform(8, i)
                                                      : 0.0);
    SCOPED_TRACE(kind);
    this->expect_one_answer({X.clone(), {0.05, 5}, std::move(weights)});
  }
}

TYPED_TEST(DBSCANCpuRegimes, GridRefusesWhatItCannotHold) {
  Matrix<TypeParam> far = random_matrix<TypeParam>(100, 2, 1);
  far(17, 0) = TypeParam{1e12F};
  const Given<TypeParam> outlier{std::move(far), {0.01, 2}};
  EXPECT_EQ(fit_by(Regime::grid, outlier).clusters, -1);
  EXPECT_EQ(fit_by(Regime::tiles, outlier), expected_of(outlier));

  Vector<TypeParam> weights(100);
  for (std::int64_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<TypeParam>(i % 4 - 1);
  const Given<TypeParam> negative{random_matrix<TypeParam>(100, 2, 1), {0.3, 2}, std::move(weights)};
  EXPECT_EQ(fit_by(Regime::grid, negative).clusters, -1);
  EXPECT_EQ(fit_by(Regime::tiles, negative), expected_of(negative));
}

/// Two arcs around one point, a little more than 1 from each other everywhere: hundreds of rows in each cell, none
/// within 1 of one on the other arc.
template <typename T>
Matrix<T> close_arcs(std::int64_t n) {
  Matrix<T> X(n, 2);
  for (std::int64_t i = 0; i < n; ++i) {
    const double radius = i % 2 == 0 ? 1.0 : 2.001;
    const double angle = 1.5 * uniform(21, i);
    X(i, 0) = static_cast<T>(radius * std::cos(angle));
    X(i, 1) = static_cast<T>(radius * std::sin(angle));
  }
  return X;
}

TYPED_TEST(DBSCANCpuRegimes, AgreeAtTheEndsOfTheRange) {
  constexpr TypeParam most = std::numeric_limits<TypeParam>::max();
  for (const DBSCANMetric metric : every_norm)
    for (const double share : {0.2, 0.5, 0.99}) {
      Matrix<TypeParam> X = random_matrix<TypeParam>(40, 2, 43);
      for (std::int64_t i = 0; i < X.rows() * 2; ++i) X.data()[i] *= most;
      const double eps = double{static_cast<TypeParam>(share * double{most})};
      const Given<TypeParam> given{std::move(X), {eps, 3, metric}};
      DBSCAN<TypeParam> model(given.options);
      model.fit(given.X);
      expect_equals_twin(model, twin(given));
      EXPECT_EQ(model.predict(given.X).to_std(), model.labels().to_std());
    }
}

TYPED_TEST(DBSCANCpuRegimes, CrowdedCellsThatDoNotTouchStayApart) {
  constexpr std::int64_t n = 6000;
  const Given<TypeParam> given{close_arcs<TypeParam>(n), {1.0, 5}};
  const Fitted grid = fit_by(Regime::grid, given);
  EXPECT_EQ(grid.clusters, 2);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(grid.labels[i], static_cast<std::int32_t>(i % 2)) << i;
  EXPECT_EQ(fit_by(Regime::tiles, given), grid);
}

TYPED_TEST(DBSCANCpuRegimes, CrowdedCellsThatTouchInOnePairAreJoined) {
  // The last row of each arc, and no others, are within 1: too many pairs come before them to look at each.
  constexpr std::int64_t n = 6000;
  Matrix<TypeParam> X = close_arcs<TypeParam>(n);
  for (const auto& [row, radius] : {std::pair{n - 2, 1.0005}, std::pair{n - 1, 2.0003}}) {
    X(row, 0) = static_cast<TypeParam>(radius * std::cos(0.4));
    X(row, 1) = static_cast<TypeParam>(radius * std::sin(0.4));
  }
  const Given<TypeParam> given{std::move(X), {1.0, 5}};
  EXPECT_EQ(fit_by(Regime::grid, given).labels, Labels(n, 0));
  EXPECT_EQ(fit_by(Regime::tiles, given).labels, Labels(n, 0));
}

TYPED_TEST(DBSCANCpuRegimes, TilesAgreeWithTheTwinInMoreColumns) {
  for (const DBSCANMetric metric : every_norm)
    for (const std::int64_t d : {4, 7, 16, 33}) {
      SCOPED_TRACE(::testing::Message() << "metric " << static_cast<int>(metric) << ", d " << d);
      const double eps = metric == DBSCANMetric::manhattan ? 0.15 * static_cast<double>(d) : 0.4;
      const Given<TypeParam> given{uneven_blobs<TypeParam>(500, d, 13), {eps, 6, metric}};
      EXPECT_EQ(fit_by(Regime::tiles, given), expected_of(given));
    }
}

TYPED_TEST(DBSCANCpuRegimes, ThreadsDoNotMatter) {
  for (const std::int64_t d : {2, 3, 6}) {
    const Given<TypeParam> given{uneven_blobs<TypeParam>(20000, d, 17), {0.02 * static_cast<double>(d * d), 8}};
    for (const Regime regime : {Regime::grid, Regime::tiles}) {
      const Fitted one = fit_by(regime, given, 1);
      for (const int threads : {2, 3, 7}) EXPECT_EQ(fit_by(regime, given, threads), one) << d << " x " << threads;
    }
  }
}

TYPED_TEST(DBSCANCpuRegimes, WorkspaceLimitsAreObeyedOrRefused) {
  for (const std::int64_t d : {2, 5}) {
    const Matrix<TypeParam> X = uneven_blobs<TypeParam>(3000, d, 19);
    DBSCAN<TypeParam> free({0.1, 6});
    free.fit(X);
    std::int64_t refused = 0;
    std::int64_t limit = 1;
    for (;; limit *= 2) {
      const Device limited = Device::cpu().with_workspace_limit(limit);
      DBSCAN<TypeParam> model({0.1, 6});
      try {
        model.fit(MatrixView<const TypeParam>(X.data(), X.rows(), d, limited));
        expect_same(model, free);
        break;
      } catch (const OutOfMemory&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 10);
    EXPECT_LT(limit, X.rows() * (64 * d + 256)) << "O(n d), not n x n";
  }
}

TYPED_TEST(DBSCANCpuRegimes, StopEndsEverySearch) {
  for (const std::int64_t d : {2, 5}) {
    const Given<TypeParam> given{uneven_blobs<TypeParam>(20000, d, 23), {0.05, 100}};
    for (const Regime regime : {Regime::grid, Regime::tiles}) {
      if (d > 3 && regime == Regime::grid) continue;
      int questions = 0;
      EXPECT_NO_THROW(fit_by(regime, given, 1, [&] { return ++questions < 0; }));
      EXPECT_GT(questions, 2) << "asked along the way";
      for (const int last : {1, 2, questions}) {
        int asked = 0;
        EXPECT_THROW(fit_by(regime, given, 1, [&] { return ++asked >= last; }), Cancelled) << last;
      }
      EXPECT_THROW(fit_by(regime, given, 2, []() -> bool { throw std::runtime_error("from the caller"); }),
                   std::runtime_error);
    }
  }
}

/// predict by one regime; empty where the grid refuses the components.
template <typename T>
Labels predict_by(Regime regime, const Matrix<T>& X, const DBSCAN<T>& model) {
  Labels labels(static_cast<std::size_t>(X.rows()));
  const Device device = Device::cpu(2);
  detail::CpuWorkspace workspace(device, "DBSCAN");
  const std::function<bool()> never;
  cpu::Stop stop(never);
  const cpu::Context context{dbscan::ball_of(model.options(), X.columns()), 2, workspace, stop};
  const auto rows_of = [](const Matrix<T>& matrix) {
    return cpu::Rows<T>{matrix.data(), matrix.rows(), static_cast<int>(matrix.columns())};
  };
  Labels component_labels;
  for (const std::int64_t i : model.core_sample_indices().to_std()) component_labels.push_back(model.labels()[i]);
  if (regime == Regime::tiles)
    cpu::predict_tiles(rows_of(X), rows_of(model.components()), component_labels.data(), context, labels.data());
  else if (!cpu::predict_grid(rows_of(X), rows_of(model.components()), component_labels.data(), context, labels.data()))
    labels.clear();
  return labels;
}

TYPED_TEST(DBSCANCpuRegimes, PredictAgrees) {
  for (const double eps : {0.01, 0.05, 0.4}) {
    SCOPED_TRACE(eps);
    const Given<TypeParam> given{uneven_blobs<TypeParam>(800, 2, 29), {eps, 5}};
    DBSCAN<TypeParam> model(given.options);
    model.fit(given.X);
    // Some new rows are far outside, some between the clusters.
    const Matrix<TypeParam> fresh = random_matrix<TypeParam>(700, 2, 31, 0.5, 2.0);
    const Labels expected = reference::predict(given.X.view(), given.options, twin(given), fresh.view());
    EXPECT_EQ(predict_by(Regime::tiles, fresh, model), expected);
    EXPECT_EQ(predict_by(Regime::grid, fresh, model), expected);
    EXPECT_EQ(model.predict(fresh).to_std(), expected);
  }
}

TYPED_TEST(DBSCANCpuRegimes, PredictBesideCrowdedCells) {
  // More core rows in a cell than the grid compares new rows with.
  const Given<TypeParam> given{random_matrix<TypeParam>(3000, 2, 37, 0.0, 0.2), {1.0, 5}};
  DBSCAN<TypeParam> model(given.options);
  model.fit(given.X);
  const Matrix<TypeParam> fresh = random_matrix<TypeParam>(300, 2, 41, 0.0, 2.0);
  EXPECT_EQ(predict_by(Regime::grid, fresh, model), Labels());
  EXPECT_EQ(model.predict(fresh).to_std(),
            reference::predict(given.X.view(), given.options, twin(given), fresh.view()));
}

}  // namespace
}  // namespace tilelearn::testing
