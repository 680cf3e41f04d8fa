// Hard inputs D01 to D25: what broke other libraries, each with the answer that is right.
#include <limits>
#include <numeric>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANCases : public DBSCANTest<I> {};
TYPED_TEST_SUITE(DBSCANCases, DeviceTypes, DeviceTypeNames);

template <typename T>
Matrix<T> arithmetic_column(std::int64_t n, double step) {
  Matrix<T> X(n, 1);
  for (std::int64_t i = 0; i < n; ++i) X(i, 0) = static_cast<T>(step * static_cast<double>(i));
  return X;
}

TYPED_TEST(DBSCANCases, D01_SpacingEqualToEps) {
  using T = typename TypeParam::Value;
  const DBSCAN<T> chain = this->checked_fit({arithmetic_column<T>(30, 20), {.eps = 20.0, .min_samples = 3}});
  EXPECT_EQ(chain.labels().to_std(), Labels(30, 0));
  std::vector<std::int64_t> inner(28);
  std::iota(inner.begin(), inner.end(), std::int64_t{1});
  EXPECT_EQ(chain.core_sample_indices().to_std(), inner);
  EXPECT_EQ(this->labels({arithmetic_column<T>(30, 20), {.eps = 19.999, .min_samples = 2}}), Labels(30, -1));
}

TYPED_TEST(DBSCANCases, D03_OffsetsDoNotChangeNeighbours) {
  using T = typename TypeParam::Value;
  const bool single = sizeof(T) == sizeof(float);
  for (const double offset : single ? std::vector<double>{0, 1e4, 1e5, 1e6, 1e7} : std::vector<double>{1e8, 1e12, 1e15})
    for (const DBSCANMetric metric : every_norm) {
      SCOPED_TRACE(offset);
      Matrix<T> X = column<T>({0, 1, 2, 3, 4, 7, 8, 9});
      for (std::int64_t i = 0; i < X.rows(); ++i) X(i, 0) = static_cast<T>(double{X(i, 0)} + offset);
      EXPECT_EQ(this->labels({std::move(X), {.eps = 1.0, .min_samples = 2, .metric = metric}}),
                (Labels{0, 0, 0, 0, 0, 1, 1, 1}));
    }
}

TYPED_TEST(DBSCANCases, D05_ACoreRowWhoseNeighboursAreTaken) {
  using T = typename TypeParam::Value;
  Matrix<T> X{{2, 0}, {3, 0}, {2, 1}, {2, -1}, {-2, 0}, {-3, 0}, {-2, 1}, {-2, -1},
              {0, 2}, {0, 3}, {1, 2}, {-1, 2}, {1, 0},  {-1, 0}, {0, 1},  {0, 0}};
  const DBSCAN<T> model = this->checked_fit({std::move(X), {.eps = 1.0, .min_samples = 4}});
  EXPECT_EQ(model.labels().to_std(), (Labels{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 1, 2, 3}));
  EXPECT_EQ(model.core_sample_indices().to_std(), (std::vector<std::int64_t>{0, 4, 8, 15}));
  EXPECT_EQ(model.n_clusters(), 4);
}

TYPED_TEST(DBSCANCases, D07_ARowCountsItself) {
  using T = typename TypeParam::Value;
  const auto labels = [this](std::int64_t min_samples) {
    return this->labels({column<T>({0, 1, 5}), {.eps = 1.0, .min_samples = min_samples}});
  };
  EXPECT_EQ(labels(1), (Labels{0, 0, 1}));
  EXPECT_EQ(labels(2), (Labels{0, 0, -1}));
  EXPECT_EQ(labels(3), (Labels{-1, -1, -1}));
}

TYPED_TEST(DBSCANCases, D09_AHundredThousandEqualRows) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t copies = 100000;
  // eight columns are searched in another way than two
  for (const std::int64_t d : {2, 8}) {
    Matrix<T> X(copies + 1, d);
    for (std::int64_t i = 0; i < X.rows(); ++i)
      for (std::int64_t j = 0; j < d; ++j) X(i, j) = i < copies ? T(1 + j % 2) : T(100);
    // n^2 bits would be 1.25e9 bytes
    const Device device = this->device().with_workspace_limit(std::int64_t{100} << 20);
    DBSCAN<T> model({.eps = 0.5, .min_samples = 5});
    model.fit(X.to(device));
    Labels expected(copies + 1, 0);
    expected.back() = -1;
    EXPECT_EQ(model.labels().to_std(), expected);
    EXPECT_EQ(model.core_sample_indices().size(), copies);
  }
}

TYPED_TEST(DBSCANCases, D11_MoreThanTwoToThe32Pairs) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 70000;
  const DBSCAN<T> alone = this->fit({arithmetic_column<T>(n, 10), {.eps = 1.0, .min_samples = 1}});
  Labels expected(n);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(alone.labels().to_std(), expected);
  EXPECT_EQ(alone.n_clusters(), n);
  const DBSCAN<T> noise = this->fit({arithmetic_column<T>(n, 10), {.eps = 1.0, .min_samples = 2}});
  EXPECT_EQ(noise.labels().to_std(), Labels(n, -1));
}

