// First centres on the CPU. What random numbers choose among are integer masses, so that any order of summation and
// any device gives the same choice.
#include "kmeans/kmeans_cpu_init.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <omp.h>

#include "core/philox.hpp"
#include "kmeans/kmeans_cpu_assign.hpp"
#include "kmeans/kmeans_cpu_levels.hpp"
#include "kmeans/kmeans_cpu_masses.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

/// Where the random numbers of one purpose come from.
struct Source {
  std::uint64_t seed;
  std::int32_t start;
  Draw first;
  Draw next;

  [[nodiscard]] std::uint64_t bits(Draw purpose, std::uint64_t index) const {
    return philox::bits(seed, stream(start, purpose), index);
  }
};

template <typename T>
std::int64_t draw_by_weight(const Rows<T>& rows, std::uint64_t bits, Masses& masses) {
  const auto weight = [&rows](std::int64_t i) { return rows.weight(i); };
  masses.reset(mass_exponent(rows.n, 0), weight);
  return masses.draw(bits, weight);
}

/// Squared distances of all rows to the nearest centre so far.
template <typename T>
class Nearest {
 public:
  Nearest(const Rows<T>& rows, std::int64_t candidates, Workspace& workspace)
      : rows_(rows),
        squares_(workspace.take<double>(rows.n, "squared distances")),
        lanes_(workspace.take<double>(rows.threads * rows.d * exact_lanes, "float64 rows")),
        scaled_(workspace.take<double>(candidates * rows.d, "candidates")),
        trial_(workspace.take<double>(rows.threads * candidates * exact_lanes, "distances to candidates")) {
    std::fill_n(squares_, rows.n, std::numeric_limits<double>::infinity());
  }

  /// Takes a row as one more centre.
  void add(std::int64_t center) {
#pragma omp parallel for num_threads(rows_.threads_for(rows_.d)) schedule(static)
    for (std::int64_t chunk = 0; chunk < chunk_count(rows_.n); ++chunk) {
      static constexpr std::int32_t labels[chunk_rows] = {};
      double distances[chunk_rows];
      const std::int64_t first = chunk * chunk_rows;
      const std::int64_t count = chunk_end(rows_.n, chunk) - first;
      exact_loops<T>().labelled(rows_.row(first), count, rows_.d, rows_.scale, rows_.row(center), labels, distances);
      for (std::int64_t i = 0; i < count; ++i) squares_[first + i] = std::min(squares_[first + i], distances[i]);
    }
  }

  /// Total mass that would be left after each of the candidate rows.
  std::vector<std::uint64_t> totals_after(const std::vector<std::int64_t>& candidates, double factor) {
    const auto count = static_cast<std::int64_t>(candidates.size());
    for (std::int64_t c = 0; c < count; ++c)
      for (std::int64_t j = 0; j < rows_.d; ++j)
        scaled_[c * rows_.d + j] =
            static_cast<double>(rows_.row(candidates[static_cast<std::size_t>(c)])[j]) * rows_.scale;
    std::vector<std::uint64_t> totals(candidates.size());
    std::uint64_t* sums = totals.data();
#pragma omp parallel for num_threads(rows_.threads_for(count* rows_.d)) schedule(static) reduction(+ : sums[:count])
    for (std::int64_t group = 0; group < (rows_.n + exact_lanes - 1) / exact_lanes; ++group)
      add_group(group * exact_lanes, count, factor, omp_get_thread_num(), sums);
    return totals;
  }

  /// w' d2; 0 for rows of weight zero, whose distance may be infinite.
  [[nodiscard]] double value(std::int64_t i) const {
    const double weight = rows_.weight(i);
    return weight > 0.0 ? weight * squares_[i] : 0.0;
  }
  [[nodiscard]] double* squares() { return squares_; }

  [[nodiscard]] double largest_value() const {
    double largest = 0.0;
#pragma omp parallel for num_threads(rows_.threads_for(1)) schedule(static) reduction(max : largest)
    for (std::int64_t i = 0; i < rows_.n; ++i) largest = std::max(largest, value(i));
    return largest;
  }

