// Checks of values, column statistics and inertia on the CPU. Sums run in the fixed order of kmeans_formulas.hpp.
#include "kmeans/kmeans_cpu_statistics.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "core/fixed_point.hpp"
#include "core/text.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

constexpr std::int64_t check_block = 1 << 14;

/// Largest |value| of a block; infinity or more than any number where one of them is not finite.
template <typename T>
T largest_of(const T* values, std::int64_t count) {
  T largest = 0;
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = std::abs(values[i]);
    finite &= value <= std::numeric_limits<T>::max();
    largest = value > largest ? value : largest;
  }
  return finite ? largest : std::numeric_limits<T>::infinity();
}

template <typename T>
[[noreturn]] void throw_not_finite(const MatrixView<const T>& values, const char* what) {
  std::int64_t i = 0;
  while (std::isfinite(values.data()[i])) ++i;
  throw InvalidArgument(std::string("KMeans: ") + what + " has " + (std::isnan(values.data()[i]) ? "NaN" : "infinity") +
                        " in row " + std::to_string(i / values.columns()) + ", column " +
                        std::to_string(i % values.columns()));
}

/// Sums of one column over 256 chunks of rows, then reduced to one value: a level-two node of tree_sum.
constexpr std::int64_t node_chunks = chunk_rows;
/// Columns that one thread takes at once, so that its buffers stay small for any d.
constexpr std::int64_t slab_columns = 32;

struct SlabNode {
  double sum1[slab_columns];
  double sum2[slab_columns];
  double max_abs[slab_columns];
  double min_abs[slab_columns];
};

template <typename T>
SlabNode slab_node(const Rows<T>& rows, std::int64_t node, std::int64_t first_column, std::int64_t columns,
                   const T* pilot) {
  SlabNode result{};
  std::fill_n(result.min_abs, slab_columns, std::numeric_limits<double>::infinity());
  std::vector<double> sums1(static_cast<std::size_t>(node_chunks * columns));
  std::vector<double> sums2(sums1.size());
  const std::int64_t first_chunk = node * node_chunks;
  const std::int64_t chunks = std::min(node_chunks, chunk_count(rows.n) - first_chunk);
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t first = (first_chunk + c) * chunk_rows;
    exact_loops<T>().moments({rows.row(first) + first_column, chunk_end(rows.n, first_chunk + c) - first, rows.d,
                              columns, rows.weights == nullptr ? nullptr : rows.weights + first, pilot + first_column,
                              rows.scale, &sums1[static_cast<std::size_t>(c * columns)],
                              &sums2[static_cast<std::size_t>(c * columns)], result.max_abs, result.min_abs});
  }
  for (std::size_t half = node_chunks / 2 * static_cast<std::size_t>(columns);
       half >= static_cast<std::size_t>(columns); half /= 2)
    for (std::size_t i = 0; i < half; ++i) {
      sums1[i] += sums1[i + half];
      sums2[i] += sums2[i + half];
    }
  std::copy_n(sums1.data(), columns, result.sum1);
  std::copy_n(sums2.data(), columns, result.sum2);
  return result;
}

}  // namespace

template <typename T>
double check_finite(const MatrixView<const T>& values, const char* what, int threads) {
  const std::int64_t count = values.rows() * values.columns();
  const std::int64_t blocks = (count + check_block - 1) / check_block;
  T largest = 0;
#pragma omp parallel for num_threads(useful_threads(threads, static_cast <double>(count))) schedule(static) \
    reduction(max                                                                                           \
              : largest)
  for (std::int64_t b = 0; b < blocks; ++b)
    largest =
        std::max(largest, largest_of(values.data() + b * check_block, std::min(check_block, count - b * check_block)));
  if (!std::isfinite(largest)) throw_not_finite(values, what);
  return static_cast<double>(largest);
}

template <typename T>
Weights check_weights(const std::optional<VectorView<const T>>& weights, std::int64_t n, Workspace& workspace) {
  if (!weights.has_value()) return {nullptr, 0, n};
  const T* w = weights->data();
  T largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(w[i]) || w[i] < 0)
      throw InvalidArgument("KMeans: the weight of row " + std::to_string(i) + " is " + detail::shortest_text(w[i]) +
                            ", must be finite and 0 or more");
    largest = std::max(largest, w[i]);
  }
  if (largest == 0) throw InvalidArgument("KMeans: all " + std::to_string(n) + " weights are zero");
  Weights result;
  result.exponent = std::ilogb(static_cast<double>(largest));
  auto* normalized = workspace.take<double>(n, "weights");
  for (std::int64_t i = 0; i < n; ++i) {
    normalized[i] = std::ldexp(static_cast<double>(w[i]), -result.exponent);
    result.positive += normalized[i] > 0.0 ? 1 : 0;
  }
  result.normalized = normalized;
  return result;
}

