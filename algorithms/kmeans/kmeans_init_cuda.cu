// First centres: launches, and the rounds of k-means||.
#include "kmeans/kmeans_init.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "core/fixed_point.hpp"
#include "kmeans/kmeans_assign.cuh"
#include "kmeans/kmeans_parallel_kernels.cuh"
#include "kmeans/kmeans_plus_plus_kernels.cuh"
#include "kmeans/kmeans_random_kernels.cuh"

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::multiprocessors;

namespace {

constexpr std::int64_t most_parts = 16384;
constexpr int most_blocks_a_multiprocessor = 4;
/// Distances to all trials are kept up to this many (32 MB): so many rows do not fill the device.
constexpr std::int64_t most_kept_distances = std::int64_t{1} << 22;

/// Memory of the masses.
class MassMemory {
 public:
  MassMemory(std::int64_t n, int tried, const Device& device) : tried_(tried) {
    const std::int64_t parts = std::min(most_parts, (n + init_threads - 1) / init_threads);
    part_rows_ = ((n + parts - 1) / parts + init_threads - 1) / init_threads * init_threads;
    part_count_ = (n + part_rows_ - 1) / part_rows_;
    words_ = Buffer<Word>(device, part_count_ + total_slots + 2 * tried + 1);
    rows_ = Buffer<std::int64_t>(device, 1);
    if (n * tried <= most_kept_distances) distances_ = Buffer<double>(device, n * tried);
  }

  [[nodiscard]] Masses masses() const {
    Word* totals = words_.data() + part_count_;
    return {words_.data(), part_count_,      part_rows_, totals, totals + total_slots + 2 * tried_,
            rows_.data(),  distances_.data()};
  }

 private:
  int tried_;
  std::int64_t part_rows_ = 0;
  std::int64_t part_count_ = 0;
  Buffer<Word> words_;
  Buffer<std::int64_t> rows_;
  Buffer<double> distances_;
};

/// A launch whose blocks are all on the device at once, no more than n items keep busy.
template <typename... Arguments>
void launch_cooperative(void (*kernel)(Arguments...), std::int64_t n, cudaStream_t stream, Arguments... arguments) {
  int fit = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, init_threads, 0));
  const std::int64_t most = std::int64_t{multiprocessors()} * std::clamp(fit, 1, most_blocks_a_multiprocessor);
  void* pointers[] = {&arguments...};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks_for(n, init_threads, most)),
                                    dim3(init_threads), pointers, 0, stream));
}

void check_stop(const std::function<bool()>& stop) {
  if (stop && stop()) throw Cancelled("KMeans: stopped by the caller while choosing first centres");
}

template <typename T>
void launch_plus_plus(const Rows<T>& rows, int k, const Source& source, const Device& device, T* centers) {
  const MassMemory memory(rows.n, trials(k), device);
  const Buffer<double> square(device, rows.n);
  launch_cooperative(plus_plus<T>, rows.n * trial_lanes(trials(k)), device.stream(), rows, k, source, memory.masses(),
                     square.data(), centers);
}

/// The rounds of k-means||: candidates, nearest candidate of every row, weights.
template <typename T>
class Rounds {
 public:
  Rounds(const Rows<T>& rows, int k, const Statistics& statistics, const Source& source, const Device& device)
      : rows_(rows),
        k_(k),
        statistics_(statistics),
        source_(source),
        device_(device),
        memory_(rows.n, 1, device),
        square_(device, rows.n),
        numbers_(device, rows.n),
        labels_(device, rows.n),
        joined_(device, rows.n),
        chosen_(device, rows.n),
        count_(device, 1),
        state_(device, 1) {
    state_.fill_bytes(0);
  }

  void run(const std::function<bool()>& stop) {
    launch_cooperative(first_row<T>, rows_.n, device_.stream(), rows_, source_, memory_.masses());
    check(cudaMemcpyAsync(chosen_.data(), memory_.masses().rows, sizeof(std::int64_t), cudaMemcpyDeviceToDevice,
                          device_.stream()));
    take(1);
    for (int round = 0; round < parallel_rounds; ++round) {
      check_stop(stop);
      launch_cooperative(round_masses<T>, rows_.n, device_.stream(), rows_, memory_.masses(),
                         static_cast<const double*>(square_.data()), round == 0, state_.data());
      const std::int64_t added = join(round);
      if (total_ == 0) break;
      if (added > 0) take(added);
    }
  }

  [[nodiscard]] std::int64_t count() const { return total_candidates_; }

  /// All candidates, one after the other.
  [[nodiscard]] Buffer<T> candidates() const {
    Buffer<T> all(device_, total_candidates_ * rows_.d);
    std::int64_t place = 0;
    for (const Buffer<T>& part : parts_) {
      check(cudaMemcpyAsync(all.data() + place, part.data(), static_cast<std::size_t>(part.size()) * sizeof(T),
                            cudaMemcpyDeviceToDevice, device_.stream()));
      place += part.size();
    }
    return all;
  }

