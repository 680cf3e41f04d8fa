// Assignments: blocks of rows through filter, candidates and float64; small problems through float64 alone.
#include <algorithm>

#include "kmeans/kmeans_assign.cuh"
#include "kmeans/kmeans_exact_kernels.cuh"

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;

namespace {

constexpr int threads = 128;
constexpr std::int64_t most_blocks = 1 << 20;
/// Rows of a block: bounds the queues (about 30 bytes a row).
constexpr std::int64_t most_block_rows = std::int64_t{1} << 24;
/// Below this many multiplications the filter's launches cost more than float64 arithmetic.
constexpr double least_filter_work = 4e6;
constexpr std::int64_t least_filter_rows = 1024;
/// Candidate lists: one for each row of small blocks, then one for so many rows; rows beyond are compared with all
/// centres.
constexpr std::int64_t least_candidate_lists = std::int64_t{1} << 19;
constexpr std::int64_t rows_a_candidate_list = 8;
constexpr int resolve_blocks_a_multiprocessor = 16;

}  // namespace

template <typename T>
Assigner<T>::Assigner(const Rows<T>& rows, std::int64_t k, const Statistics& statistics, const Device& device)
    : rows_(rows), device_(device) {
  cells_ = CellIndex<T>::serves(rows, k);
  if (cells_) {
    index_ = CellIndex<T>(rows, statistics, device);
    return;
  }
  const double work = static_cast<double>(rows.n) * static_cast<double>(k) * rows.d;
  filter_ = k > 1 && rows.n >= least_filter_rows && work >= least_filter_work && filter_available();
  if (!filter_) return;
  block_rows_ = std::min(rows.n, most_block_rows);
  std::vector<T> mean;
  for (const double value : statistics.mean) mean.push_back(static_cast<T>(value / rows.scale));
  mean_ = Buffer<T>(device, rows.d);
  device.impl().copy_from_host(mean_.data(), mean.data(), rows.d * static_cast<std::int64_t>(sizeof(T)));
  operand_ = Buffer<__half>(device, filter_operand_size(rows.d, static_cast<int>(k)));
  shift_ = Buffer<float>(device, rows.d);
  norms_ = Buffer<float>(device, filter_columns(static_cast<int>(k)));
  scale_ = Buffer<FilterScale>(device, 1);
  thresholds_ = Buffer<float>(device, block_rows_);
  const std::int64_t lists =
      std::min(block_rows_, std::max(least_candidate_lists, block_rows_ / rows_a_candidate_list));
  candidate_capacity_ = static_cast<std::uint32_t>(lists);
  candidates_ = Buffer<std::uint32_t>(device, lists * (1 + most_candidates));
  queue_ = Buffer<std::uint32_t>(device, queue_counts + 2 * block_rows_ + 3 * lists);
}

template <typename T>
void Assigner<T>::assign(const T* centers, std::int64_t k, std::int32_t* labels, const LoopState* state) {
  const cudaStream_t stream = device_.stream();
  const int count = static_cast<int>(k);
  if (cells_) return index_.assign(rows_, centers, count, labels, state, device_);
  if (!filter_) {
    exact_labels<<<blocks_for(rows_.n, threads, most_blocks), threads, 0, stream>>>(rows_, centers, count, labels,
                                                                                    state);
    return check_launch();
  }
  prepare_filter(centers, count, rows_.d, mean_.data(), rows_.scale, operand_.data(), norms_.data(), shift_.data(),
                 scale_.data(), state, stream);
  for (std::int64_t first = 0; first < rows_.n; first += block_rows_)
    assign_block(centers, count, first, std::min(block_rows_, rows_.n - first), labels, state);
}

template <typename T>
void Assigner<T>::assign_block(const T* centers, int k, std::int64_t first, std::int64_t count, std::int32_t* labels,
                               const LoopState* state) {
  std::uint32_t* counts = queue_.data();
  std::uint32_t* rows = counts + queue_counts;
  const Queue queue{counts,
                    rows,
                    thresholds_.data(),
                    candidates_.data(),
                    candidates_.data() + candidate_capacity_,
                    candidate_capacity_,
                    counts + 1,
                    rows + 2 * block_rows_,
                    counts + 2,
                    rows + block_rows_};
  Rows<T> block = rows_;
  block.X += first * rows_.d;
  block.n = count;
  const bool aligned = reinterpret_cast<std::uintptr_t>(block.X) % 16 == 0 && rows_.d * sizeof(T) % 16 == 0;
  run_filter(FilterArguments<T>{block.X, count, rows_.d, k, mean_.data(), shift_.data(), norms_.data(),
                                aligned ? rows_.d / group_slots : 0, rows_.scale, operand_.data(), scale_.data(),
                                labels + first, queue, state},
             device_.stream());
  const auto blocks = static_cast<unsigned>(tilelearn::cuda::multiprocessors() * resolve_blocks_a_multiprocessor);
  resolve_queue<<<blocks, resolve_threads, 0, device_.stream()>>>(block, centers, queue, labels + first, state);
  check_launch();
  compare_all<<<blocks, resolve_threads, 0, device_.stream()>>>(block, centers, k, queue, labels + first, state);
  check_launch();
}

template <typename T>
void distances_to_own_centre(const Rows<T>& rows, const T* centers, const std::int32_t* labels, double* values,
                             cudaStream_t stream) {
  own_distances<<<blocks_for(rows.n, threads, most_blocks), threads, 0, stream>>>(rows, centers, labels, values);
  check_launch();
}

template <typename T>
void inertia_terms(const Rows<T>& rows, const T* given_weights, const T* centers, const std::int32_t* labels,
                   double* values, cudaStream_t stream) {
  distances_to_own_centre(rows, centers, labels, values, stream);
  weigh_distances<<<blocks_for(rows.n, threads, most_blocks), threads, 0, stream>>>(values, given_weights, rows.n,
                                                                                    rows.scale);
  check_launch();
}

template <typename T>
void all_distances(const Rows<T>& rows, const T* centers, std::int64_t k, T* distances, cudaStream_t stream) {
  distance_matrix<<<blocks_for(rows.n * k, threads, most_blocks), threads, 0, stream>>>(rows, centers, k, distances);
  check_launch();
}

template class Assigner<float>;
template class Assigner<double>;
template void distances_to_own_centre(const Rows<float>&, const float*, const std::int32_t*, double*, cudaStream_t);
template void distances_to_own_centre(const Rows<double>&, const double*, const std::int32_t*, double*, cudaStream_t);
template void inertia_terms(const Rows<float>&, const float*, const float*, const std::int32_t*, double*, cudaStream_t);
template void inertia_terms(const Rows<double>&, const double*, const double*, const std::int32_t*, double*,
                            cudaStream_t);
template void all_distances(const Rows<float>&, const float*, std::int64_t, float*, cudaStream_t);
template void all_distances(const Rows<double>&, const double*, std::int64_t, double*, cudaStream_t);

}  // namespace tilelearn::kmeans::cuda
