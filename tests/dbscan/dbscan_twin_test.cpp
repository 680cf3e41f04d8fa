// Every device against the plain twin: sizes around warps and tiles, data of many kinds, all metrics, weights.
#include <functional>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANTwin : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// What a fit found, to see that the data had something of everything.
  struct Found {
    std::size_t core = 0;
    std::size_t border = 0;
    std::size_t noise = 0;
    std::int64_t clusters = 0;

    void expect_something_of_everything() const {
      EXPECT_GT(core, 0U);
      EXPECT_GT(border, 0U);
      EXPECT_GT(noise, 0U);
      EXPECT_GT(clusters, 0);
    }
  };

  void compare(const Given<Value>& given, Found& found) const {
    const DBSCAN<Value> model = this->fit(given);
    expect_consistent(model, given, this->device());
    const reference::Result expected = twin(given);
    expect_equals_twin(model, expected);
    const auto noise = static_cast<std::size_t>(std::count(expected.labels.begin(), expected.labels.end(), -1));
    found.core += expected.core.size();
    found.noise += noise;
    found.border += expected.labels.size() - noise - expected.core.size();
    found.clusters += expected.n_clusters;
  }
};
TYPED_TEST_SUITE(DBSCANTwin, DeviceTypes, DeviceTypeNames);

constexpr std::int64_t row_counts[] = {1, 31, 32, 33, 257, 1000};
constexpr std::int64_t column_counts[] = {1, 2, 3, 5, 33, 128};
constexpr DBSCANMetric every_vector_metric[] = {DBSCANMetric::euclidean, DBSCANMetric::manhattan,
                                                DBSCANMetric::chebyshev, DBSCANMetric::cosine};
/// Keeps the twin, which takes its time, within seconds.
constexpr std::int64_t most_products = 40000000;

const char* name_of(DBSCANMetric metric) {
  constexpr const char* names[] = {"euclidean", "manhattan", "chebyshev", "cosine", "haversine"};
  return names[static_cast<int>(metric)];
}

TYPED_TEST(DBSCANTwin, BlobsOfEverySize) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  for (const std::int64_t n : row_counts)
    for (const std::int64_t d : column_counts)
      for (const DBSCANMetric metric : every_vector_metric) {
        if (metric == DBSCANMetric::cosine && d == 1) continue;  // two directions alone
        if (n * n * d > most_products && metric != DBSCANMetric::euclidean) continue;
        SCOPED_TRACE(::testing::Message() << n << " x " << d << ", " << name_of(metric));
        Matrix<T> X = blobs_matrix<T>(n, d, 5, 1);
        const double eps = quantile_distance(X, metric, 0.03);
        this->compare({std::move(X), {.eps = eps, .min_samples = 1 + n / 40, .metric = metric}}, found);
        if (this->HasFailure()) return;
      }
  found.expect_something_of_everything();
}

TYPED_TEST(DBSCANTwin, TiesAndDuplicatesOfEverySize) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  for (const std::int64_t n : row_counts)
    for (const std::int64_t d : column_counts)
      for (const DBSCANMetric metric : every_norm) {
        if (n * n * d > most_products) continue;
        SCOPED_TRACE(::testing::Message() << n << " x " << d << ", " << name_of(metric));
        // integers, and a distance between some of them
        Matrix<T> X = grid_matrix<T>(n, d, d == 1 ? 200 : d <= 3 ? 25 : 4, 2);
        const double eps = quantile_distance(X, metric, 0.01);
        this->compare({std::move(X), {.eps = eps, .min_samples = 2 + n / 50, .metric = metric}}, found);
        if (this->HasFailure()) return;
      }
  found.expect_something_of_everything();
}

TYPED_TEST(DBSCANTwin, AnglesOfEverySize) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  for (const std::int64_t n : row_counts)
    for (const double eps : {1e-4, 0.03, 0.4, 3.0, 4.0}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, eps " << eps);
      Matrix<T> X(n, 2);
      for (std::int64_t i = 0; i < n; ++i) {
        X(i, 0) = static_cast<T>(3.14 * (uniform(3, 2 * i) - 0.5));
        X(i, 1) = static_cast<T>(12.56 * (uniform(3, 2 * i + 1) - 0.5));
      }
      // half of the rows in a few places, one of them a pole
      for (std::int64_t i = 0; i < n; i += 2) {
        const double place = static_cast<double>(i % 3);
        X(i, 0) = static_cast<T>(1.5 - place + 0.02 * normal(4, i));
        X(i, 1) = static_cast<T>(3.0 * place + 0.02 * normal(5, i));
      }
      this->compare({std::move(X), {.eps = eps, .min_samples = 3 + n / 100, .metric = DBSCANMetric::haversine}}, found);
    }
  found.expect_something_of_everything();
}

