// The reductions below linear models: sums of products against exact ones, the tree of blocks, the same bits on every
// level of the processor, arithmetic of double-double numbers.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/exact_sum.hpp"
#include "linear/cascade_sums.hpp"
#include "linear/double_double.hpp"
#include "linear/gram.hpp"
#include "linear/gram_cpu_levels.hpp"
#include "support/generators.hpp"

namespace tilelearn::testing {
namespace {

using linear::CascadeSums;
using linear::DoubleDouble;
using linear::Gram;
using linear::Precision;
using linear::Sums;
using linear::Units;
__extension__ using Integer = __int128;

/// Additions that a term of n rows passes: of its chunk, its block and the tree.
double additions(std::int64_t n) {
  const double blocks = std::ceil(static_cast<double>(n) / static_cast<double>(linear::block_rows));
  return static_cast<double>(linear::chunk_rows + linear::block_rows / linear::chunk_rows) +
         std::ceil(std::log2(blocks));
}

template <typename T>
linear::Rows<T> rows_of(const Matrix<T>& X, const Matrix<T>& Y) {
  return {X.view(), Y.view()};
}

// ---- sums of integers, which are exact ----

/// Rows of integers of up to 31 bits, negative ones too, and weights of up to 10 bits, some of them 0.
struct Integers {
  std::int64_t n;
  Matrix<double> X;
  Matrix<double> Y;
  Vector<double> weights;

  Integers(std::int64_t rows, std::int64_t d, std::int64_t t) : n(rows), X(rows, d), Y(rows, t), weights(rows) {
    for (std::int64_t i = 0; i < n * d; ++i) X.data()[i] = integer(1, i);
    for (std::int64_t i = 0; i < n * t; ++i) Y.data()[i] = integer(2, i);
    for (std::int64_t i = 0; i < n; ++i) weights.data()[i] = std::floor(0x1p10 * uniform(3, i) * (i % 5 == 0 ? 0 : 1));
  }

  static double integer(std::uint64_t seed, std::int64_t i) {
    return std::floor(0x1p31 * (2.0 * uniform(seed, i) - 1.0));
  }

