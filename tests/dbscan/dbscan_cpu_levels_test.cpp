// The CPU's hot loops decide nothing wrongly on any x86-64 level that this machine runs: a pair that is called within
// eps is, one that is called further is not.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dbscan/dbscan_cpu_boxes.hpp"
#include "dbscan/dbscan_cpu_search.hpp"
#include "dbscan/dbscan_test.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

namespace cpu = dbscan::cpu;

template <typename T>
const cpu::TileLoops<T>& tile_loops(const cpu::Loops& loops, dbscan::Norm norm) {
  if constexpr (sizeof(T) == sizeof(float))
    return loops.tile_float[static_cast<int>(norm)];
  else
    return loops.tile_double[static_cast<int>(norm)];
}

template <typename T>
const cpu::GridLoops<T>& grid_loops(const cpu::Loops& loops, dbscan::Norm norm, int d) {
  if constexpr (sizeof(T) == sizeof(float))
    return loops.grid_float[static_cast<int>(norm)][d - 1];
  else
    return loops.grid_double[static_cast<int>(norm)][d - 1];
}

constexpr dbscan::Norm norms[] = {dbscan::Norm::euclidean, dbscan::Norm::manhattan, dbscan::Norm::chebyshev};

template <typename T>
class DBSCANCpuLevels : public ::testing::Test {
 protected:
  /// Runs a check with the loops of every level that runs here, each norm.
  template <typename Check>
  static void for_levels(const Check& check) {
    for (const detail::CpuLevel level : {detail::CpuLevel::base, detail::CpuLevel::v3, detail::CpuLevel::v4}) {
      if (!detail::cpu_level_runs(level)) continue;
      for (const dbscan::Norm norm : norms) {
        SCOPED_TRACE(::testing::Message()
                     << "level " << static_cast<int>(level) << ", norm " << static_cast<int>(norm));
        check(cpu::loops_of(level), norm);
      }
    }
  }

  /// Rows on a lattice of quarters, so that many pairs tie with eps.
  static Matrix<T> lattice(std::int64_t n, std::int64_t d) {
    Matrix<T> X(n, d);
    for (std::int64_t i = 0; i < n * d; ++i) X.data()[i] = static_cast<T>(std::floor(16.0 * uniform(3, i)) / 4.0);
    return X;
  }

  /// d x tile_rows values of the first 64 rows.
  static std::vector<T> tile_of(const Matrix<T>& X) {
    std::vector<T> tile;
    for (std::int64_t j = 0; j < X.columns(); ++j)
      for (std::int64_t i = 0; i < cpu::tile_rows; ++i) tile.push_back(X(i, j));
    return tile;
  }

  static double eps_for(dbscan::Norm norm, std::int64_t d) {
    return norm == dbscan::Norm::chebyshev   ? 2.5
           : norm == dbscan::Norm::manhattan ? 1.0 * static_cast<double>(d)
                                             : 1.25 * std::sqrt(static_cast<double>(d));
  }

  /// What a filter may say of a pair.
  static void expect_right(bool inside, bool near, const T* x, const T* y, const dbscan::Ball& ball) {
    const bool is_within = dbscan::within(x, y, ball);
    EXPECT_TRUE(!inside || is_within) << "called within eps";
    EXPECT_TRUE(near || !is_within) << "called further than eps";
    EXPECT_TRUE(near || !inside) << "called both";
  }
};

TYPED_TEST_SUITE(DBSCANCpuLevels, ValueTypes, ValueTypeNames);

constexpr std::int64_t rows = 71;