TYPED_TEST(DBSCANTwin, Weights) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  const std::vector<std::function<double(std::int64_t)>> kinds{
      [](std::int64_t i) { return 2.0 * uniform(6, i); },                             // fractions
      [](std::int64_t i) { return 3.0 * uniform(7, i) - 1.0; },                       // a third of them negative
      [](std::int64_t i) { return std::ldexp(1.0, static_cast<int>(i % 40) - 35); },  // of many sizes
      [](std::int64_t i) { return i % 97 == 0 ? 1e30 : 1.0; },                        // some that decide alone
      [](std::int64_t i) { return i % 3 == 0 ? 0.0 : 0.1; },                          // tenths, which no float holds
      [](std::int64_t) { return 0.0; },
      [](std::int64_t) { return -1.0; },
      [](std::int64_t i) { return i % 2 == 0 ? 1e-30 : -1e-30; },
  };
  for (const std::int64_t n : {1, 33, 500})
    for (const std::int64_t d : {1, 2, 3, 6, 40})
      for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        for (const std::int64_t min_samples : {1, 4}) {
          SCOPED_TRACE(::testing::Message() << n << " x " << d << ", weights " << kind << ", " << min_samples);
          Matrix<T> X = blobs_matrix<T>(n, d, 6, 8);
          const double eps = quantile_distance(X, DBSCANMetric::euclidean, 0.02);
          Given<T> given{std::move(X), {.eps = eps, .min_samples = min_samples}};
          given.weights.emplace(n);
          for (std::int64_t i = 0; i < n; ++i) (*given.weights)[i] = static_cast<T>(kinds[kind](i));
          this->compare(given, found);
          if (this->HasFailure()) return;
        }
  found.expect_something_of_everything();
}

struct Kind {
  const char* name;
  std::function<double(std::int64_t row, std::int64_t column, double uniform)> value;
};

/// Values of rows; most of them have structure that one regime or filter finds hard.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"uniform", [](auto, auto, double u) { return u; }},
      {"offset", [](auto, auto, double u) { return 1e6 + u; }},
      {"negative offset", [](auto, auto, double u) { return u - 1e5; }},
      {"tiny", [](auto, auto, double u) { return 1e-30 * u; }},
      {"huge", [](auto, auto, double u) { return 1e25 * (u - 0.5); }},
      {"far rows", [](auto row, auto, double u) { return row % 97 == 1 ? 1e15 * u : u; }},
      {"one wide column", [](auto, auto column, double u) { return column == 0 ? 1e6 * u : u; }},
      {"one flat column", [](auto, auto column, double u) { return column == 0 ? 7.0 : u; }},
      {"a dense ball", [](auto row, auto, double u) { return row % 3 == 0 ? 100.0 * u : 50.0 + 1e-3 * u; }},
      {"many sizes", [](auto row, auto, double u) { return std::ldexp(u, static_cast<int>(row % 20)); }},
      {"duplicates", [](auto, auto column, double u) { return std::floor(3.0 * u) + static_cast<double>(column); }},
      {"two values", [](auto, auto, double u) { return u < 0.5 ? -1.0 : 1.0; }},
      {"equal rows", [](auto, auto column, auto) { return static_cast<double>(column + 1); }},
      {"a line", [](auto row, auto, auto) { return static_cast<double>(1 + row * 7919 % 401); }},
  };
  return all;
}

TYPED_TEST(DBSCANTwin, EveryKindOfData) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  for (const std::int64_t d : {1, 2, 3, 4, 7, 16, 33, 130})
    for (const Kind& kind : kinds())
      for (const DBSCANMetric metric : every_vector_metric) {
        if (metric == DBSCANMetric::cosine && d == 1) continue;
        SCOPED_TRACE(::testing::Message() << kind.name << ", " << d << " columns, " << name_of(metric));
        const std::int64_t n = d <= 4 ? 250 : d <= 16 ? 130 : 70;
        Matrix<T> X(n, d);
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < d; ++j)
            X(i, j) = static_cast<T>(kind.value(i, j, uniform(static_cast<std::uint64_t>(d), i * d + j)));
        const double eps = quantile_distance(X, metric, 0.02);
        this->compare({std::move(X), {.eps = eps, .min_samples = 5, .metric = metric}}, found);
        if (this->HasFailure()) return;
      }
  found.expect_something_of_everything();
}

/// Small enough for compute-sanitizer: every regime once.
TYPED_TEST(DBSCANTwin, sanitize_EveryRegime) {
  using T = typename TypeParam::Value;
  typename TestFixture::Found found;
  for (const std::int64_t d : {1, 2, 3, 4, 20, 70})
    for (const DBSCANMetric metric : every_vector_metric) {
      if (metric == DBSCANMetric::cosine && d == 1) continue;
      SCOPED_TRACE(::testing::Message() << d << " columns, " << name_of(metric));
      Matrix<T> X = blobs_matrix<T>(300, d, 4, 9);
      const double eps = quantile_distance(X, metric, 0.03);
      Given<T> given{std::move(X), {.eps = eps, .min_samples = 6, .metric = metric}};
      this->compare(given, found);
      given.weights.emplace(300);
      for (std::int64_t i = 0; i < 300; ++i) (*given.weights)[i] = static_cast<T>(3.0 * uniform(10, i) - 1.0);
      this->compare(given, found);
      given.X(7, 0) = T(1e18);  // no grid
      this->compare(given, found);
    }
  found.expect_something_of_everything();
}

}  // namespace
}  // namespace tilelearn::testing