  [[nodiscard]] Integer value(std::int64_t i, std::int64_t j, const Units& units) const {
    if (j == X.columns() + Y.columns()) return 1;
    const double x = j < X.columns() ? X(i, j) : Y(i, j - X.columns());
    return static_cast<Integer>((x - units.shift[static_cast<std::size_t>(j)]) *
                                units.scale[static_cast<std::size_t>(j)]);
  }
};

struct ExactGram {
  std::vector<Integer> sums;
  std::vector<double> sizes;  ///< sums of the sizes of the terms
};

ExactGram exact_gram(const Integers& data, const Units& units, bool weighted) {
  const std::int64_t p = data.X.columns() + data.Y.columns() + 1;
  ExactGram result{std::vector<Integer>(static_cast<std::size_t>(p * p)),
                   std::vector<double>(static_cast<std::size_t>(p * p))};
  std::vector<Integer> row(static_cast<std::size_t>(p));
  for (std::int64_t r = 0; r < data.n; ++r) {
    const Integer weight = weighted ? static_cast<Integer>(data.weights[r] * units.weight_scale) : 1;
    for (std::int64_t j = 0; j < p; ++j) row[static_cast<std::size_t>(j)] = data.value(r, j, units);
    for (std::int64_t i = 0; i < p; ++i)
      for (std::int64_t j = i; j < p; ++j) {
        const Integer term = weight * row[static_cast<std::size_t>(i)] * row[static_cast<std::size_t>(j)];
        result.sums[static_cast<std::size_t>(i * p + j)] += term;
        result.sizes[static_cast<std::size_t>(i * p + j)] += std::abs(static_cast<double>(term));
      }
  }
  return result;
}

Integer as_integer(const DoubleDouble& value) {
  return static_cast<Integer>(value.high) + static_cast<Integer>(value.low);
}

Units plain_units(std::int64_t columns) {
  return {std::vector<double>(static_cast<std::size_t>(columns), 0.0),
          std::vector<double>(static_cast<std::size_t>(columns), 1.0)};
}

/// Shifts of 31 bits, scales 1, 2, 4: integers of up to 34 bits.
Units other_units(std::int64_t columns) {
  Units units = plain_units(columns);
  for (std::size_t j = 0; j < units.shift.size(); ++j) {
    units.shift[j] = 0x1p30 - 12345.0 * static_cast<double>(j);
    units.scale[j] = static_cast<double>(1 << (j % 3));
  }
  units.weight_scale = 4.0;
  return units;
}

struct Shape {
  std::int64_t n, d, t;
};
/// One row; the ends of chunks and blocks; panels of columns whole and not.
constexpr Shape shapes[] = {{1, 1, 1},    {127, 6, 1},  {128, 7, 1},  {129, 8, 2},
                            {4095, 3, 1}, {4096, 2, 1}, {4097, 2, 1}, {13000, 14, 3}};

TEST(Gram, SumsOfIntegersAreExactInDoubleDouble) {
  // terms below 2^81, sums below 2^95: the 106 bits of a pair hold them, every step is exact
  for (const Shape& shape : shapes) {
    const Integers data(shape.n, shape.d, shape.t);
    for (const Units& units : {plain_units(shape.d + shape.t), other_units(shape.d + shape.t)})
      for (const bool weighted : {false, true}) {
        linear::Rows<double> rows = rows_of(data.X, data.Y);
        if (weighted) rows.weights = data.weights.view();
        const Gram gram = linear::cpu::gram(rows, units, Precision::double_double);
        const ExactGram exact = exact_gram(data, units, weighted);
        ASSERT_EQ(gram.p, shape.d + shape.t + 1);
        for (std::int64_t i = 0; i < gram.p; ++i)
          for (std::int64_t j = i; j < gram.p; ++j)
            EXPECT_TRUE(as_integer(gram.at(i, j)) == exact.sums[static_cast<std::size_t>(i * gram.p + j)])
                << shape.n << " rows, " << i << ", " << j << (weighted ? ", weighted" : "");
      }
  }
}

TEST(Gram, SumsInFloat64ErrByNoMoreThanTheirAdditions) {
  for (const Shape& shape : shapes) {
    const Integers data(shape.n, shape.d, shape.t);
    for (const Units& units : {plain_units(shape.d + shape.t), other_units(shape.d + shape.t)})
      for (const bool weighted : {false, true}) {
        linear::Rows<double> rows = rows_of(data.X, data.Y);
        if (weighted) rows.weights = data.weights.view();
        const Gram gram = linear::cpu::gram(rows, units, Precision::float64);
        const ExactGram exact = exact_gram(data, units, weighted);
        EXPECT_TRUE(gram.low.empty());
        for (std::int64_t i = 0; i < gram.p; ++i)
          for (std::int64_t j = i; j < gram.p; ++j) {
            const auto place = static_cast<std::size_t>(i * gram.p + j);
            const double error = std::abs(static_cast<double>(as_integer(gram.at(i, j)) - exact.sums[place]));
            // one rounding more of a row times its weight
            EXPECT_LE(error, 0x1p-53 * (additions(shape.n) + 1.0) * exact.sizes[place])
                << shape.n << " rows, " << i << ", " << j;
          }
      }
  }
}

TEST(Gram, FloatRowsAreSummedAsDoubles) {
  const Matrix<float> X = random_matrix<float>(5000, 4, 1, 1e3);
  const Matrix<float> Y = random_matrix<float>(5000, 1, 2);
  Matrix<double> wide_X(5000, 4);
  Matrix<double> wide_Y(5000, 1);
  std::copy_n(X.data(), 20000, wide_X.data());
  std::copy_n(Y.data(), 5000, wide_Y.data());
  Units units = plain_units(5);
  units.shift = {1000, 999.5, 1000.1, 0.3, 0};
  for (const Precision precision : {Precision::float64, Precision::double_double}) {
    const Gram gram = linear::cpu::gram(rows_of(X, Y), units, precision);
    const Gram wanted = linear::cpu::gram(rows_of(wide_X, wide_Y), units, precision);
    EXPECT_EQ(gram.high, wanted.high);
    EXPECT_EQ(gram.low, wanted.low);
  }
}

// ---- sums of any doubles ----

/// Whether |exact - found| <= bound, without any rounding.
bool is_near(detail::ExactSum<double> exact, const DoubleDouble& found, double bound) {
  exact.add_product(found.high, 1.0, -1);
  exact.add_product(found.low, 1.0, -1);
  exact.add_product(bound, 1.0, 1);
  if (exact.sign() < 0) return false;
  exact.add_product(bound, 1.0, -1, 1);
  return exact.sign() <= 0;
}

void expect_near_exact(const Matrix<double>& X, Precision precision, double unit) {
  const Matrix<double> Y(X.rows(), 0);
  const Gram gram = linear::cpu::gram(rows_of(X, Y), plain_units(X.columns()), precision);
  for (std::int64_t i = 0; i < X.columns(); ++i)
    for (std::int64_t j = i; j < X.columns(); ++j) {
      detail::ExactSum<double> exact;
      double size = 0.0;
      for (std::int64_t r = 0; r < X.rows(); ++r) {
        exact.add_product(X(r, i), X(r, j), 1);
        size += std::abs(X(r, i) * X(r, j));
      }
      EXPECT_TRUE(is_near(exact, gram.at(i, j), unit * additions(X.rows()) * size)) << i << ", " << j;
    }
}

TEST(Gram, SumsOfDoublesOfAllSizes) {
  Matrix<double> X = random_matrix<double>(9000, 5, 21);
  for (std::int64_t i = 0; i < 9000; ++i) {
    X(i, 1) = std::ldexp(X(i, 1), static_cast<int>(60.0 * uniform(22, i)) - 30);  // 60 binary orders
    X(i, 2) = (i % 2 == 0 ? 1.0 : -1.0) * X(i - i % 2, 2);                        // that cancels
    X(i, 3) = std::ldexp(X(i, 3), -400);
  }
  expect_near_exact(X, Precision::float64, 0x1p-53);
  expect_near_exact(X, Precision::double_double, 0x1p-105);
}

TEST(Gram, TermsThatOnlyLowWordsHold) {
  // One term hides all others from the high word, and every addition to a low word of their sum would be rounded the
  // same way.
  for (const double extra : {0x1p-46, 0x1.ffffp-47, 0x1.8p-46, 0x1.fp-48}) {
    Matrix<double> X(128, 2);
    for (std::int64_t i = 0; i < 128; ++i) {
      X(i, 0) = 1.0;
      X(i, 1) = i == 0 ? 1.0 : 0x1p-54 * (1.0 + extra);
    }
    expect_near_exact(X, Precision::double_double, 0x1p-105);
  }
}

TEST(Gram, WhatDoublesDoNotHoldOfShiftedAndWeightedValuesIsKept) {
  // differences and products with weights have up to 106 bits
  constexpr std::int64_t n = 5000;
  const Matrix<double> X = random_matrix<double>(n, 2, 25);
  const Matrix<double> Y(n, 0);
  Units units = plain_units(2);
  units.shift = {1.0 / 3.0, 1e3 / 7.0};
  Vector<double> weights(n);
  for (std::int64_t i = 0; i < n; ++i) weights[i] = uniform(26, i);
  linear::Rows<double> rows = rows_of(X, Y);
  const double unit = 0x1p-105 * (additions(n) + 2.0);
  const Gram plain = linear::cpu::gram(rows, units, Precision::double_double);
  rows.weights = weights.view();
  const Gram weighted = linear::cpu::gram(rows, units, Precision::double_double);
  for (std::int64_t j = 0; j < 2; ++j) {
    const double shift = units.shift[static_cast<std::size_t>(j)];
    detail::ExactSum<double> squares;
    detail::ExactSum<double> sum;
    double size_of_squares = 0.0;
    double size_of_sum = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = X(i, j);
      squares.add_product(x, x, 1);
      squares.add_product(x, shift, -1, 1);
      squares.add_product(shift, shift, 1);
      size_of_squares += (x - shift) * (x - shift);
      sum.add_product(weights[i], x, 1);
      sum.add_product(weights[i], shift, -1);
      size_of_sum += weights[i] * std::abs(x - shift);
    }
    EXPECT_TRUE(is_near(squares, plain.at(j, j), unit * size_of_squares)) << j;
    EXPECT_TRUE(is_near(sum, weighted.sum(j), unit * size_of_sum)) << j;
  }
}

TEST(Gram, RowsOfWeightZeroAddNothing) {
  Matrix<double> X = random_matrix<double>(300, 3, 1);
  const Matrix<double> Y = random_matrix<double>(300, 1, 2);
  Vector<double> weights(300);
  for (std::int64_t i = 0; i < 300; ++i) weights[i] = i % 3 == 0 ? 0.0 : 0.5 + uniform(3, i);
  for (const Precision precision : {Precision::float64, Precision::double_double}) {
    linear::Rows<double> rows = rows_of(X, Y);
    rows.weights = weights.view();
    const Gram before = linear::cpu::gram(rows, plain_units(4), precision);
    for (std::int64_t i = 0; i < 300; i += 3) X(i, 1) = 1e100;
    const Gram after = linear::cpu::gram(rows, plain_units(4), precision);
    EXPECT_EQ(before.high, after.high);
    EXPECT_EQ(before.low, after.low);
    for (std::int64_t i = 0; i < 300; i += 3) X(i, 1) = 0.25;
  }
}

TEST(Gram, WhatIsNotFiniteShowsOnTheDiagonal) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e200})
    for (const Precision precision : {Precision::float64, Precision::double_double}) {
      Matrix<double> X = random_matrix<double>(300, 9, 1);
      const Matrix<double> Y(300, 0);
      X(299, 8) = bad;
      const Gram gram = linear::cpu::gram(rows_of(X, Y), plain_units(9), precision);
      for (std::int64_t j = 0; j < 9; ++j) EXPECT_EQ(std::isfinite(gram.at(j, j).high), j != 8) << bad;
    }
}