 private:
  void add_group(std::int64_t first, std::int64_t count, double factor, int thread, std::uint64_t* sums) {
    double* lanes = lanes_ + thread * rows_.d * exact_lanes;
    double* trial = trial_ + thread * count * exact_lanes;
    const int here = static_cast<int>(std::min<std::int64_t>(exact_lanes, rows_.n - first));
    const T* rows[exact_lanes];
    for (int l = 0; l < here; ++l) rows[l] = rows_.row(first + l);
    exact_loops<T>().transpose(rows, here, rows_.d, rows_.scale, lanes);
    loops().squares(lanes, rows_.d, scaled_, count, trial);
    for (std::int64_t c = 0; c < count; ++c)
      for (int l = 0; l < here; ++l) {
        const double weight = rows_.weight(first + l);
        if (weight > 0.0) sums[c] += mass(weight * std::min(squares_[first + l], trial[c * exact_lanes + l]), factor);
      }
  }

  const Rows<T>& rows_;
  double* squares_;
  double* lanes_;
  double* scaled_;
  double* trial_;
};

/// Exponent and total of the masses for the first time; no mass where all distances are zero.
template <typename T>
void start_masses(const Rows<T>& rows, const Nearest<T>& nearest, Masses& masses) {
  const double largest = nearest.largest_value();
  if (largest > 0.0)
    masses.reset(mass_exponent(rows.n, std::ilogb(largest)), [&](std::int64_t i) { return nearest.value(i); });
  else
    masses.reset_to_zero();
}

/// Rows drawn as candidates for centre t.
template <typename T>
std::vector<std::int64_t> draw_candidates(const Nearest<T>& nearest, const Masses& masses, const Source& source,
                                          std::int64_t t, int count) {
  std::vector<std::int64_t> result;
  for (int trial = 0; trial < count; ++trial)
    result.push_back(masses.draw(source.bits(source.next, static_cast<std::uint64_t>(t * count + trial)),
                                 [&](std::int64_t i) { return nearest.value(i); }));
  return result;
}

template <typename T>
void plus_plus(const Rows<T>& rows, std::int32_t k, const Source& source, const std::function<bool()>& stop,
               const Device& device, T* centers) {
  Workspace workspace(device);
  const int tried = trials(k);
  Nearest<T> nearest(rows, tried, workspace);
  Masses masses(rows.n, rows.threads, workspace);
  Masses weight_masses(rows.n, rows.threads, workspace);
  std::int64_t center = draw_by_weight(rows, source.bits(source.first, 0), weight_masses);
  for (std::int64_t t = 0;; ++t) {
    std::copy_n(rows.row(center), rows.d, centers + t * rows.d);
    if (t + 1 == k) return;
    check_stop(stop);
    nearest.add(center);
    if (t == 0)
      start_masses(rows, nearest, masses);
    else if (masses.total() > 0)
      masses.take([&](std::int64_t i) { return nearest.value(i); });
    if (masses.total() == 0) {
      center =
          draw_by_weight(rows, source.bits(source.next, static_cast<std::uint64_t>((t + 1) * tried)), weight_masses);
      continue;
    }
    const std::vector<std::int64_t> candidates = draw_candidates(nearest, masses, source, t + 1, tried);
    const std::vector<std::uint64_t> totals = nearest.totals_after(candidates, masses.factor());
    center = candidates[static_cast<std::size_t>(std::min_element(totals.begin(), totals.end()) - totals.begin())];
  }
}

template <typename T>
void random_rows(const Rows<T>& rows, std::int32_t k, const Source& source, const Device& device, T* centers) {
  Workspace workspace(device);
  Masses masses(rows.n, rows.threads, workspace);
  auto* left = workspace.take<double>(rows.n, "weights of rows left");
  for (std::int64_t i = 0; i < rows.n; ++i) left[i] = rows.weight(i);
  const auto value = [left](std::int64_t i) { return left[i]; };
  masses.reset(mass_exponent(rows.n, 0), value);
  for (std::int32_t t = 0; t < k; ++t) {
    const std::int64_t row = masses.draw(source.bits(Draw::random, static_cast<std::uint64_t>(t)), value);
    std::copy_n(rows.row(row), rows.d, centers + t * rows.d);
    masses.remove(row, left[row]);
    left[row] = 0.0;
    if (t + 1 < k) masses.grow_while_small(value);
  }
}

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
                  double largest, const Device& device, double* squares, std::int32_t* numbers) {
  Workspace workspace(device);
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
  for (const fixed_point::Words& sum : sums) result.push_back(fixed_point::value(sum, fixed_point::grid_factor(0)));
  return result;
}

