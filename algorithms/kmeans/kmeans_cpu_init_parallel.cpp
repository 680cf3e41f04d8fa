// k-means|| on the CPU (Bahmani et al., VLDB 2012): a few rounds in which every row joins on its own, then a weighted
// k-means++ among those that did.
#include <algorithm>
#include <cmath>
#include <vector>

#include <omp.h>

#include "kmeans/kmeans_cpu_assign.hpp"
#include "kmeans/kmeans_cpu_init_steps.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_cpu_nearest.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

/// Rows chosen by the rounds of k-means||, round by round in row order, and the weight of the rows nearest to each.
struct Candidates {
  std::vector<std::int64_t> rows;
  std::vector<double> weights;
};

/// Operations that one random number costs.
constexpr std::int64_t random_cost = 32;

template <typename T>
void join_round(const Rows<T>& rows, const Nearest<T>& nearest, const Masses& masses, const Source& source, int round,
                std::uint64_t oversampling, std::uint8_t* joined) {
  const double factor = masses.factor();
  const auto offset = static_cast<std::uint64_t>(round) * static_cast<std::uint64_t>(rows.n);
#pragma omp parallel for num_threads(rows.threads_for(random_cost)) schedule(static)
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const std::uint64_t m = mass(nearest.value(i), factor);
    joined[i] = m > 0 && joins(source.bits(Draw::parallel, offset + static_cast<std::uint64_t>(i)), masses.total(), m,
                               oversampling);
  }
}

/// Takes rows of `added` as centres with numbers from `first_number`: nearest numbers and distances of all rows.
template <typename T>
void take_centers(const Rows<T>& rows, const std::vector<std::int64_t>& added, std::int32_t first_number,
                  double largest, const Workspace& outer, double* squares, std::int32_t* numbers) {
  Workspace workspace = outer.nested();
  const auto k = static_cast<std::int64_t>(added.size());
  auto* centers = workspace.take<T>(k * rows.d, "candidates");
  for (std::int64_t c = 0; c < k; ++c)
    std::copy_n(rows.row(added[static_cast<std::size_t>(c)]), rows.d, centers + c * rows.d);
  Assigner<T> assigner(k, rows.d, rows.scale, largest, rows.threads, workspace);
  assigner.set_centers(centers, k);
#pragma omp parallel for num_threads(rows.threads_for(assigner.operations_each())) schedule(static)
  for (std::int64_t chunk = 0; chunk < chunk_count(rows.n); ++chunk) {
    const std::int64_t first = chunk * chunk_rows;
    const std::int64_t count = chunk_end(rows.n, chunk) - first;
    std::int32_t labels[chunk_rows];
    double distances[chunk_rows];
    assigner.nearest(rows.row(first), count, omp_get_thread_num(), labels);
    exact_loops<T>().labelled(rows.row(first), count, rows.d, rows.scale, centers, labels, distances);
    for (std::int64_t i = 0; i < count; ++i)
      if (distances[i] < squares[first + i]) {
        squares[first + i] = distances[i];
        numbers[first + i] = first_number + labels[i];
      }
  }
}

template <typename T>
std::vector<double> candidate_weights(const Rows<T>& rows, const std::int32_t* numbers, std::size_t count) {
  std::vector<fixed_point::Words> sums(count, fixed_point::Words{0, 0});
  for (std::int64_t i = 0; i < rows.n; ++i)
    if (rows.weight(i) > 0.0) {
      const fixed_point::Words words = weight_words(rows.weight(i));
      sums[static_cast<std::size_t>(numbers[i])].high += words.high;
      sums[static_cast<std::size_t>(numbers[i])].low += words.low;
    }
  std::vector<double> result;
  result.reserve(count);
  for (const fixed_point::Words& sum : sums) result.push_back(fixed_point::value(sum, fixed_point::grid_factor(0)));
  return result;
}

template <typename T>
Candidates parallel_candidates(const Rows<T>& rows, std::int32_t k, const Source& source, double largest,
                               const std::function<bool()>& stop, const Workspace& outer) {
  Workspace workspace = outer.nested();
  Nearest<T> nearest(rows, 1, workspace);
  Masses masses(rows.n, rows.threads, workspace);
  auto* numbers = workspace.take<std::int32_t>(rows.n, "nearest candidates");
  auto* joined = workspace.take<std::uint8_t>(rows.n, "joining rows");
  const auto value = [&](std::int64_t i) { return nearest.value(i); };
  Candidates result{{draw_by_weight(rows, source.bits(source.first, 0), masses)}, {}};
  take_centers(rows, result.rows, 0, largest, workspace, nearest.squares(), numbers);
  nearest.start(masses);
  for (int round = 0; round < parallel_rounds && masses.total() > 0; ++round) {
    check_stop(stop);
    join_round(rows, nearest, masses, source, round, 2 * static_cast<std::uint64_t>(k), joined);
    std::vector<std::int64_t> added;
    for (std::int64_t i = 0; i < rows.n; ++i)
      if (joined[i] != 0) added.push_back(i);
    if (added.empty()) continue;
    take_centers(rows, added, static_cast<std::int32_t>(result.rows.size()), largest, workspace, nearest.squares(),
                 numbers);
    result.rows.insert(result.rows.end(), added.begin(), added.end());
    masses.take(value);
  }
  result.weights = candidate_weights(rows, numbers, result.rows.size());
  return result;
}

}  // namespace

template <typename T>
void parallel(const Rows<T>& rows, std::int32_t k, Source source, double largest, const std::function<bool()>& stop,
              const Workspace& outer, T* centers) {
  const Candidates candidates = parallel_candidates(rows, k, source, largest, stop, outer);
  const auto count = static_cast<std::int64_t>(candidates.rows.size());
  if (count < k) return plus_plus(rows, k, source, stop, outer, centers);
  Workspace workspace = outer.nested();
  auto* data = workspace.take<T>(count * rows.d, "candidates");
  auto* weights = workspace.take<double>(count, "candidate weights");
  const int exponent = std::ilogb(*std::max_element(candidates.weights.begin(), candidates.weights.end()));
  for (std::int64_t c = 0; c < count; ++c) {
    std::copy_n(rows.row(candidates.rows[static_cast<std::size_t>(c)]), rows.d, data + c * rows.d);
    weights[c] = std::ldexp(candidates.weights[static_cast<std::size_t>(c)], -exponent);
  }
  source.first = Draw::recluster_first;
  source.next = Draw::recluster;
  plus_plus(Rows<T>{data, count, rows.d, weights, rows.scale, rows.threads}, k, source, stop, workspace, centers);
}

template void parallel<float>(const Rows<float>&, std::int32_t, Source, double, const std::function<bool()>&,
                              const Workspace&, float*);
template void parallel<double>(const Rows<double>&, std::int32_t, Source, double, const std::function<bool()>&,
                               const Workspace&, double*);

}  // namespace tilelearn::kmeans::cpu
