// Pairs exactly eps apart, and one ulp more or less: neighbours are known from integers and rationals alone.
#include <limits>

#include "dbscan/dbscan_test.hpp"

namespace tilelearn::testing {
namespace {

template <typename I>
class DBSCANTies : public DBSCANTest<I> {
 protected:
  using Value = typename I::Value;

  /// Whether two rows are neighbours, as a fit and a predict see it.
  [[nodiscard]] bool are_near(const std::vector<Value>& x, const std::vector<Value>& y, Value eps,
                              DBSCANMetric metric) const {
    const auto d = static_cast<std::int64_t>(x.size());
    Matrix<Value> X(2, d);
    std::copy(x.begin(), x.end(), X.data());
    std::copy(y.begin(), y.end(), X.data() + d);
    const Labels labels = this->labels({std::move(X), {.eps = double{eps}, .min_samples = 2, .metric = metric}});
    EXPECT_EQ(labels[0], labels[1]);
    return labels[0] == 0;
  }

  /// Near at distance `eps`, not where eps is one ulp less.
  void expect_exactly(const std::vector<Value>& x, const std::vector<Value>& y, Value eps, DBSCANMetric metric) const {
    SCOPED_TRACE(::testing::Message() << "metric " << static_cast<int>(metric) << ", eps " << eps << ", "
                                      << ::testing::PrintToString(x) << ::testing::PrintToString(y));
    EXPECT_TRUE(are_near(x, y, eps, metric));
    EXPECT_TRUE(are_near(y, x, eps, metric));
    EXPECT_FALSE(are_near(x, y, std::nextafter(eps, Value{0}), metric));
    EXPECT_TRUE(are_near(x, y, std::nextafter(eps, std::numeric_limits<Value>::infinity()), metric));
  }
};
TYPED_TEST_SUITE(DBSCANTies, DeviceTypes, DeviceTypeNames);

/// Counts and clusters of the lattice {0..side-1}^d with spacing `step`, where eps is `reach` steps.
struct Lattice {
  std::int64_t side;
  int d;