TYPED_TEST(DBSCANCpuLevels, TileMasksAreRightAndLeaveTiesAlone) {
  using T = TypeParam;
  for (const std::int64_t d : {1, 3, 8, 9, 16, 21}) {
    const Matrix<T> X = this->lattice(rows, d);
    const std::vector<T> tile = this->tile_of(X);
    std::vector<const T*> queries;
    for (std::int64_t i = 0; i < rows; ++i) queries.push_back(X.data() + i * d);
    this->for_levels([&](const cpu::Loops& loops, dbscan::Norm norm) {
      const dbscan::Ball ball = dbscan::make_ball(norm, static_cast<int>(d), this->eps_for(norm, d));
      std::uint64_t inside[rows];
      std::uint64_t near[rows];
      tile_loops<T>(loops, norm)
          .masks(queries.data(), rows, tile.data(), static_cast<int>(d), cpu::make_band<T>(ball), inside, near);
      std::int64_t decided = 0;
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < cpu::tile_rows; ++k) {
          const bool is_inside = (inside[i] >> k & 1) != 0;
          const bool is_near = (near[i] >> k & 1) != 0;
          this->expect_right(is_inside, is_near, queries[static_cast<std::size_t>(i)], X.data() + k * d, ball);
          decided += is_inside == is_near ? 1 : 0;
        }
      EXPECT_GT(decided, rows * cpu::tile_rows / 2);
    });
  }
}

TYPED_TEST(DBSCANCpuLevels, BoxesExcludeNoRowWithinEps) {
  using T = TypeParam;
  for (const std::int64_t d : {1, 5, 8, 13}) {
    const Matrix<T> X = this->lattice(rows, d);
    const std::vector<T> tile = this->tile_of(X);
    const int columns = static_cast<int>(d);
    std::vector<T> box(static_cast<std::size_t>(cpu::box_size(columns)));
    std::vector<T> row_box(box.size());
    cpu::empty_box(columns, box.data());
    for (std::int64_t i = cpu::tile_rows; i < rows; ++i) cpu::widen_by_row(box.data(), X.data() + i * d, 1, columns);
    this->for_levels([&](const cpu::Loops& loops, dbscan::Norm norm) {
      const dbscan::Ball ball = dbscan::make_ball(norm, columns, 0.4 * this->eps_for(norm, d));
      const std::uint64_t near =
          tile_loops<T>(loops, norm).near_box(tile.data(), box.data(), columns, cpu::make_band<T>(ball).outside);
      for (std::int64_t k = 0; k < cpu::tile_rows; ++k) {
        const T* x = X.data() + k * d;
        cpu::empty_box(columns, row_box.data());
        cpu::widen_by_row(row_box.data(), x, 1, columns);
        const cpu::Span span = tile_loops<T>(loops, norm).span(row_box.data(), box.data(), columns, ball.scale);
        const cpu::Reach reach = cpu::reach_of(span, ball);
        for (std::int64_t i = cpu::tile_rows; i < rows; ++i) {
          const bool is_within = dbscan::within(x, X.data() + i * d, ball);
          EXPECT_TRUE((near >> k & 1) != 0 || !is_within);
          EXPECT_TRUE(reach != cpu::Reach::none || !is_within);
          EXPECT_TRUE(reach != cpu::Reach::all || is_within);
        }
      }
    });
  }
}

TYPED_TEST(DBSCANCpuLevels, AnEmptyBoxIsFarFromEverything) {
  std::vector<TypeParam> empty(static_cast<std::size_t>(cpu::box_size(3)));
  std::vector<TypeParam> box(empty.size());
  cpu::empty_box(3, empty.data());
  const Matrix<TypeParam> X = this->lattice(rows, 3);
  cpu::empty_box(3, box.data());
  cpu::widen_by_row(box.data(), X.data(), 1, 3);
  this->for_levels([&](const cpu::Loops& loops, dbscan::Norm norm) {
    const dbscan::Ball ball = dbscan::make_ball(norm, 3, 1e30);
    const auto reach = [&](const std::vector<TypeParam>& a, const std::vector<TypeParam>& b) {
      return cpu::reach_of(tile_loops<TypeParam>(loops, norm).span(a.data(), b.data(), 3, ball.scale), ball);
    };
    EXPECT_EQ(reach(empty, box), cpu::Reach::none);
    EXPECT_EQ(reach(box, empty), cpu::Reach::none);
    EXPECT_EQ(reach(empty, empty), cpu::Reach::none);
    EXPECT_EQ(reach(box, box), cpu::Reach::all);
  });
}

