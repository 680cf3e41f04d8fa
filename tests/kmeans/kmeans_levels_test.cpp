// The CPU's hot loops give the same bits on every x86-64 level that this machine runs.
#include <cmath>

#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_test.hpp"

namespace tilelearn::testing {
namespace {

namespace cpu = kmeans::cpu;

constexpr std::int64_t n = 45;
constexpr std::int64_t d = 7;
constexpr std::int64_t k = 19;

template <typename T>
const cpu::ExactLoops<T>& exact(const cpu::Loops& loops) {
  if constexpr (sizeof(T) == sizeof(float))
    return loops.exact_float;
  else
    return loops.exact_double;
}

template <typename T>
const cpu::PackLoop<T>& packing(const cpu::Loops& loops) {
  if constexpr (sizeof(T) == sizeof(float))
    return loops.pack_float;
  else
    return loops.pack_double;
}

/// Runs a check with the loops of every level but the first; skips, visibly, where there is no other.
template <typename Check>
void for_other_levels(const Check& check) {
  int checked = 0;
  for (const detail::CpuLevel level : {detail::CpuLevel::v3, detail::CpuLevel::v4}) {
    if (!detail::cpu_level_runs(level)) continue;
    SCOPED_TRACE(::testing::Message() << "level " << static_cast<int>(level));
    check(cpu::loops_of(level));
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "this machine runs the base level alone";
}

template <typename T>
class KMeansLevels : public ::testing::Test {
 protected:
  using Doubles = std::vector<double>;

  /// n rows of odd length, in chunks that fill no vector.
  Matrix<T> X = normal_matrix<T>(n, d, 1, 3.0);
  Matrix<T> centers = normal_matrix<T>(k, d, 2, 3.0);
  cpu::Loops base = cpu::loops_of(detail::CpuLevel::base);

  [[nodiscard]] std::vector<std::int32_t> some_labels(std::int32_t step) const {
    std::vector<std::int32_t> result;
    result.reserve(n);
    for (std::int32_t i = 0; i < n; ++i) result.push_back(i * step % static_cast<std::int32_t>(k));
    return result;
  }

  [[nodiscard]] Doubles labelled(const cpu::Loops& loops) const {
    const std::vector<std::int32_t> labels = some_labels(5);
    Doubles result(n);
    exact<T>(loops).labelled(X.data(), n, d, 0.5, centers.data(), labels.data(), result.data());
    return result;
  }

  [[nodiscard]] Doubles squares(const cpu::Loops& loops, int rows) const {
    Vector<double> lanes(d * cpu::exact_lanes);
    Vector<double> result(k * cpu::exact_lanes);
    std::vector<const T*> pointers;
    pointers.reserve(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) pointers.push_back(X.data() + i * d);
    exact<T>(loops).transpose(pointers.data(), rows, d, 2.0, lanes.data());
    Doubles scaled;
    for (std::int64_t i = 0; i < k * d; ++i) scaled.push_back(2.0 * static_cast<double>(centers.data()[i]));
    loops.squares(lanes.data(), d, scaled.data(), k, result.data());
    return result.to_std();
  }

  [[nodiscard]] std::vector<std::uint64_t> sums(const cpu::Loops& loops, bool wide) const {
    const std::vector<std::int32_t> from = some_labels(3);
    const std::vector<std::int32_t> to = some_labels(7);
    const Doubles factors(d, 1 << 25);
    const Doubles low_factors(d, 1 << 30);
    const Doubles weights(n, 0.7);
    std::vector<std::uint64_t> words(2 * k * d);
    exact<T>(loops).move({X.data(), n, d, wide ? weights.data() : nullptr, 1.0, factors.data(),
                          wide ? low_factors.data() : nullptr, from.data(), to.data(), words.data(),
                          wide ? words.data() + k * d : nullptr});
    return words;
  }

  [[nodiscard]] Doubles moments(const cpu::Loops& loops) const {
    Doubles result(4 * d);
    exact<T>(loops).moments({X.data(), n, d, d, nullptr, X.data(), 1.0, result.data(), result.data() + d,
                             result.data() + 2 * d, result.data() + 3 * d});
    return result;
  }

  /// Best centres by the filter's float32 scores, without a band.
  [[nodiscard]] std::vector<std::int32_t> filtered(const cpu::Loops& loops, int rows) const {
    const std::int64_t width = loops.panel_width;
    const std::int64_t panels = (k + width - 1) / width;
    Vector<float> tile(d * cpu::tile_rows);
    Vector<float> norms(cpu::tile_rows);
    const std::vector<T> shift(d, T{3});
    packing<T>(loops).pack(X.data(), rows, d, shift.data(), T{1}, tile.data(), norms.data());
    std::vector<float> packed(static_cast<std::size_t>(panels * width * d), 0.0F);
    std::vector<float> half_norms(static_cast<std::size_t>(panels * width), 1e38F);
    for (std::int64_t c = 0; c < k; ++c) {
      double norm = 0.0;
      for (std::int64_t j = 0; j < d; ++j) {
        const double y = static_cast<double>(centers.data()[c * d + j]) - 3.0;
        packed[static_cast<std::size_t>(c / width * width * d + j * width + c % width)] = static_cast<float>(-y);
        norm += y * y;
      }
      half_norms[static_cast<std::size_t>(c)] = static_cast<float>(norm / 2.0);
    }
    std::vector<std::int32_t> index(cpu::tile_rows);
    std::vector<std::uint8_t> undecided(cpu::tile_rows);
    loops.filter({tile.data(), norms.data(), d, packed.data(), half_norms.data(), panels, 0.0F, 0.0F, index.data(),
                  undecided.data()});
    index.resize(static_cast<std::size_t>(rows));
    return index;
  }
};
TYPED_TEST_SUITE(KMeansLevels, ValueTypes, ValueTypeNames);

TYPED_TEST(KMeansLevels, DistancesToLabelledCenters) {
  const std::vector<double> expected = this->labelled(this->base);
  EXPECT_EQ(expected[1], reference::squared_distance(to_rows(this->X), 1, to_rows(this->centers), 5, 0.5));
  for_other_levels([&](const cpu::Loops& loops) { EXPECT_EQ(this->labelled(loops), expected); });
}

TYPED_TEST(KMeansLevels, DistancesOfLanes) {
  for (const int rows : {1, 5, cpu::exact_lanes}) {
    const std::vector<double> expected = this->squares(this->base, rows);
    EXPECT_EQ(expected[std::size_t{3} * cpu::exact_lanes],
              reference::squared_distance(to_rows(this->X), 0, to_rows(this->centers), 3, 2.0));
    for_other_levels([&](const cpu::Loops& loops) { EXPECT_EQ(this->squares(loops, rows), expected); });
  }
}

TYPED_TEST(KMeansLevels, FixedPointSums) {
  for (const bool wide : {false, true}) {
    const std::vector<std::uint64_t> expected = this->sums(this->base, wide);
    for_other_levels([&](const cpu::Loops& loops) { EXPECT_EQ(this->sums(loops, wide), expected); });
  }
}

TYPED_TEST(KMeansLevels, Moments) {
  const std::vector<double> expected = this->moments(this->base);
  for_other_levels([&](const cpu::Loops& loops) { EXPECT_EQ(this->moments(loops), expected); });
}

TYPED_TEST(KMeansLevels, FilterFindsTheNearest) {
  // random centres are much further apart than float32 rounds, so the filter alone is right here
  const std::vector<std::int32_t> all = reference::nearest(to_rows(this->X), to_rows(this->centers));
  for (const int rows : {1, 6, cpu::tile_rows}) {
    const std::vector<std::int32_t> expected(all.begin(), all.begin() + rows);
    EXPECT_EQ(this->filtered(this->base, rows), expected);
    for_other_levels([&](const cpu::Loops& loops) { EXPECT_EQ(this->filtered(loops, rows), expected); });
  }
}

}  // namespace
}  // namespace tilelearn::testing