// ---- the tree ----

/// Not associative, so that another tree gives other bits.
Sums leaf(std::int64_t number, bool wide) {
  const double value = std::ldexp(2.0 * uniform(31, number) - 1.0, static_cast<int>(40.0 * uniform(32, number)));
  return {{value, uniform(33, number)}, wide ? std::vector<double>{0x1p-60 * value, 0.0} : std::vector<double>{}};
}

/// Array 2k and 2k + 1 are added, then those sums likewise; one without a partner waits.
Sums tree(std::int64_t count, bool wide) {
  std::vector<Sums> level;
  for (std::int64_t i = 0; i < count; ++i) level.push_back(leaf(i, wide));
  while (level.size() > 1) {
    std::vector<Sums> next;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      next.push_back(level[i]);
      if (i + 1 < level.size()) add(next.back(), level[i + 1]);
    }
    level = std::move(next);
  }
  return level.front();
}

TEST(CascadeSums, IsTheStatedTreeForAnyNumberOfArrays) {
  for (const bool wide : {false, true}) {
    CascadeSums cascade;
    for (std::int64_t count = 1; count <= 40; ++count) {
      for (std::int64_t i = 0; i < count; ++i) cascade.push(leaf(i, wide));
      const Sums found = cascade.total();  // which empties it
      const Sums wanted = tree(count, wide);
      EXPECT_EQ(found.high, wanted.high) << count;
      EXPECT_EQ(found.low, wanted.low) << count;
    }
  }
}