TYPED_TEST(DBSCANCpuLevels, GridCountsAndMasksAreRight) {
  using T = TypeParam;
  for (const int d : {1, 2, 3}) {
    const Matrix<T> X = this->lattice(rows, d);
    std::vector<std::vector<T>> values(static_cast<std::size_t>(d), std::vector<T>(rows + 64));
    const T* columns[cpu::most_grid_columns] = {};
    for (int j = 0; j < d; ++j) {
      for (std::int64_t i = 0; i < rows; ++i)
        values[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = X(i, j);
      columns[j] = values[static_cast<std::size_t>(j)].data();
    }
    this->for_levels([&](const cpu::Loops& loops, dbscan::Norm norm) {
      const dbscan::Ball ball = dbscan::make_ball(norm, d, 0.75 * this->eps_for(norm, d));
      const cpu::Band<T> band = cpu::make_band<T>(ball);
      const cpu::GridLoops<T>& grid = grid_loops<T>(loops, norm, d);
      for (const cpu::Range& range : {cpu::Range{0, 1}, cpu::Range{3, 20}, cpu::Range{7, 71}, cpu::Range{70, 71}}) {
        for (std::int64_t i = 0; i < rows; ++i) {
          const T* x = X.data() + i * d;
          std::uint64_t inside = 0;
          std::uint64_t near = 0;
          grid.masks(x, columns, range.first, range.last - range.first, band, &inside, &near);
          for (std::int32_t k = 0; k < range.last - range.first; ++k)
            this->expect_right((inside >> k & 1) != 0, (near >> k & 1) != 0, x, X.data() + (range.first + k) * d, ball);
          const int length = range.last - range.first;
          if (length < 64) {
            EXPECT_EQ(near >> length, 0U) << "rows beyond the range";
          }
          const cpu::Found found = grid.count(x, columns, &range, 1, band, rows);
          EXPECT_EQ(found.inside, __builtin_popcountll(inside));
          EXPECT_EQ(found.open, __builtin_popcountll(near & ~inside));
          EXPECT_GE(grid.count(x, columns, &range, 1, band, 1).inside, std::min<std::int64_t>(1, found.inside));
        }
      }
    });
  }
}

TYPED_TEST(DBSCANCpuLevels, AnUndecidedBandLeavesEveryPairOpen) {
  // Squares of such an eps overflow or vanish in T.
  const dbscan::Ball ball = dbscan::make_ball(dbscan::Norm::euclidean, 2, sizeof(TypeParam) == 4 ? 1e-25 : 1e-170);
  const Matrix<TypeParam> X = this->lattice(rows, 2);
  const std::vector<TypeParam> tile = this->tile_of(X);
  const TypeParam* query = X.data();
  this->for_levels([&](const cpu::Loops& loops, dbscan::Norm norm) {
    std::uint64_t inside = 1;
    std::uint64_t near = 0;
    tile_loops<TypeParam>(loops, norm)
        .masks(&query, 1, tile.data(), 2, cpu::make_band<TypeParam>(ball), &inside, &near);
    EXPECT_EQ(inside, 0U);
    EXPECT_EQ(near, ~std::uint64_t{0});
  });
}

TEST(DBSCANCpuWindows, FindTheCellsOfAscendingWindows) {
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 300; ++i) keys.push_back(i * i / 7 + i);
  const auto cells = static_cast<std::int32_t>(keys.size());
  keys.insert(keys.end(), 16, std::numeric_limits<std::int64_t>::max());
  for (const detail::CpuLevel level : {detail::CpuLevel::base, detail::CpuLevel::v3, detail::CpuLevel::v4}) {
    if (!detail::cpu_level_runs(level)) continue;
    std::int32_t cursor = 0;
    for (std::int64_t low = -5; low < 14000; low += 1 + low / 50) {
      const cpu::Window window{low, low + 40, &cursor};
      cpu::Range found{};
      cpu::loops_of(level).windows(keys.data(), &window, 1, &found);
      const auto at = [&](std::int64_t bound) {
        return static_cast<std::int32_t>(std::lower_bound(keys.begin(), keys.begin() + cells, bound) - keys.begin());
      };
      EXPECT_EQ(found.first, at(low)) << "level " << static_cast<int>(level);
      EXPECT_EQ(found.last, at(low + 41)) << "level " << static_cast<int>(level);
    }
  }
}

}  // namespace
}  // namespace tilelearn::testing