  /// w' of the candidates as rows.
  [[nodiscard]] Buffer<double> weights() const {
    Buffer<Word> words(device_, 2 * total_candidates_);
    words.fill_bytes(0);
    weigh_candidates<<<blocks_for(rows_.n, init_threads, 4096), init_threads, 0, device_.stream()>>>(
        rows_, numbers_.data(), words.data());
    check_launch();
    std::vector<Word> sums(static_cast<std::size_t>(2 * total_candidates_));
    device_.impl().copy_to_host(sums.data(), words.data(), words.size() * std::int64_t{sizeof(Word)});
    std::vector<double> weights;
    for (std::size_t c = 0; c < sums.size(); c += 2)
      weights.push_back(fixed_point::value({static_cast<std::int64_t>(sums[c]), static_cast<std::int64_t>(sums[c + 1])},
                                           fixed_point::grid_factor(0)));
    const int exponent = std::ilogb(*std::max_element(weights.begin(), weights.end()));
    for (double& weight : weights) weight = std::ldexp(weight, -exponent);
    Buffer<double> result(device_, total_candidates_);
    device_.impl().copy_from_host(result.data(), weights.data(), total_candidates_ * std::int64_t{sizeof(double)});
    return result;
  }

 private:
  /// Rows that join in this round, in row order, into chosen_.
  std::int64_t join(int round) {
    join_round<<<blocks_for(rows_.n, init_threads, 4096), init_threads, 0, device_.stream()>>>(
        rows_, source_, round, 2 * static_cast<std::uint64_t>(k_), square_.data(), state_.data(), joined_.data());
    check_launch();
    const thrust::counting_iterator<std::int64_t> rows(0);
    tilelearn::cuda::with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(scratch, bytes, rows, joined_.data(), chosen_.data(), count_.data(), rows_.n,
                                        device_.stream());
    });
    RoundState state{};
    std::int64_t added = 0;
    device_.impl().copy_to_host(&state, state_.data(), sizeof state);
    device_.impl().copy_to_host(&added, count_.data(), sizeof added);
    total_ = state.total;
    return total_ == 0 ? 0 : added;
  }

  /// The first `added` rows of chosen_ become candidates.
  void take(std::int64_t added) {
    parts_.emplace_back(device_, added * rows_.d);
    T* data = parts_.back().data();
    gather_rows<<<static_cast<unsigned>(added), 128, 0, device_.stream()>>>(rows_, chosen_.data(), data);
    check_launch();
    Assigner<T>(rows_, added, statistics_, device_).assign(data, added, labels_.data());
    take_candidates_of_round<<<blocks_for(rows_.n, init_threads, 65536), init_threads, 0, device_.stream()>>>(
        rows_, data, labels_.data(), static_cast<int>(total_candidates_), square_.data(), numbers_.data());
    check_launch();
    total_candidates_ += added;
  }

  Rows<T> rows_;
  int k_;
  const Statistics& statistics_;
  Source source_;
  Device device_;
  MassMemory memory_;
  Buffer<double> square_;
  Buffer<std::int32_t> numbers_;
  Buffer<std::int32_t> labels_;
  Buffer<std::uint8_t> joined_;
  Buffer<std::int64_t> chosen_;
  Buffer<std::int64_t> count_;
  Buffer<RoundState> state_;
  std::vector<Buffer<T>> parts_;
  std::int64_t total_candidates_ = 0;
  Word total_ = 1;
};

template <typename T>
void parallel(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, const Statistics& statistics,
              const std::function<bool()>& stop, const Device& device, T* centers) {
  const std::int32_t k = options.n_clusters;
  const auto source = [&](Draw first, Draw next) {
    return Source{options.seed, stream(start, first), stream(start, next)};
  };
  Rounds<T> rounds(rows, k, statistics, source(Draw::first, Draw::parallel), device);
  rounds.run(stop);
  if (rounds.count() < k) return launch_plus_plus(rows, k, source(Draw::first, Draw::plus_plus), device, centers);
  const Buffer<T> candidates = rounds.candidates();
  const Buffer<double> weights = rounds.weights();
  launch_plus_plus(Rows<T>{candidates.data(), rounds.count(), rows.d, weights.data(), rows.scale}, k,
                   source(Draw::recluster_first, Draw::recluster), device, centers);
}

}  // namespace

template <typename T>
void first_centers(const Rows<T>& rows, const KMeansOptions& options, std::int32_t start, const Statistics& statistics,
                   const std::function<bool()>& stop, const Device& device, T* centers) {
  const std::int32_t k = options.n_clusters;
  switch (options.init) {
    case KMeansInit::k_means_plus_plus:
      return launch_plus_plus(rows, k, Source{options.seed, stream(start, Draw::first), stream(start, Draw::plus_plus)},
                              device, centers);
    case KMeansInit::k_means_parallel:
      return parallel(rows, options, start, statistics, stop, device, centers);
    case KMeansInit::random: {
      const MassMemory memory(rows.n, 1, device);
      const Buffer<double> left(device, rows.n);
      const Source source{options.seed, 0, stream(start, Draw::random)};
      return launch_cooperative(random_rows<T>, rows.n, device.stream(), rows, static_cast<int>(k), source,
                                memory.masses(), left.data(), centers);
    }
  }
}

template void first_centers(const Rows<float>&, const KMeansOptions&, std::int32_t, const Statistics&,
                            const std::function<bool()>&, const Device&, float*);
template void first_centers(const Rows<double>&, const KMeansOptions&, std::int32_t, const Statistics&,
                            const std::function<bool()>&, const Device&, double*);

}  // namespace tilelearn::kmeans::cuda
