// Launches of the update.
#include "kmeans/kmeans_update_kernels.cuh"

#include <algorithm>
#include <cmath>

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::multiprocessors;

namespace {

constexpr int threads = 256;
constexpr int shared_threads = 1024;
constexpr int blocks_a_multiprocessor = 8;
/// Shared memory that a block of every supported device (compute capability 8.0 on) can have.
constexpr int shared_budget = 96 * 1024;
constexpr int most_shared = 160 * 1024;
constexpr int most_copies = 16;
/// 2^(29 - e) and the scaled values are normal float32 numbers for |29 - e| up to this.
constexpr int most_float_exponent = 96;

int copy_bytes(std::int64_t k, int d) { return static_cast<int>((2 * k * d + k) * 4); }

}  // namespace

template <typename T>
ClusterSums<T>::ClusterSums(const Rows<T>& rows, std::int64_t k, const Statistics& statistics, const Device& device)
    : rows_(rows), k_(k), device_(device) {
  const bool weighted = rows.weights != nullptr;
  std::vector<double> factors;
  std::vector<double> low_factors;
  bool any_wide = false;
  for (std::size_t j = 0; j < static_cast<std::size_t>(rows.d); ++j) {
    const int exponent = fixed_point::grid_exponent(std::ilogb(statistics.max_abs[j]) + (weighted ? 1 : 0));
    const bool wide = weighted || sizeof(T) == sizeof(double) ||
                      !narrow_enough(statistics.max_abs[j], statistics.min_abs[j], statistics.variance[j]);
    factors.push_back(fixed_point::grid_factor(exponent));
    low_factors.push_back(wide ? fixed_point::low_factor : 0.0);
    any_wide = any_wide || wide;
    // A column of zeros has the finest grid of all, and any grid will do for it.
    const bool float_factor = std::abs(fixed_point::high_bits - 1 - exponent) <= most_float_exponent;
    narrow_ = narrow_ && !wide && (float_factor || statistics.max_abs[j] == 0.0);
    if (statistics.max_abs[j] == 0.0 && !float_factor) factors.back() = 1.0;
  }
  words_size_ = (any_wide ? 2 : 1) * k * rows.d + 2 * k;
  words_ = Buffer<std::int64_t>(device, words_size_);
  factors.insert(factors.end(), low_factors.begin(), low_factors.end());
  factors_ = Buffer<double>(device, 2 * rows.d);
  device.impl().copy_from_host(factors_.data(), factors.data(), 2 * rows.d * std::int64_t{sizeof(double)});
  shifts_ = Buffer<double>(device, k);
}

template <typename T>
Sums ClusterSums<T>::sums() const {
  const std::int64_t cells = k_ * rows_.d;
  std::int64_t* words = words_.data();
  std::int64_t* weights = words + words_size_ - 2 * k_;
  const bool any_wide = words_size_ > cells + 2 * k_;
  return {words, any_wide ? words + cells : nullptr, weights, weights + k_, factors_.data(), factors_.data() + rows_.d};
}

template <typename T>
void ClusterSums<T>::clear() {
  words_.fill_bytes(0);
}

template <typename T>
bool ClusterSums<T>::fits_shared_memory() const {
  return sizeof(T) == sizeof(float) && narrow_ && (2 * k_ * rows_.d + k_) * 4 <= most_shared;
}

template <typename T>
void ClusterSums<T>::move_rows(std::int32_t* labels, const std::int32_t* new_labels, LoopState* state) {
  const std::int64_t turns = (rows_.n + turn_rows - 1) / turn_rows;
  if constexpr (sizeof(T) == sizeof(float)) {
    if (fits_shared_memory()) {
      const int bytes = copy_bytes(k_, rows_.d);
      const int copies = std::clamp(shared_budget / bytes, 1, most_copies);
      check(cudaFuncSetAttribute(move_rows_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, copies * bytes));
      const std::int64_t blocks = (turns + shared_threads / 32 - 1) / (shared_threads / 32);
      move_rows_shared<<<blocks_for(blocks, 1, multiprocessors()), shared_threads,
                         static_cast<std::size_t>(copies) * bytes, device_.stream()>>>(
          rows_, static_cast<int>(k_), copies, sums(), labels, new_labels, state);
      return check_launch();
    }
  }
  move_rows_global<<<blocks_for(turns, threads / 32, multiprocessors() * blocks_a_multiprocessor), threads, 0,
                     device_.stream()>>>(rows_, sums(), labels, new_labels, state);
  check_launch();
}

template <typename T>
void ClusterSums<T>::relocate(const std::vector<Relocation>& rows, LoopState* state) {
  const auto count = static_cast<std::int64_t>(rows.size());
  if (count == 0) return;
  const Buffer<Relocation> moves(device_, count);
  device_.impl().copy_from_host(moves.data(), rows.data(), count * std::int64_t{sizeof(Relocation)});
  relocate_rows<<<1, threads, 0, device_.stream()>>>(rows_, sums(), moves.data(), static_cast<int>(count), state,
                                                     static_cast<int>(count));
  check_launch();
}

template <typename T>
void ClusterSums<T>::centres(const T* old_centers, T* new_centers, LoopState* state) {
  const int width = rows_.d < 64 ? 64 : 256;
  cuda::new_centres<<<static_cast<unsigned>(k_), width, 0, device_.stream()>>>(rows_, sums(), old_centers, new_centers,
                                                                               shifts_.data(), state);
  check_launch();
}

template <typename T>
void ClusterSums<T>::decide(double tolerance, bool allow_empty, LoopState* state) {
  decide_iteration<<<1, chunk_rows, 0, device_.stream()>>>(shifts_.data(), static_cast<int>(k_), tolerance, allow_empty,
                                                           state);
  check_launch();
}

template <typename T>
std::vector<std::int32_t> ClusterSums<T>::empty_clusters() const {
  std::vector<std::int64_t> weights(static_cast<std::size_t>(2 * k_));
  device_.impl().copy_to_host(weights.data(), sums().weight_high, 2 * k_ * std::int64_t{sizeof(std::int64_t)});
  std::vector<std::int32_t> result;
  for (std::int64_t c = 0; c < k_; ++c)
    if (weights[static_cast<std::size_t>(c)] == 0 && weights[static_cast<std::size_t>(k_ + c)] == 0)
      result.push_back(static_cast<std::int32_t>(c));
  return result;
}

template class ClusterSums<float>;
template class ClusterSums<double>;

}  // namespace tilelearn::kmeans::cuda
