// The CPU backend of linear models: passes over blocks of rows, the blocks over threads.
#include "linear/linear_backend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <omp.h>

#include "core/cpu_workspace.hpp"
#include "linear/block_sums_cpu.hpp"
#include "linear/plane_vectors.hpp"
#include "linear/rows_cpu.hpp"

namespace tilelearn::linear::cpu {

namespace {

/// Sums of a product run in so many lanes, which are then added in order.
constexpr std::int64_t lanes = panel_columns;

template <typename T>
WeightFacts inspect_weights(const VectorView<const T>& weights) {
  WeightFacts facts;
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    const auto weight = static_cast<double>(weights[i]);
    if (!(weight >= 0.0 && weight <= std::numeric_limits<double>::max())) {
      facts.first_invalid = i;
      return facts;
    }
    if (weight == 0.0) continue;
    if (facts.positive++ == 0) facts.first_positive = i;
    facts.largest = std::max(facts.largest, weight);
  }
  return facts;
}

[[gnu::always_inline]] inline double product(const double* a, const double* b, std::int64_t columns) {
  double sums[lanes] = {};
  for (std::int64_t j = 0; j < columns; j += lanes)
    for (std::int64_t l = 0; l < lanes; ++l) sums[l] = std::fma(a[j + l], b[j + l], sums[l]);
  double sum = 0.0;
  for (const double one : sums) sum += one;
  return sum;
}

/// A chunk of each thread.
class Chunks {
 public:
  Chunks(const Device& device, int threads, std::int64_t columns, std::int64_t ones)
      : columns_(columns),
        workspace_(device, "linear models"),
        memory_(workspace_.take<double>(threads * chunk_rows * columns, "chunks of rows")) {
    for (int thread = 0; thread < threads; ++thread) of_thread(thread).prepare(ones);
  }

  [[nodiscard]] Chunk of_thread(int thread) const {
    return {memory_ + thread * chunk_rows * columns_, nullptr, columns_};
  }

 private:
  std::int64_t columns_;
  detail::CpuWorkspace workspace_;
  double* memory_;
};

/// (high, low) += a b: low gathers what high loses, so that next to nothing is left of products that cancel.
[[gnu::always_inline]] inline void add_product(double a, double b, double* high, double* low) {
  const DoubleDouble term = two_product(a, b);
  const DoubleDouble sum = two_sum(*high, term.high);
  *high = sum.high;
  *low += sum.low + term.low;
}

/// The residuals of a chunk's rows to t sums of `columns` products and to t squares behind them.
template <typename T>
[[gnu::always_inline]] inline void add_residuals(const Rows<T>& rows, double weight_scale,
                                                 const std::vector<double>& plane, std::int64_t first,
                                                 std::int64_t count, const Chunk& chunk, Sums& sums) {
  const std::int64_t d = rows.X.columns();
  const std::int64_t t = rows.Y.columns();
  for (std::int64_t i = 0; i < count; ++i) {
    const double* const row = chunk.values + i * chunk.columns;
    const double weight = rows.weights ? static_cast<double>((*rows.weights)[first + i]) * weight_scale : 1.0;
    for (std::int64_t k = 0; k < t; ++k) {
      const double residual = row[d + k] - product(plane.data() + k * chunk.columns, row, chunk.columns);
      const double weighted = weight * residual;
      double* const high = sums.high.data() + k * chunk.columns;
      double* const low = sums.low.data() + k * chunk.columns;
      for (std::int64_t j = 0; j < chunk.columns; ++j) add_product(weighted, row[j], high + j, low + j);
      double& square = sums.high[static_cast<std::size_t>(t * chunk.columns + k)];
      square = std::fma(weighted, residual, square);
    }
  }
}

template <typename T>
ResidualSums residual_sums(const Rows<T>& rows, const Units& units, const Plane& plane) {
  const std::int64_t d = rows.X.columns();
  const std::int64_t t = rows.Y.columns();
  const std::int64_t ones = rows.width() - 1;
  const PanelUnits panel_units(rows.width(), units);
  const std::int64_t columns = panel_units.columns;
  const std::vector<double> vectors = by_target(plane, ones, columns);
  const Blocks blocks(rows.X.device(), rows.X.rows(), static_cast<double>(columns * t));
  const std::vector<double> none(static_cast<std::size_t>(t * (columns + 1)), 0.0);
  const Sums zeros{none, none};
  require_memory(rows.X.device(), blocks, chunk_rows * columns, 2 * t * (columns + 1));
  const Chunks chunks(rows.X.device(), blocks.threads, columns, ones);
  const Sums sums = sum_blocks(blocks, zeros, [&](std::int64_t block, int thread, Sums& mine) {
    const Chunk chunk = chunks.of_thread(thread);
    blocks.for_chunks(block, [&](std::int64_t first, std::int64_t count) {
      detail::at_cpu_level([&]() __attribute__((always_inline)) {
        read_chunk(rows, first, count, panel_units, chunk);
        add_residuals(rows, units.weight_scale, vectors, first, count, chunk, mine);
      });
    });
  });
  const auto total = [&](std::int64_t i) {
    return sums.high[static_cast<std::size_t>(i)] + sums.low[static_cast<std::size_t>(i)];
  };
  return residual_sums_of(d, t, columns, total);
}

/// Predictions of a chunk's rows; not 0 where a value was NaN or infinite.
template <typename T>
[[gnu::always_inline]] inline double predict_chunk(const Chunk& chunk, const std::vector<double>& vectors,
                                                   std::int64_t first, std::int64_t count, const MatrixView<T>& Y) {
  double probes[lanes] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const double* const row = chunk.values + i * chunk.columns;
    for (std::int64_t j = 0; j < chunk.columns; j += lanes)
      for (std::int64_t l = 0; l < lanes; ++l) probes[l] += row[j + l] * 0.0;
    for (std::int64_t k = 0; k < Y.columns(); ++k)
      Y(first + i, k) = static_cast<T>(product(vectors.data() + k * chunk.columns, row, chunk.columns));
  }
  double probe = 0.0;
  for (const double one : probes) probe += one;
  return probe;
}

template <typename T>
bool predict(const MatrixView<const T>& X, const Plane& plane, const MatrixView<T>& Y) {
  const std::int64_t d = X.columns();
  const PanelUnits units(d + 1, {std::vector<double>(static_cast<std::size_t>(d), 0.0), {}});
  const std::vector<double> vectors = by_target(plane, d, units.columns);
  const Blocks blocks(X.device(), X.rows(), static_cast<double>(units.columns * Y.columns()));
  const Chunks chunks(X.device(), blocks.threads, units.columns, d);
  bool finite = true;
#pragma omp parallel for num_threads(blocks.threads) schedule(static) reduction(&& : finite)
  for (std::int64_t block = 0; block < blocks.count; ++block) {
    const Chunk chunk = chunks.of_thread(omp_get_thread_num());
    blocks.for_chunks(block, [&](std::int64_t first, std::int64_t count) {
      double probe = 0.0;
      detail::at_cpu_level([&]() __attribute__((always_inline)) {
        read_part(X, first, count, units, 0, chunk);
        probe = predict_chunk(chunk, vectors, first, count, Y);
      });
      finite = finite && probe == 0.0;
    });
  }
  return finite;
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{inspect_weights<T>, gram<T>, residual_sums<T>, predict<T>};
  return functions;
}

template const Backend<float>& backend();
template const Backend<double>& backend();

}  // namespace tilelearn::linear::cpu