TEST(CascadeSums, SubtreesDoNotShow) {
  for (const bool wide : {false, true})
    for (const std::int64_t group : {1, 2, 4, 8, 16, 64})
      for (std::int64_t count = 1; count <= 40; ++count) {
        CascadeSums cascade(group);
        for (std::int64_t first = 0; first < count; first += group) {
          CascadeSums subtree;
          for (std::int64_t i = first; i < std::min(count, first + group); ++i) subtree.push(leaf(i, wide));
          cascade.push_subtree(subtree);
        }
        const Sums found = cascade.total();
        const Sums wanted = tree(count, wide);
        EXPECT_EQ(found.high, wanted.high) << count << " in groups of " << group;
        EXPECT_EQ(found.low, wanted.low) << count << " in groups of " << group;
      }
}

// ---- levels of the processor ----

TEST(GramLevels, GiveTheSameBits) {
  const linear::cpu::GramLoops base = linear::cpu::gram_loops_of(detail::CpuLevel::base);
  for (const std::int64_t panels : {1, 2, 3, 5})
    for (const std::int64_t rows : {1, 3, 4, 7, 127, 128}) {
      const std::int64_t size = panels * rows * linear::cpu::panel_columns;
      const std::int64_t columns = panels * linear::cpu::panel_columns;
      const auto values = [&](std::uint64_t seed, double unit) {
        const Matrix<double> X = random_matrix<double>(size, 1, seed, 0.0, unit);
        return std::vector<double>(X.data(), X.data() + size);
      };
      const std::vector<double> left = values(1, 1.0);
      const std::vector<double> right = values(2, 1e3);
      const std::vector<double> left_low = values(3, 0x1p-54);
      const std::vector<double> right_low = values(4, 1e3 * 0x1p-54);
      const std::vector<double> start(static_cast<std::size_t>(columns * columns), 0.3);
      const std::vector<double> start_low(start.size(), 0x1p-57);
      const auto narrow_sums = [&](const linear::cpu::GramLoops& loops) {
        std::vector<double> sums = start;
        loops.add({left.data(), right.data(), rows, panels}, sums.data());
        return sums;
      };
      const auto wide_sums = [&](const linear::cpu::GramLoops& loops) {
        Sums sums{start, start_low};
        loops.add_wide({left.data(), left_low.data(), right.data(), right_low.data(), rows, panels}, sums.high.data(),
                       sums.low.data());
        return sums;
      };
      const Sums wanted = wide_sums(base);
      EXPECT_NE(wanted.high.front(), 0.3);
      for (const detail::CpuLevel level : {detail::CpuLevel::v3, detail::CpuLevel::v4}) {
        if (!detail::cpu_level_runs(level)) continue;
        SCOPED_TRACE(::testing::Message()
                     << "level " << static_cast<int>(level) << ", " << panels << " panels of " << rows << " rows");
        EXPECT_EQ(narrow_sums(linear::cpu::gram_loops_of(level)), narrow_sums(base));
        const Sums found = wide_sums(linear::cpu::gram_loops_of(level));
        EXPECT_EQ(found.high, wanted.high);
        EXPECT_EQ(found.low, wanted.low);
      }
    }
}