template <typename T>
Candidates parallel_candidates(const Rows<T>& rows, std::int32_t k, const Source& source, double largest,
                               const std::function<bool()>& stop, const Device& device) {
  Workspace workspace(device);
  Nearest<T> nearest(rows, 1, workspace);
  Masses masses(rows.n, rows.threads, workspace);
  auto* numbers = workspace.take<std::int32_t>(rows.n, "nearest candidates");
  auto* joined = workspace.take<std::uint8_t>(rows.n, "joining rows");
  const auto value = [&](std::int64_t i) { return nearest.value(i); };
  Candidates result{{draw_by_weight(rows, source.bits(source.first, 0), masses)}, {}};
  take_centers(rows, result.rows, 0, largest, device, nearest.squares(), numbers);
  start_masses(rows, nearest, masses);
  for (int round = 0; round < parallel_rounds && masses.total() > 0; ++round) {
    check_stop(stop);
    join_round(rows, nearest, masses, source, round, 2 * static_cast<std::uint64_t>(k), joined);
    std::vector<std::int64_t> added;
    for (std::int64_t i = 0; i < rows.n; ++i)
      if (joined[i] != 0) added.push_back(i);
    if (added.empty()) continue;
    take_centers(rows, added, static_cast<std::int32_t>(result.rows.size()), largest, device, nearest.squares(),
                 numbers);
    result.rows.insert(result.rows.end(), added.begin(), added.end());
    masses.take(value);
  }
  result.weights = candidate_weights(rows, numbers, result.rows.size());
  return result;
}

template <typename T>
void parallel(const Rows<T>& rows, std::int32_t k, Source source, double largest, const std::function<bool()>& stop,
              const Device& device, T* centers) {
  const Candidates candidates = parallel_candidates(rows, k, source, largest, stop, device);
  const auto count = static_cast<std::int64_t>(candidates.rows.size());
  if (count < k) return plus_plus(rows, k, source, stop, device, centers);
  Workspace workspace(device);
  auto* data = workspace.take<T>(count * rows.d, "candidates");
  auto* weights = workspace.take<double>(count, "candidate weights");
  const int exponent = std::ilogb(*std::max_element(candidates.weights.begin(), candidates.weights.end()));
  for (std::int64_t c = 0; c < count; ++c) {
    std::copy_n(rows.row(candidates.rows[static_cast<std::size_t>(c)]), rows.d, data + c * rows.d);
    weights[c] = std::ldexp(candidates.weights[static_cast<std::size_t>(c)], -exponent);
  }
  source.first = Draw::recluster_first;
  source.next = Draw::recluster;
  plus_plus(Rows<T>{data, count, rows.d, weights, rows.scale, rows.threads}, k, source, stop, device, centers);
}

}  // namespace

template <typename T>
void first_centers(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, double largest,
                   const std::function<bool()>& stop, const Device& device, T* centers) {
  const Source source{options.seed, start, Draw::first, Draw::plus_plus};
  switch (options.init) {
    case KMeansInit::k_means_plus_plus:
      return plus_plus(rows, options.n_clusters, source, stop, device, centers);
    case KMeansInit::k_means_parallel:
      return parallel(rows, options.n_clusters, source, largest, stop, device, centers);
    case KMeansInit::random:
      return random_rows(rows, options.n_clusters, source, device, centers);
  }
}

template void first_centers<float>(const Rows<float>&, const KMeansOptions&, std::int32_t, double,
                                   const std::function<bool()>&, const Device&, float*);
template void first_centers<double>(const Rows<double>&, const KMeansOptions&, std::int32_t, double,
                                    const std::function<bool()>&, const Device&, double*);

}  // namespace tilelearn::kmeans::cpu