  [[nodiscard]] std::int64_t size() const {
    std::int64_t result = 1;
    for (int j = 0; j < d; ++j) result *= side;
    return result;
  }
  [[nodiscard]] std::int64_t coordinate(std::int64_t i, int j) const {
    for (int k = 0; k < j; ++k) i /= side;
    return i % side;
  }
  template <typename T>
  [[nodiscard]] Matrix<T> rows(double step, double offset) const {
    Matrix<T> X(size(), d);
    for (std::int64_t i = 0; i < size(); ++i)
      for (int j = 0; j < d; ++j) X(i, j) = static_cast<T>(offset + step * static_cast<double>(coordinate(i, j)));
    return X;
  }
  /// Rows, by integers, that are within sqrt(square_reach), or within reach for the other metrics.
  [[nodiscard]] std::int64_t neighbours(std::int64_t i, DBSCANMetric metric, std::int64_t square_reach,
                                        std::int64_t reach) const {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < size(); ++k) {
      std::int64_t squares = 0;
      std::int64_t sum = 0;
      std::int64_t largest = 0;
      for (int j = 0; j < d; ++j) {
        const std::int64_t t = std::abs(coordinate(i, j) - coordinate(k, j));
        squares += t * t;
        sum += t;
        largest = std::max(largest, t);
      }
      count += metric == DBSCANMetric::euclidean   ? squares <= square_reach
               : metric == DBSCANMetric::manhattan ? sum <= reach
                                                   : largest <= reach;
    }
    return count;
  }
};

TYPED_TEST(DBSCANTies, LatticesWithSpacingEqualToEps) {
  using T = typename TypeParam::Value;
  // steps that are powers of two or integers: all coordinates are exact
  for (const Lattice lattice : {Lattice{40, 1}, Lattice{9, 2}, Lattice{5, 3}, Lattice{3, 4}, Lattice{2, 7}})
    for (const double step : {1.0, 0.125, 20.0, 0x1p-60})
      for (const std::int64_t reach : {1, 2})
        for (const DBSCANMetric metric : every_norm) {
          const double offset = step * (reach == 1 ? 0.0 : 1000.0);
          SCOPED_TRACE(::testing::Message() << lattice.d << " columns, step " << step << ", reach " << reach
                                            << ", metric " << static_cast<int>(metric));
          const auto eps = static_cast<double>(reach) * step;
          const std::int64_t middle = lattice.size() / 2;
          const std::int64_t most = lattice.neighbours(middle, metric, reach * reach, reach);
          const auto core_with = [&](double radius, std::int64_t min_samples) {
            return this
                ->fit({lattice.rows<T>(step, offset), {.eps = radius, .min_samples = min_samples, .metric = metric}})
                .core_sample_indices()
                .to_std();
          };
          std::vector<std::int64_t> expected;
          for (std::int64_t i = 0; i < lattice.size(); ++i)
            if (lattice.neighbours(i, metric, reach * reach, reach) >= most) expected.push_back(i);
          EXPECT_EQ(core_with(eps, most), expected);
          // one ulp less: the neighbours at distance `reach` are gone
          const auto less = double{std::nextafter(static_cast<T>(eps), T{0})};
          expected.clear();
          for (std::int64_t i = 0; i < lattice.size(); ++i)
            if (lattice.neighbours(i, metric, reach * reach - 1, reach - 1) >= most) expected.push_back(i);
          EXPECT_EQ(core_with(less, most), expected);
        }
}

TYPED_TEST(DBSCANTies, PythagoreanTriples) {
  using T = typename TypeParam::Value;
  for (const double scale : {1.0, 0.25, 1024.0})
    for (const double offset : {0.0, 4096.0}) {
      const auto at = [&](double value) { return static_cast<T>(offset + scale * value); };
      const auto eps = [&](double value) { return static_cast<T>(scale * value); };
      this->expect_exactly({at(0), at(0)}, {at(3), at(4)}, eps(5), DBSCANMetric::euclidean);
      this->expect_exactly({at(-5), at(0)}, {at(0), at(12)}, eps(13), DBSCANMetric::euclidean);
      this->expect_exactly({at(1), at(2), at(-2)}, {at(0), at(0), at(0)}, eps(3), DBSCANMetric::euclidean);
      this->expect_exactly({at(2), at(3), at(6)}, {at(0), at(0), at(0)}, eps(7), DBSCANMetric::euclidean);
      this->expect_exactly({at(1), at(1), at(1), at(1)}, {at(0), at(2), at(0), at(2)}, eps(2), DBSCANMetric::euclidean);
      this->expect_exactly({at(4), at(4), at(2), at(0), at(1), at(2), at(2), at(2)}, std::vector<T>(8, at(0)), eps(7),
                           DBSCANMetric::euclidean);
      this->expect_exactly({at(3), at(-4)}, {at(0), at(0)}, eps(7), DBSCANMetric::manhattan);
      this->expect_exactly({at(3), at(-4), at(1), at(0), at(2)}, std::vector<T>(5, at(0)), eps(10),
                           DBSCANMetric::manhattan);
      this->expect_exactly({at(3), at(-4)}, {at(0), at(0)}, eps(4), DBSCANMetric::chebyshev);
      this->expect_exactly({at(3), at(-4), at(1), at(0), at(2)}, std::vector<T>(5, at(0)), eps(4),
                           DBSCANMetric::chebyshev);
    }
}

TYPED_TEST(DBSCANTies, DistancesThatNoNumberHolds) {
  using T = typename TypeParam::Value;
  // sqrt(2) and sqrt(10): the floats around the root are on either side of it
  for (const std::int64_t d : {2, 5}) {
    for (const auto& [a, b] : {std::pair<T, T>{1, 1}, std::pair<T, T>{3, 1}}) {
      std::vector<T> x(static_cast<std::size_t>(d), T{7});
      std::vector<T> y = x;
      x.front() += a;
      y.back() += b;
      const long double square = static_cast<long double>(a) * a + static_cast<long double>(b) * b;
      T eps = static_cast<T>(std::sqrt(square));
      for (int step = 0; step < 3; ++step) eps = std::nextafter(eps, T{0});
      for (int step = 0; step < 7; ++step, eps = std::nextafter(eps, T{100})) {
        // eps^2 has at most 106 bits; its first 64 decide against a small integer, for it is never equal
        const bool expected = static_cast<long double>(eps) * static_cast<long double>(eps) > square;
        EXPECT_EQ(this->are_near(x, y, eps, DBSCANMetric::euclidean), expected) << eps;
      }
    }
  }
}

TYPED_TEST(DBSCANTies, SumsThatFloat64RoundsToEps) {
  using T = typename TypeParam::Value;
  // |x - y| = 1 + tiny and 1 - tiny in one column, which every float evaluation rounds to 1
  const T tiny = sizeof(T) == sizeof(float) ? T(0x1p-100) : T(0x1p-700);
  for (const std::size_t d : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{17}}) {
    std::vector<T> x(d, T{0});
    std::vector<T> y(d, T{0});
    x.back() = 1;
    for (const DBSCANMetric metric : every_norm) {
      y.back() = -tiny;
      EXPECT_FALSE(this->are_near(x, y, T{1}, metric)) << d << " columns, metric " << static_cast<int>(metric);
      y.back() = tiny;
      EXPECT_TRUE(this->are_near(x, y, T{1}, metric)) << d << " columns, metric " << static_cast<int>(metric);
    }
    // a tiny difference in another column counts for all but chebyshev
    if (d == 1) continue;
    y.back() = 0;
    y.front() = tiny;
    EXPECT_FALSE(this->are_near(x, y, T{1}, DBSCANMetric::euclidean));
    EXPECT_FALSE(this->are_near(x, y, T{1}, DBSCANMetric::manhattan));
    EXPECT_TRUE(this->are_near(x, y, T{1}, DBSCANMetric::chebyshev));
  }
}