// ---- double-double numbers ----

/// A pair of up to 106 bits, of either sign.
DoubleDouble any_pair(std::uint64_t seed, std::int64_t i) {
  const double high = std::ldexp(2.0 * uniform(seed, i) - 1.0, static_cast<int>(40.0 * uniform(seed + 1, i)) - 20);
  const double low = (uniform(seed + 2, i) - 0.5) * std::ldexp(std::abs(high), -53);
  return linear::fast_two_sum(high, low);
}

/// |a + b + ... | <= bound, each term the product of two doubles.
bool is_small(const std::vector<std::pair<double, double>>& terms, double bound) {
  detail::ExactSum<double> sum;
  for (const auto& [a, b] : terms) sum.add_product(a, b, 1);
  return is_near(sum, DoubleDouble(), bound);
}

void expect_normal(const DoubleDouble& value) { EXPECT_EQ(value.high + value.low, value.high); }

constexpr int pairs = 2000;

TEST(DoubleDoubleNumbers, SumsAndProductsOfTwoDoublesAreExact) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double a = any_pair(41, i).high;
    const double b = any_pair(51, i).high;
    const DoubleDouble sum = linear::two_sum(a, b);
    EXPECT_TRUE(is_small({{a, 1}, {b, 1}, {sum.high, -1}, {sum.low, -1}}, 0.0));
    const DoubleDouble fast = std::abs(a) >= std::abs(b) ? linear::fast_two_sum(a, b) : linear::fast_two_sum(b, a);
    EXPECT_EQ(fast.high, sum.high);
    EXPECT_EQ(fast.low, sum.low);
    const DoubleDouble product = linear::two_product(a, b);
    EXPECT_TRUE(is_small({{a, b}, {product.high, -1}, {product.low, -1}}, 0.0));
    expect_normal(product);
  }
}

