// The loop: assign, move, new centres, decide; a pause where a cluster lost its last row.
#include "kmeans/kmeans_lloyd.cuh"

#include <algorithm>

#include <cub/device/device_radix_sort.cuh>

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::PinnedSlot;
using tilelearn::cuda::to_host;

namespace {

/// Iterations that the host may be ahead of the device.
constexpr std::int32_t ahead = 3;

__global__ void number_rows(std::int64_t* rows, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    rows[i] = i;
}

__global__ void gather_labels(const std::int64_t* rows, std::int64_t count, const std::int32_t* labels,
                              std::int32_t* out) {
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) out[i] = labels[rows[i]];
}

}  // namespace

template <typename T>
Lloyd<T>::Lloyd(const FitProblem<T>& problem, const Rows<T>& rows, const Statistics& statistics, double tolerance)
    : problem_(problem),
      rows_(rows),
      k_(problem.options.n_clusters),
      tolerance_(tolerance),
      device_(problem.X.device()),
      assigner_(rows, k_, statistics, device_),
      sums_(rows, k_, statistics, device_),
      centers_{Matrix<T>(k_, rows.d, device_), Matrix<T>(k_, rows.d, device_)},
      labels_(rows.n, device_),
      new_labels_(device_, rows.n),
      device_state_(device_, 1) {}

template <typename T>
void Lloyd<T>::run(std::int32_t start) {
  sums_.clear();
  check(cudaMemsetAsync(labels_.data(), 0xFF, static_cast<std::size_t>(rows_.n) * sizeof(std::int32_t),
                        device_.stream()));
  device_state_.fill_bytes(0);
  reported_ = 0;
  std::array<PinnedSlot, ahead> slots;
  std::int32_t enqueued = 0;
  std::int32_t seen = 0;
  while (state_.status == LoopStatus::running && seen < problem_.options.max_iter) {
    while (enqueued < problem_.options.max_iter && enqueued - seen < ahead) {
      enqueue_iteration(enqueued);
      slots[static_cast<std::size_t>(enqueued % ahead)].copy_from(device_state_.data(), device_.stream());
      ++enqueued;
    }
    state_ = slots[static_cast<std::size_t>(seen % ahead)].template get<LoopState>();
    if (state_.status == LoopStatus::has_empty) {
      fill_empty_clusters();
      enqueued = state_.iteration;
      seen = state_.iteration;
    } else {
      ++seen;
    }
    report(state_, start);
  }
  device_.synchronize();
}

template <typename T>
void Lloyd<T>::enqueue_iteration(std::int32_t iteration) {
  const auto now = static_cast<std::size_t>(iteration % 2);
  assigner_.assign(centers_[now].data(), k_, new_labels_.data(), device_state_.data());
  sums_.move_rows(labels_.data(), new_labels_.data(), device_state_.data());
  end_iteration(iteration, false);
}

template <typename T>
void Lloyd<T>::end_iteration(std::int32_t iteration, bool allow_empty) {
  const auto now = static_cast<std::size_t>(iteration % 2);
  sums_.centres(centers_[now].data(), centers_[1 - now].data(), device_state_.data());
  sums_.decide(tolerance_, allow_empty, device_state_.data());
}

/// Gives empty clusters the farthest rows, ends the paused iteration, and takes the rows back: the sums are those of
/// the labels again, for the next iteration to move rows between.
template <typename T>
void Lloyd<T>::fill_empty_clusters() {
  device_.synchronize();
  std::vector<Relocation> moves = farthest_rows(sums_.empty_clusters());
  LoopState resumed = state_;
  resumed.status = LoopStatus::running;
  resumed.empty = 0;
  device_.impl().copy_from_host(device_state_.data(), &resumed, sizeof resumed);
  sums_.relocate(moves, device_state_.data());
  end_iteration(state_.iteration, true);
  for (Relocation& move : moves) std::swap(move.from, move.to);
  sums_.relocate(moves, nullptr);
  PinnedSlot slot;
  slot.copy_from(device_state_.data(), device_.stream());
  state_ = slot.get<LoopState>();
}

/// The rows of positive weight farthest from their centres: descending distance, then ascending row; none at distance
/// 0.
template <typename T>
std::vector<Relocation> Lloyd<T>::farthest_rows(const std::vector<std::int32_t>& empty) {
  const cudaStream_t stream = device_.stream();
  Buffer<double> distances(device_, 2 * rows_.n);
  Buffer<std::int64_t> numbers(device_, 2 * rows_.n);
  distances_to_own_centre(rows_, centers_[static_cast<std::size_t>(state_.iteration % 2)].data(), labels_.data(),
                          distances.data(), stream);
  number_rows<<<tilelearn::cuda::blocks_for(rows_.n, 256, 65536), 256, 0, stream>>>(numbers.data(), rows_.n);
  check_launch();
  tilelearn::cuda::with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, distances.data(), distances.data() + rows_.n,
                                                     numbers.data(), numbers.data() + rows_.n, rows_.n, 0, 64, stream);
  });
  const std::int64_t count = std::min(rows_.n, static_cast<std::int64_t>(empty.size()));
  const Buffer<std::int32_t> from(device_, count);
  gather_labels<<<1, 256, 0, stream>>>(numbers.data() + rows_.n, count, labels_.data(), from.data());
  check_launch();
  const std::vector<double> far = to_host(distances.data() + rows_.n, count, device_);
  const std::vector<std::int64_t> rows = to_host(numbers.data() + rows_.n, count, device_);
  const std::vector<std::int32_t> labels = to_host(from.data(), count, device_);
  std::vector<Relocation> moves;
  for (std::size_t i = 0; i < far.size() && far[i] > 0.0; ++i) moves.push_back({rows[i], labels[i], empty[i]});
  return moves;
}

template <typename T>
void Lloyd<T>::report(const LoopState& state, std::int32_t start) {
  if (problem_.stop && problem_.stop()) {
    device_.synchronize();
    throw Cancelled("KMeans: stopped by the caller after " + std::to_string(state.iteration) + " iterations");
  }
  if (!problem_.progress || state.iteration <= reported_) return;
  reported_ = state.iteration;
  problem_.progress({start, state.iteration, state.shift / rows_.scale / rows_.scale});
}

template class Lloyd<float>;
template class Lloyd<double>;

}  // namespace tilelearn::kmeans::cuda
