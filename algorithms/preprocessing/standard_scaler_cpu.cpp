// The CPU backend of StandardScaler: chunks of rows over threads, columns over vector lanes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cpu_levels.hpp"
#include "core/workspace.hpp"
#include "preprocessing/standard_scaler_backend.hpp"

namespace tilelearn::standard_scaler::cpu {

namespace {

/// Partial sums of one chunk: d first, d second, the weight; then d largest values.
struct PartialLayout {
  std::int64_t d;
  [[nodiscard]] std::int64_t sums() const { return 2 * d + 1; }
  [[nodiscard]] std::int64_t width() const { return 3 * d + 1; }
};

/// Rows of one chunk, ascending; weights may be null.
template <typename T>
struct Chunk {
  const T* rows;
  const T* weights;
  std::int64_t count;
  std::int64_t d;
};

template <typename T>
[[gnu::always_inline]] inline void sum_chunk(const Chunk<T>& chunk, double weight_factor, const double* scale,
                                             const double* shift, double* partial) {
  const std::int64_t d = chunk.d;
  double* first = partial;
  double* second = first + d;
  double* weight = second + d;
  double* largest = weight + 1;
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    const T* x = chunk.rows + i * d;
    const double w = chunk.weights == nullptr ? 1.0 : static_cast<double>(chunk.weights[i]) * weight_factor;
    const double counts = w > 0.0 ? 1.0 : 0.0;
    *weight += w;
#pragma omp simd
    for (std::int64_t j = 0; j < d; ++j) {
      const auto value = static_cast<double>(x[j]);
      const double t = value * scale[j] - shift[j];
      const double u = w * t;
      first[j] += u;
      second[j] = std::fma(u, t, second[j]);
      const double size = std::fabs(value) * counts;
      largest[j] = size > largest[j] ? size : largest[j];
    }
  }
}

/// z = (x - mean) / scale for one row of d values; returns 0, or NaN where a value is not finite.
template <typename T>
[[gnu::always_inline]] inline T apply_row(const T* x, const double* mean, const double* scale, std::int64_t d, T* z) {
  T probe = 0;
#pragma omp simd reduction(+ : probe)
  for (std::int64_t j = 0; j < d; ++j) {
    probe += x[j] * T{0};
    z[j] = static_cast<T>((static_cast<double>(x[j]) - mean[j]) / scale[j]);
  }
  return probe;
}

template <typename T>
[[gnu::always_inline]] inline T undo_row(const T* z, const double* mean, const double* scale, std::int64_t d, T* x) {
  T probe = 0;
#pragma omp simd reduction(+ : probe)
  for (std::int64_t j = 0; j < d; ++j) {
    probe += z[j] * T{0};
    x[j] = static_cast<T>(std::fma(static_cast<double>(z[j]), scale[j], mean[j]));
  }
  return probe;
}

enum class Direction { apply, undo };

/// Maps every row, chunks of rows over threads. False where a NaN or infinity was read.
template <Direction direction, typename T>
bool map_rows(const MatrixView<const T>& in, const std::vector<double>& mean, const std::vector<double>& scale,
              const MatrixView<T>& out) {
  const std::int64_t chunks = chunk_count(in.rows());
  const std::int64_t d = in.columns();
  bool finite = true;
#pragma omp parallel for schedule(static) num_threads(in.device().threads()) reduction(&& : finite)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t begin = chunk * chunk_rows;
    const std::int64_t end = std::min(in.rows(), begin + chunk_rows);
    T probe = 0;
    detail::at_cpu_level([&]() __attribute__((always_inline)) {
      for (std::int64_t i = begin; i < end; ++i) {
        const T* from = in.data() + i * d;
        T* to = out.data() + i * d;
        if constexpr (direction == Direction::apply)
          probe += apply_row(from, mean.data(), scale.data(), d, to);
        else
          probe += undo_row(from, mean.data(), scale.data(), d, to);
      }
    });
    finite = finite && probe == T{0};
  }
  return finite;
}

/// One level of tree_sum over `count` rows of partials; the results are moved to the front. Largest values join as a
/// maximum, whose order does not matter.
std::int64_t tree_level(double* partials, std::int64_t count, const PartialLayout& layout) {
  std::int64_t results = 0;
  for (std::int64_t begin = 0; begin < count; begin += tree_width, ++results) {
    const std::int64_t size = std::min(tree_width, count - begin);
    double* group = partials + begin * layout.width();
    for (std::int64_t half = tree_width / 2; half > 0; half /= 2)
      for (std::int64_t i = 0; i + half < std::min(size, 2 * half); ++i) {
        double* into = group + i * layout.width();
        const double* from = into + half * layout.width();
        for (std::int64_t j = 0; j < layout.sums(); ++j) into[j] += from[j];
        for (std::int64_t j = layout.sums(); j < layout.width(); ++j) into[j] = std::max(into[j], from[j]);
      }
    std::copy_n(group, layout.width(), partials + results * layout.width());
  }
  return results;
}

template <typename T>
WeightFacts inspect_weights(const VectorView<const T>& weights) {
  WeightFacts facts;
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    const auto w = static_cast<double>(weights.data()[i]);
    if (!(w >= 0.0 && w <= std::numeric_limits<double>::max())) {
      facts.first_invalid = i;
      return facts;
    }
    if (w > 0.0 && facts.first_positive < 0) facts.first_positive = i;
    facts.largest = std::max(facts.largest, w);
  }
  return facts;
}

template <typename T>
ColumnSums column_sums(const Pass<T>& pass) {
  const std::int64_t n = pass.X.rows();
  const std::int64_t d = pass.X.columns();
  const std::int64_t chunks = chunk_count(n);
  const PartialLayout layout{d};
  const std::int64_t bytes = detail::checked_bytes(chunks, layout.width(), sizeof(double));
  detail::require_workspace(pass.X.device(), bytes, "StandardScaler partial sums");
  Vector<double> partials(chunks * layout.width());
#pragma omp parallel for schedule(static) num_threads(pass.X.device().threads())
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t begin = c * chunk_rows;
    const Chunk<T> chunk{pass.X.data() + begin * d, pass.weights ? pass.weights->data() + begin : nullptr,
                         std::min(chunk_rows, n - begin), d};
    double* partial = partials.data() + c * layout.width();
    std::fill_n(partial, layout.width(), 0.0);
    detail::at_cpu_level([&]() __attribute__((always_inline)) {
      sum_chunk(chunk, pass.weight_factor, pass.scale.data(), pass.shift.data(), partial);
    });
  }
  for (std::int64_t count = chunks; count > 1;) count = tree_level(partials.data(), count, layout);
  const double* total = partials.data();
  return {
      {total, total + d}, {total + d, total + 2 * d}, {total + layout.sums(), total + layout.width()}, total[2 * d]};
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{inspect_weights<T>, column_sums<T>, map_rows<Direction::apply, T>,
                                        map_rows<Direction::undo, T>};
  return functions;
}

template const Backend<float>& backend<float>();
template const Backend<double>& backend<double>();

}  // namespace tilelearn::standard_scaler::cpu