TEST(DoubleDoubleNumbers, SumErrsByThreeUnits) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const DoubleDouble a = any_pair(41, i);
    DoubleDouble b = any_pair(51, i);
    if (i % 3 == 0) b = {-a.high, b.low * 0x1p-20};  // high words cancel
    for (const DoubleDouble& sum : {a + b, a - -b}) {
      EXPECT_TRUE(is_small({{a.high, 1}, {a.low, 1}, {b.high, 1}, {b.low, 1}, {sum.high, -1}, {sum.low, -1}},
                           0x1.8001p-105 * std::abs(sum.high)));
      expect_normal(sum);
    }
  }
}

TEST(DoubleDoubleNumbers, ProductErrsByFiveUnits) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const DoubleDouble a = any_pair(41, i);
    const DoubleDouble b = any_pair(51, i);
    const DoubleDouble product = a * b;
    EXPECT_TRUE(is_small(
        {{a.high, b.high}, {a.high, b.low}, {a.low, b.high}, {a.low, b.low}, {product.high, -1}, {product.low, -1}},
        0x1.4001p-104 * std::abs(product.high)));
    expect_normal(product);
  }
}

TEST(DoubleDoubleNumbers, QuotientTimesDivisorIsTheDividend) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const DoubleDouble a = any_pair(41, i);
    const DoubleDouble b = any_pair(51, i);
    const DoubleDouble quotient = a / b;
    EXPECT_TRUE(is_small({{quotient.high, b.high},
                          {quotient.high, b.low},
                          {quotient.low, b.high},
                          {quotient.low, b.low},
                          {a.high, -1},
                          {a.low, -1}},
                         0x1.4001p-103 * std::abs(a.high)));
    expect_normal(quotient);
  }
}

TEST(DoubleDoubleNumbers, SquareOfTheRootIsTheNumber) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    DoubleDouble a = any_pair(41, i);
    if (a.high < 0.0) a = -a;
    const DoubleDouble root = sqrt(a);
    // Newton's step leaves half the square of the root's own error, and rounds its correction: 2^-105 of the root
    EXPECT_TRUE(
        is_small({{root.high, root.high}, {root.high, 2 * root.low}, {root.low, root.low}, {a.high, -1}, {a.low, -1}},
                 0x1p-103 * a.high));
    expect_normal(root);
  }
  EXPECT_EQ(sqrt(DoubleDouble(0.0)).high, 0.0);
  EXPECT_EQ(sqrt(DoubleDouble(-1.0)).high, 0.0);
  EXPECT_EQ(sqrt(DoubleDouble(9.0)).high, 3.0);
  EXPECT_EQ(sqrt(DoubleDouble(9.0)).low, 0.0);
}

TEST(DoubleDoubleNumbers, AgreeWithLongDouble) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no wider than double here";
  const auto wide = [](const DoubleDouble& value) {
    return static_cast<long double>(value.high) + static_cast<long double>(value.low);
  };
  for (std::int64_t i = 0; i < pairs; ++i) {
    const DoubleDouble a = any_pair(41, i);
    const DoubleDouble b = any_pair(51, i);
    // operands, operation and comparison are rounded to 64 bits
    const auto expect_near = [](long double found, long double wanted, long double size) {
      EXPECT_LE(std::abs(found - wanted), 4 * 0x1p-64L * size);
    };
    expect_near(wide(a + b), wide(a) + wide(b), std::abs(wide(a)) + std::abs(wide(b)));
    expect_near(wide(a * b), wide(a) * wide(b), std::abs(wide(a) * wide(b)));
    expect_near(wide(a / b), wide(a) / wide(b), std::abs(wide(a) / wide(b)));
  }
}

TEST(DoubleDoubleNumbers, CompoundAssignmentAndSigns) {
  DoubleDouble a(1.0, 0x1p-60);
  a += DoubleDouble(2.0);
  EXPECT_EQ(a.high, 3.0);
  EXPECT_EQ(a.low, 0x1p-60);
  a -= DoubleDouble(3.0, 0x1p-60);
  EXPECT_EQ(a.high, 0.0);
  EXPECT_EQ(a.low, 0.0);
  EXPECT_EQ((-DoubleDouble(1.0, 0x1p-60)).low, -0x1p-60);
  EXPECT_EQ(static_cast<double>(DoubleDouble(1.0, 0x1p-60)), 1.0);
}

}  // namespace
}  // namespace tilelearn::testing