TYPED_TEST(DBSCANTies, ManyPairsWithinAnUlpOfEps) {
  using T = typename TypeParam::Value;
  // one row in the middle, and rows around it at eps but for the rounding of their coordinates
  for (const std::int64_t d : {1, 2, 3, 4, 8, 33})
    for (const DBSCANMetric metric : every_norm) {
      SCOPED_TRACE(::testing::Message() << d << " columns, metric " << static_cast<int>(metric));
      constexpr std::int64_t n = 200;
      Matrix<T> X(n, d);
      for (std::int64_t j = 0; j < d; ++j) X(0, j) = static_cast<T>(10.0 + 0.1 * static_cast<double>(j));
      for (std::int64_t i = 1; i < n; ++i) {
        double size = 0.0;
        std::vector<double> direction;
        for (std::int64_t j = 0; j < d; ++j) {
          direction.push_back(normal(41, i * d + j));
          const double t = std::abs(direction.back());
          size = metric == DBSCANMetric::chebyshev ? std::max(size, t)
                                                   : size + (metric == DBSCANMetric::manhattan ? t : t * t);
        }
        if (metric == DBSCANMetric::euclidean) size = std::sqrt(size);
        for (std::int64_t j = 0; j < d; ++j)
          X(i, j) = static_cast<T>(double{X(0, j)} + 1.7 * direction[static_cast<std::size_t>(j)] / size);
      }
      const Given<T> given{std::move(X), {.eps = double{T(1.7)}, .min_samples = 60, .metric = metric}};
      expect_equals_twin(this->checked_fit(given), twin(given));
    }
}

}  // namespace
}  // namespace tilelearn::testing
