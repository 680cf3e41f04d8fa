// The silhouette on the CPU: four rows at a time against blocks of eight members, kept by columns so that the members
// lie on vector lanes. O(n^2 d) operations, one float64 copy of X.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <omp.h>

#include "core/cpu_levels.hpp"
#include "core/workspace.hpp"
#include "metrics/metrics_backend.hpp"

namespace tilelearn::metrics::cpu {

namespace {

constexpr int row_count = 4;  // with eight lanes, 8 AVX2 registers of sums
constexpr std::int64_t rows_per_task = 64;

using Lanes = std::array<double, lane_count>;
using Tile = std::array<Lanes, row_count>;

/// Members of all clusters in blocks of lane_count: block b, column j, lane l at values[(b d + j) lane_count + l]. A
/// cluster begins with a block of its own; lanes beyond its last member are zeros.
struct MemberBlocks {
  Vector<double> values;
  std::vector<std::int64_t> starts;  ///< k + 1 block numbers
};

template <typename T>
MemberBlocks gather(const MatrixView<const T>& X, const Clusters& clusters, double factor) {
  const std::int64_t d = X.columns();
  MemberBlocks blocks;
  blocks.starts.push_back(0);
  for (std::size_t c = 1; c < clusters.starts.size(); ++c)
    blocks.starts.push_back(blocks.starts.back() +
                            (clusters.starts[c] - clusters.starts[c - 1] + lane_count - 1) / lane_count);
  const std::int64_t size = blocks.starts.back() * d * lane_count;
  detail::require_workspace(X.device(), size * static_cast<std::int64_t>(sizeof(double)), "silhouette members");
  blocks.values = Vector<double>(size);
  std::fill_n(blocks.values.data(), size, 0.0);
  for (std::size_t c = 0; c + 1 < clusters.starts.size(); ++c)
    for (std::int64_t p = clusters.starts[c]; p < clusters.starts[c + 1]; ++p) {
      const std::int64_t position = p - clusters.starts[c];
      const T* x = X.data() + clusters.rows[static_cast<std::size_t>(p)] * d;
      double* lane =
          blocks.values.data() + (blocks.starts[c] + position / lane_count) * d * lane_count + position % lane_count;
      for (std::int64_t j = 0; j < d; ++j) lane[j * lane_count] = static_cast<double>(x[j]) * factor;
    }
  return blocks;
}

/// rows: row_count x d; block: d x lane_count. Adds the distances of all pairs to `sums`, of the first `members` lanes.
[[gnu::always_inline]] inline void add_distances(const double* rows, const double* block, std::int64_t d, int members,
                                                 Tile& sums) {
  Tile squares{};
  for (std::int64_t j = 0; j < d; ++j)
    for (int r = 0; r < row_count; ++r)
#pragma omp simd
      for (int l = 0; l < lane_count; ++l) {
        const double t = rows[r * d + j] - block[j * lane_count + l];
        squares[r][l] = std::fma(t, t, squares[r][l]);
      }
  for (int r = 0; r < row_count; ++r)
#pragma omp simd
    for (int l = 0; l < lane_count; ++l) sums[r][l] += l < members ? std::sqrt(squares[r][l]) : 0.0;
}

/// For row_count rows: sums of distances to the members of one cluster, in the stated order.
[[gnu::always_inline]] inline void cluster_sums(const double* rows, const double* blocks, std::int64_t d,
                                                std::int64_t members, double* sums) {
  Tile lanes{};
  for (std::int64_t begin = 0; begin < members; begin += lane_count)
    add_distances(rows, blocks + begin * d, d, static_cast<int>(std::min<std::int64_t>(lane_count, members - begin)),
                  lanes);
  for (int r = 0; r < row_count; ++r) {
    for (int half = lane_count / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lanes[r][l] += lanes[r][l + half];
    sums[r] = lanes[r][0];
  }
}

/// Means of distances of one row, kept while the clusters go by.
struct RowState {
  std::int64_t own_cluster = 0;
  std::int64_t own_size = 0;
  double own_mean = 0.0;
  double least_other_mean = std::numeric_limits<double>::infinity();

  void add(std::int64_t cluster, std::int64_t size, double sum) {
    if (cluster != own_cluster) {
      least_other_mean = std::min(least_other_mean, sum / static_cast<double>(size));
      return;
    }
    own_size = size;
    own_mean = size > 1 ? sum / static_cast<double>(size - 1) : 0.0;
  }
};

/// Row indices of `count` rows from position p on, and their values as one row_count x d block (zeros beyond the last).
struct RowGroup {
  std::array<RowState, row_count> states;
  std::vector<double> values;

  explicit RowGroup(std::int64_t d) : values(static_cast<std::size_t>(row_count * d)) {}

  void load(const MemberBlocks& blocks, const Clusters& clusters, std::int64_t d, std::int64_t p, int count) {
    std::fill(values.begin(), values.end(), 0.0);
    for (int r = 0; r < count; ++r) {
      const auto after = std::upper_bound(clusters.starts.begin(), clusters.starts.end(), p + r);
      const std::int64_t cluster = after - clusters.starts.begin() - 1;
      const std::int64_t position = p + r - clusters.starts[static_cast<std::size_t>(cluster)];
      const std::int64_t block = blocks.starts[static_cast<std::size_t>(cluster)] + position / lane_count;
      const double* lane = blocks.values.data() + block * d * lane_count + position % lane_count;
      for (std::int64_t j = 0; j < d; ++j) values[static_cast<std::size_t>(r * d + j)] = lane[j * lane_count];
      states[static_cast<std::size_t>(r)] = RowState{};
      states[static_cast<std::size_t>(r)].own_cluster = cluster;
    }
  }

  void write(const Clusters& clusters, std::int64_t p, int count, double* coefficients) const {
    for (int r = 0; r < count; ++r) {
      const RowState& state = states[static_cast<std::size_t>(r)];
      coefficients[clusters.rows[static_cast<std::size_t>(p + r)]] =
          silhouette_coefficient(state.own_mean, state.least_other_mean, state.own_size);
    }
  }
};

void add_clusters(const MemberBlocks& blocks, const Clusters& clusters, std::int64_t d, RowGroup& group) {
  detail::at_cpu_level([&]() __attribute__((always_inline)) {
    std::array<double, row_count> sums;
    for (std::size_t c = 0; c + 1 < clusters.starts.size(); ++c) {
      const std::int64_t size = clusters.starts[c + 1] - clusters.starts[c];
      cluster_sums(group.values.data(), blocks.values.data() + blocks.starts[c] * d * lane_count, d, size, sums.data());
      for (std::size_t r = 0; r < row_count; ++r) group.states[r].add(static_cast<std::int64_t>(c), size, sums[r]);
    }
  });
}

template <typename T>
void silhouette(const MatrixView<const T>& X, const Clusters& clusters, double factor, double* coefficients) {
  const std::int64_t n = X.rows();
  const std::int64_t d = X.columns();
  const MemberBlocks blocks = gather(X, clusters, factor);
  const std::int64_t tasks = (n + rows_per_task - 1) / rows_per_task;
  const int threads = X.device().threads();
  std::vector<RowGroup> groups(static_cast<std::size_t>(threads), RowGroup(d));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t task = 0; task < tasks; ++task) {
    RowGroup& group = groups[static_cast<std::size_t>(omp_get_thread_num())];
    const std::int64_t end = std::min(n, (task + 1) * rows_per_task);
    for (std::int64_t p = task * rows_per_task; p < end; p += row_count) {
      const int count = static_cast<int>(std::min<std::int64_t>(row_count, end - p));
      group.load(blocks, clusters, d, p, count);
      add_clusters(blocks, clusters, d, group);
      group.write(clusters, p, count, coefficients);
    }
  }
}

template <typename T>
double largest(const MatrixView<const T>& X) {
  double result = 0.0;
  for (std::int64_t i = 0; i < X.rows() * X.columns(); ++i) {
    const double size = std::fabs(static_cast<double>(X.data()[i]));
    if (!(size <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    result = std::max(result, size);
  }
  return result;
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{largest<T>, silhouette<T>};
  return functions;
}

template const Backend<float>& backend<float>();
template const Backend<double>& backend<double>();

}  // namespace tilelearn::metrics::cpu
