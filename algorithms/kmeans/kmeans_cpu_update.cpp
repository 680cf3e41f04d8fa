// Fixed-point sums by cluster (words of core/fixed_point.hpp), kept exact so that rows can be taken away again.
#include "kmeans/kmeans_cpu_update.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu {

namespace {

/// What rounding_magic adds to the bits of one word.
constexpr std::uint64_t bias = 0x4338000000000000;

}  // namespace

template <typename T>
ClusterSums<T>::ClusterSums(const Rows<T>& rows, std::int64_t k, const ColumnStatistics& columns, Workspace& workspace)
    : rows_(rows), k_(k) {
  factors_ = workspace.take<double>(rows.d, "grid factors");
  low_factors_ = workspace.take<double>(rows.d, "grid factors");
  for (std::int64_t j = 0; j < rows.d; ++j) {
    const auto column = static_cast<std::size_t>(j);
    const double largest = columns.max_abs[column] * rows.scale;
    const int weighted = rows.weights != nullptr ? 1 : 0;
    // ilogb(0) is below every exponent, so a column of zeros gets the finest grid
    factors_[j] = fixed_point::grid_factor(fixed_point::grid_exponent(std::ilogb(largest) + weighted));
    const bool wide = rows.weights != nullptr || sizeof(T) == sizeof(double) ||
                      !narrow_enough(columns.max_abs[column], columns.min_abs[column], columns.variance[column]);
    low_factors_[j] = wide ? fixed_point::low_factor : 0.0;
    wide_ |= wide;
  }
  total_ = take_part(workspace);
  for (int thread = 0; thread < rows.threads; ++thread) parts_.push_back(take_part(workspace));
  clear();
}

template <typename T>
typename ClusterSums<T>::Part ClusterSums<T>::take_part(Workspace& workspace) const {
  return {workspace.take<std::uint64_t>(k_ * rows_.d, "sums"),
          wide_ ? workspace.take<std::uint64_t>(k_ * rows_.d, "sums") : nullptr,
          workspace.take<std::int64_t>(k_, "cluster sizes"), workspace.take<fixed_point::Words>(k_, "cluster weights")};
}

template <typename T>
void ClusterSums<T>::clear(const Part& part) {
  std::fill_n(part.high, k_ * rows_.d, 0);
  if (wide_) std::fill_n(part.low, k_ * rows_.d, 0);
  std::fill_n(part.rows, k_, 0);
  std::fill_n(part.weight, k_, fixed_point::Words{0, 0});
}

template <typename T>
void ClusterSums<T>::clear() {
  clear(total_);
  for (const Part& part : parts_) clear(part);
}

template <typename T>
void ClusterSums<T>::move_weight(const Part& part, std::int64_t row, std::int32_t from, std::int32_t to) const {
  part.rows[to] += 1;
  if (from >= 0) part.rows[from] -= 1;
  if (rows_.weights == nullptr) return;
  const fixed_point::Words words = weight_words(rows_.weights[row]);
  part.weight[to].high += words.high;
  part.weight[to].low += words.low;
  if (from < 0) return;
  part.weight[from].high -= words.high;
  part.weight[from].low -= words.low;
}

template <typename T>
std::int64_t ClusterSums<T>::move(std::int64_t first, std::int64_t count, const std::int32_t* from,
                                  const std::int32_t* to, int thread) {
  const Part& part = thread < 0 ? total_ : parts_[static_cast<std::size_t>(thread)];
  std::int64_t moved = 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (from[i] != to[i] && rows_.weight(first + i) > 0.0) {
      move_weight(part, first + i, from[i], to[i]);
      ++moved;
    }
  if (moved > 0)
    exact_loops<T>().move({rows_.row(first), count, rows_.d, rows_.weights == nullptr ? nullptr : rows_.weights + first,
                           rows_.scale, factors_, wide_ ? low_factors_ : nullptr, from, to, part.high, part.low});
  return moved;
}

