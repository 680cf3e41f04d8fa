// First centres on the CPU. What random numbers choose among are integer masses, so that any order of summation and
// any device gives the same choice.
#include "kmeans/kmeans_cpu_init.hpp"

#include <algorithm>
#include <vector>

#include "kmeans/kmeans_cpu_init_steps.hpp"
#include "kmeans/kmeans_cpu_nearest.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

/// Rows drawn as candidates for centre t.
template <typename T>
std::vector<std::int64_t> draw_candidates(const Nearest<T>& nearest, const Masses& masses, const Source& source,
                                          std::int64_t t, int count) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(count));
  for (int trial = 0; trial < count; ++trial)
    result.push_back(masses.draw(source.bits(source.next, static_cast<std::uint64_t>(t * count + trial)),
                                 [&](std::int64_t i) { return nearest.value(i); }));
  return result;
}

template <typename T>
void random_rows(const Rows<T>& rows, std::int32_t k, const Source& source, const Workspace& outer, T* centers) {
  Workspace workspace = outer.nested();
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

}  // namespace

template <typename T>
void plus_plus(const Rows<T>& rows, std::int32_t k, const Source& source, const std::function<bool()>& stop,
               const Workspace& outer, T* centers) {
  Workspace workspace = outer.nested();
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
      nearest.start(masses);
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
void first_centers(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, double largest,
                   const std::function<bool()>& stop, const Workspace& outer, T* centers) {
  const Source source{options.seed, start, Draw::first, Draw::plus_plus};
  switch (options.init) {
    case KMeansInit::k_means_plus_plus:
      return plus_plus(rows, options.n_clusters, source, stop, outer, centers);
    case KMeansInit::k_means_parallel:
      return parallel(rows, options.n_clusters, source, largest, stop, outer, centers);
    case KMeansInit::random:
      return random_rows(rows, options.n_clusters, source, outer, centers);
  }
}

template void first_centers<float>(const Rows<float>&, const KMeansOptions&, std::int32_t, double,
                                   const std::function<bool()>&, const Workspace&, float*);
template void first_centers<double>(const Rows<double>&, const KMeansOptions&, std::int32_t, double,
                                    const std::function<bool()>&, const Workspace&, double*);

template void plus_plus<float>(const Rows<float>&, std::int32_t, const Source&, const std::function<bool()>&,
                               const Workspace&, float*);
template void plus_plus<double>(const Rows<double>&, std::int32_t, const Source&, const std::function<bool()>&,
                                const Workspace&, double*);

}  // namespace tilelearn::kmeans::cpu