template <typename T>
double data_scale(double largest) {
  if (sizeof(T) == sizeof(float) || largest == 0.0) return 1.0;
  return fixed_point::power_of_two(data_scale_exponent(std::ilogb(largest)));
}

template <typename T>
double largest_weighted(const Rows<T>& rows, double largest) {
  if (rows.weights == nullptr) return largest;
  double result = 0.0;
  for (std::int64_t i = 0; i < rows.n; ++i)
    if (rows.weights[i] > 0.0) result = std::max(result, static_cast<double>(largest_of(rows.row(i), rows.d)));
  return result;
}

double ColumnStatistics::mean_variance() const {
  double sum = 0.0;
  for (const double value : variance) sum += value;
  return sum / static_cast<double>(variance.size());
}

template <typename T>
ColumnStatistics column_statistics(const Rows<T>& rows, std::int64_t positive) {
  std::int64_t first = 0;
  while (!(rows.weight(first) > 0.0)) ++first;
  const std::int64_t nodes = (chunk_count(rows.n) + node_chunks - 1) / node_chunks;
  const std::int64_t slabs = (rows.d + slab_columns - 1) / slab_columns;
  std::vector<SlabNode> tree(static_cast<std::size_t>(nodes * slabs));
#pragma omp parallel for num_threads(rows.threads_for(rows.d)) schedule(dynamic)
  for (std::int64_t task = 0; task < nodes * slabs; ++task) {
    const std::int64_t column = task % slabs * slab_columns;
    tree[static_cast<std::size_t>(task)] =
        slab_node(rows, task / slabs, column, std::min(slab_columns, rows.d - column), rows.row(first));
  }
  const auto d = static_cast<std::size_t>(rows.d);
  ColumnStatistics result{std::vector<double>(d), std::vector<double>(d), std::vector<double>(d)};
  const auto count = static_cast<double>(positive);
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> sum1;
    std::vector<double> sum2;
    result.min_abs[j] = std::numeric_limits<double>::infinity();
    const std::size_t k = j % slab_columns;
    for (std::int64_t node = 0; node < nodes; ++node) {
      const SlabNode& part = tree[static_cast<std::size_t>(node * slabs) + j / slab_columns];
      sum1.push_back(part.sum1[k]);
      sum2.push_back(part.sum2[k]);
      result.max_abs[j] = std::max(result.max_abs[j], part.max_abs[k]);
      result.min_abs[j] = std::min(result.min_abs[j], part.min_abs[k]);
    }
    const double total = tree_sum(sum1.data(), nodes);
    result.variance[j] = (tree_sum(sum2.data(), nodes) - total * total / count) / count;
  }
  return result;
}

template <typename T>
double labelled_inertia(const Rows<T>& rows, int weight_exponent, const T* centers, const std::int32_t* labels,
                        Workspace& workspace) {
  const std::int64_t chunks = chunk_count(rows.n);
  auto* partial = workspace.take<double>(chunks, "partial inertia");
  const double factor = std::ldexp(1.0, weight_exponent);
#pragma omp parallel for num_threads(rows.threads_for(rows.d)) schedule(static)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t first = chunk * chunk_rows;
    const std::int64_t count = chunk_end(rows.n, chunk) - first;
    double terms[chunk_rows] = {};
    exact_loops<T>().labelled(rows.row(first), count, rows.d, rows.scale, centers, labels + first, terms);
    for (std::int64_t i = 0; i < count; ++i) {
      const double w = rows.weights == nullptr ? 1.0 : rows.weights[first + i] * factor;
      terms[i] = w > 0.0 ? w * terms[i] / rows.scale / rows.scale : 0.0;
    }
    partial[chunk] = tree_sum(terms, chunk_rows);
  }
  return tree_sum(partial, chunks);
}

template double check_finite<float>(const MatrixView<const float>&, const char*, int);
template Weights check_weights<float>(const std::optional<VectorView<const float>>&, std::int64_t, Workspace&);
template double data_scale<float>(double);
template double largest_weighted<float>(const Rows<float>&, double);
template ColumnStatistics column_statistics<float>(const Rows<float>&, std::int64_t);
template double labelled_inertia<float>(const Rows<float>&, int, const float*, const std::int32_t*, Workspace&);

template double check_finite<double>(const MatrixView<const double>&, const char*, int);
template Weights check_weights<double>(const std::optional<VectorView<const double>>&, std::int64_t, Workspace&);
template double data_scale<double>(double);
template double largest_weighted<double>(const Rows<double>&, double);
template ColumnStatistics column_statistics<double>(const Rows<double>&, std::int64_t);
template double labelled_inertia<double>(const Rows<double>&, int, const double*, const std::int32_t*, Workspace&);

}  // namespace tilelearn::kmeans::cpu