template <typename T>
void ClusterSums<T>::merge() {
  const std::int64_t d = rows_.d;
#pragma omp parallel for num_threads(useful_threads(rows_.threads, static_cast <double>(k_ * d))) schedule(static)
  for (std::int64_t c = 0; c < k_; ++c)
    for (const Part& part : parts_) {
      total_.rows[c] += std::exchange(part.rows[c], 0);
      total_.weight[c].high += std::exchange(part.weight[c].high, 0);
      total_.weight[c].low += std::exchange(part.weight[c].low, 0);
      for (std::int64_t i = c * d; i < (c + 1) * d; ++i) total_.high[i] += std::exchange(part.high[i], 0);
      if (wide_)
        for (std::int64_t i = c * d; i < (c + 1) * d; ++i) total_.low[i] += std::exchange(part.low[i], 0);
    }
}

template <typename T>
void ClusterSums<T>::move_row(std::int64_t row, std::int32_t from, std::int32_t to) {
  constexpr int total = -1;
  move(row, 1, &from, &to, total);
}

template <typename T>
double ClusterSums<T>::weight(std::int64_t cluster) const {
  if (rows_.weights == nullptr) return static_cast<double>(total_.rows[cluster]);
  return fixed_point::value(total_.weight[cluster], fixed_point::grid_factor(0));
}

template <typename T>
void ClusterSums<T>::centers(const T* old, T* result) const {
  const std::int64_t d = rows_.d;
  for (std::int64_t c = 0; c < k_; ++c) {
    if (empty(c)) {
      std::copy_n(old + c * d, d, result + c * d);
      continue;
    }
    const double divisor = weight(c);
    const std::uint64_t offset = static_cast<std::uint64_t>(total_.rows[c]) * bias;
    for (std::int64_t j = 0; j < d; ++j) {
      const auto high = static_cast<std::int64_t>(total_.high[c * d + j] - offset);
      const auto low = wide_ ? static_cast<std::int64_t>(total_.low[c * d + j] - offset) : 0;
      result[c * d + j] = static_cast<T>(fixed_point::value({high, low}, factors_[j]) / divisor / rows_.scale);
    }
  }
}

template <typename T>
std::vector<RowMove> relocate_empty(const Rows<T>& rows, std::int64_t k, const T* centers, const std::int32_t* labels,
                                    double* distances, ClusterSums<T>& sums) {
  std::vector<std::int32_t> empty;
  for (std::int64_t c = 0; c < k; ++c)
    if (sums.empty(c)) empty.push_back(static_cast<std::int32_t>(c));
  std::vector<RowMove> moves;
  if (empty.empty()) return moves;
#pragma omp parallel for num_threads(rows.threads_for(rows.d)) schedule(static)
  for (std::int64_t chunk = 0; chunk < chunk_count(rows.n); ++chunk) {
    const std::int64_t first = chunk * chunk_rows;
    exact_loops<T>().labelled(rows.row(first), chunk_end(rows.n, chunk) - first, rows.d, rows.scale, centers,
                              labels + first, distances + first);
  }
  // The farthest rows so far, the nearest of them on top of the heap.
  std::vector<std::int64_t> farthest;
  const auto farther = [&](std::int64_t a, std::int64_t b) {
    return distances[a] != distances[b] ? distances[a] > distances[b] : a < b;
  };
  for (std::int64_t i = 0; i < rows.n; ++i) {
    if (!(rows.weight(i) > 0.0) || !(distances[i] > 0.0)) continue;
    if (farthest.size() == empty.size()) {
      if (!farther(i, farthest.front())) continue;
      std::pop_heap(farthest.begin(), farthest.end(), farther);
      farthest.pop_back();
    }
    farthest.push_back(i);
    std::push_heap(farthest.begin(), farthest.end(), farther);
  }
  std::sort(farthest.begin(), farthest.end(), farther);
  for (std::size_t i = 0; i < farthest.size(); ++i) {
    moves.push_back({farthest[i], labels[farthest[i]], empty[i]});
    sums.move_row(moves.back().row, moves.back().from, moves.back().to);
  }
  return moves;
}

template class ClusterSums<float>;
template class ClusterSums<double>;
template std::vector<RowMove> relocate_empty<float>(const Rows<float>&, std::int64_t, const float*, const std::int32_t*,
                                                    double*, ClusterSums<float>&);
template std::vector<RowMove> relocate_empty<double>(const Rows<double>&, std::int64_t, const double*,
                                                     const std::int32_t*, double*, ClusterSums<double>&);

}  // namespace tilelearn::kmeans::cpu