TYPED_TEST(DBSCANCases, D13_ALatticeOfSixtyThousand) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t width = 300;
  constexpr std::int64_t height = 200;
  Matrix<T> X(width * height, 2);
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    X(i, 0) = static_cast<T>(i / height);
    X(i, 1) = static_cast<T>(i % height);
  }
  const DBSCAN<T> model = this->fit({std::move(X), {.eps = 1.0, .min_samples = 5}});
  // all but the rim; of the rim, the corners alone have no core row beside them
  EXPECT_EQ(model.core_sample_indices().size(), 59004);
  Labels expected(width * height, 0);
  for (const std::int64_t corner : {std::int64_t{0}, height - 1, (width - 1) * height, width * height - 1})
    expected[static_cast<std::size_t>(corner)] = -1;
  EXPECT_EQ(model.labels().to_std(), expected);
}

TYPED_TEST(DBSCANCases, D15_ParametersAndNotANumber) {
  using T = typename TypeParam::Value;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto fit = [this](double eps, std::int64_t min_samples, double last = 2.0) {
    this->fit({Matrix<T>{{0, 0}, {1, 1}, {2, static_cast<T>(last)}}, {.eps = eps, .min_samples = min_samples}});
  };
  for (const double eps : {nan, 0.0, -1.0, infinity}) EXPECT_THROW(fit(eps, 1), InvalidArgument) << eps;
  for (const std::int64_t min_samples : {0, -1}) EXPECT_THROW(fit(1.0, min_samples), InvalidArgument) << min_samples;
  for (const double bad : {nan, infinity, -infinity}) {
    try {
      fit(1.0, 1, bad);
      FAIL() << "no error for " << bad;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("row 2, column 1"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(fit(1.0, 1));
}

TYPED_TEST(DBSCANCases, D17_AChainIsOneClusterUnderEveryWorkspaceLimit) {
  using T = typename TypeParam::Value;
  constexpr std::int64_t n = 5000;
  const Matrix<T> X = arithmetic_column<T>(n, 1).to(this->device());
  int accepted = 0;
  for (std::int64_t limit = 1; limit <= (std::int64_t{1} << 40); limit *= 2) {
    DBSCAN<T> model({.eps = 1.0, .min_samples = 2});
    const MatrixView<const T> view(X.data(), n, 1, this->device().with_workspace_limit(limit));
    try {
      model.fit(view);
    } catch (const OutOfMemory&) {
      EXPECT_EQ(accepted, 0) << "refused with " << limit << " bytes, accepted with fewer";
      continue;
    }
    ++accepted;
    EXPECT_EQ(model.labels().to_std(), Labels(n, 0));
    EXPECT_EQ(model.core_sample_indices().size(), n);
  }
  // 2^25 bytes, n^2 of them, is far more than a chain of n rows needs
  EXPECT_GE(accepted, 16);
}

TYPED_TEST(DBSCANCases, D19_SquaresThatOverflowOrVanish) {
  using T = typename TypeParam::Value;
  const bool single = sizeof(T) == sizeof(float);
  const std::vector<std::pair<double, double>> pairs =
      single ? std::vector<std::pair<double, double>>{{3e20, 1e20}, {3e-25, 1e-25}, {3e-44, 1e-44}}
             : std::vector<std::pair<double, double>>{{1e200, 1e199}, {3e-170, 1e-170}, {3e-320, 1e-320}};
  for (const auto& [far, eps] : pairs)
    for (const DBSCANMetric metric : every_norm) {
      SCOPED_TRACE(::testing::Message() << far << " and " << eps);
      const auto labels = [this, metric](double other, double radius) {
        return this->labels({column<T>({0, other}), {.eps = radius, .min_samples = 2, .metric = metric}});
      };
      EXPECT_EQ(labels(far, eps), (Labels{-1, -1}));
      EXPECT_EQ(labels(eps, eps), (Labels{0, 0}));
      EXPECT_EQ(labels(eps, far), (Labels{0, 0}));
    }
}

TYPED_TEST(DBSCANCases, D21_ClustersAreNumberedByTheirFirstCoreRow) {
  using T = typename TypeParam::Value;
  EXPECT_EQ(this->labels({column<T>({10, 10.1, 0, 0.1, 10.2, 0.2}), {.eps = 0.15, .min_samples = 2}}),
            (Labels{0, 0, 1, 1, 0, 1}));
}

TYPED_TEST(DBSCANCases, D23_AThousandColumnsThatNearlyCancel) {
  using T = typename TypeParam::Value;
  Matrix<T> X(2, 1000);
  std::fill_n(X.data(), 1000, T(1));
  std::fill_n(X.data() + 1000, 1000, T(1.001));
  const auto labels = [&](double eps) { return this->labels({X.clone(), {.eps = eps, .min_samples = 2}}); };
  EXPECT_EQ(labels(0.05), (Labels{0, 0}));
  EXPECT_EQ(labels(0.02), (Labels{-1, -1}));
  // the distance is 0.03162425 for float, 0.03162278 for double
  EXPECT_EQ(labels(0.03163), (Labels{0, 0}));
  EXPECT_EQ(labels(0.03162), (Labels{-1, -1}));
}

TYPED_TEST(DBSCANCases, D25_CellsBeyondTheRangeOfInt) {
  using T = typename TypeParam::Value;
  if (sizeof(T) == sizeof(double)) {
    EXPECT_EQ(this->labels({column<T>({0, 0.005, 1e9, 1e9 + 0.005}), {.eps = 0.01, .min_samples = 2}}),
              (Labels{0, 0, 1, 1}));
  }
  EXPECT_EQ(this->labels({column<T>({-1e9, 1e9}), {.eps = 1e-3, .min_samples = 2}}), (Labels{-1, -1}));
}

}  // namespace
}  // namespace tilelearn::testing
