// The CUDA backend of linear models.
#include "linear/linear_backend.hpp"

#include <climits>
#include <limits>

#include "core/cuda_support.cuh"
#include "linear/linear_passes.cuh"

namespace tilelearn::linear::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check_launch;

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1024;

using Word = unsigned long long;

/// WeightFacts for atomics, which no order changes. Bits of weights that are not negative are in their order.
struct FoundWeights {
  Word largest_bits;
  Word first_invalid;
  Word first_positive;
  Word positive;
};
constexpr FoundWeights nothing_found{0, ULLONG_MAX, ULLONG_MAX, 0};

template <typename T>
__global__ void look_at_weights(const T* weights, std::int64_t stride, std::int64_t size, FoundWeights* found) {
  FoundWeights mine = nothing_found;
  for (std::int64_t i = tilelearn::cuda::thread_index(); i < size; i += tilelearn::cuda::thread_count()) {
    const auto weight = static_cast<double>(weights[i * stride]);
    if (!(weight >= 0.0) || isinf(weight)) {
      mine.first_invalid = min(mine.first_invalid, static_cast<Word>(i));
    } else if (weight > 0.0) {
      mine.first_positive = min(mine.first_positive, static_cast<Word>(i));
      mine.largest_bits = max(mine.largest_bits, static_cast<Word>(__double_as_longlong(weight)));
      ++mine.positive;
    }
  }
  for (int h = 16; h > 0; h /= 2) {
    mine.largest_bits = max(mine.largest_bits, __shfl_xor_sync(0xFFFFFFFF, mine.largest_bits, h));
    mine.first_invalid = min(mine.first_invalid, __shfl_xor_sync(0xFFFFFFFF, mine.first_invalid, h));
    mine.first_positive = min(mine.first_positive, __shfl_xor_sync(0xFFFFFFFF, mine.first_positive, h));
    mine.positive += __shfl_xor_sync(0xFFFFFFFF, mine.positive, h);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&found->largest_bits, mine.largest_bits);
  atomicMin(&found->first_invalid, mine.first_invalid);
  atomicMin(&found->first_positive, mine.first_positive);
  atomicAdd(&found->positive, mine.positive);
}

template <typename T>
WeightFacts inspect_weights(const VectorView<const T>& weights) {
  const Device& device = weights.device();
  const tilelearn::cuda::CurrentDevice current(device.index());
  const Buffer<FoundWeights> found(device, 1);
  device.impl().copy_from_host(found.data(), &nothing_found, sizeof nothing_found);
  look_at_weights<<<blocks_for(weights.size(), threads, most_blocks), threads, 0, device.stream()>>>(
      weights.data(), weights.stride(), weights.size(), found.data());
  check_launch();
  const FoundWeights words = tilelearn::cuda::to_host(found.data(), 1, device).front();
  const auto row = [](Word word) { return word == ULLONG_MAX ? std::int64_t{-1} : static_cast<std::int64_t>(word); };
  WeightFacts facts;
  memcpy(&facts.largest, &words.largest_bits, sizeof facts.largest);
  facts.first_invalid = row(words.first_invalid);
  facts.first_positive = row(words.first_positive);
  facts.positive = static_cast<std::int64_t>(words.positive);
  return facts;
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{inspect_weights<T>, gram<T>, residual_sums<T>, predict<T>};
  return functions;
}

template const Backend<float>& backend();
template const Backend<double>& backend();

}  // namespace tilelearn::linear::cuda
