// Numbering clusters and gathering core rows.
#include "dbscan/dbscan_components.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "dbscan/dbscan_search.cuh"
#include "dbscan/dbscan_union_find.cuh"

namespace tilelearn::dbscan::cuda {

using tilelearn::cuda::blocks_for;
using tilelearn::cuda::Buffer;
using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;
using tilelearn::cuda::thread_count;
using tilelearn::cuda::thread_index;
using tilelearn::cuda::to_host;

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1 << 16;

/// Bits of a word; 0 past the last one, so that an exclusive sum over words + 1 entries ends with the total.
struct BitCount {
  const std::uint32_t* bits;
  std::int64_t words;
  __host__ __device__ std::int32_t operator()(std::int64_t word) const {
#ifdef __CUDA_ARCH__
    return word < words ? __popc(bits[word]) : 0;
#else
    return word < words ? __builtin_popcount(bits[word]) : 0;
#endif
  }
};

/// Every node's parent becomes its root, and the least core row of every set at its root.
__global__ void flatten(std::int32_t* parent, std::int32_t* first_row, std::int32_t most_nodes,
                        const std::int32_t* node_count) {
  const std::int32_t nodes = node_count == nullptr ? most_nodes : *node_count;
  for (std::int64_t i = thread_index(); i < nodes; i += thread_count()) {
    const std::int32_t row = first_row[i];
    // Shortening the ways of others here could put an older parent over a root that is there already.
    const std::int32_t root = look_up_root(parent, static_cast<std::int32_t>(i));
    if (root == i) continue;
    parent[i] = root;
    // A look first: atomics of all nodes of a large set on one word take their turns.
    if (row != no_row && row < __ldcg(first_row + root)) atomicMin(first_row + root, row);
  }
}

__global__ void mark_first_rows(const std::int32_t* parent, const std::int32_t* first_row, std::int32_t most_nodes,
                                const std::int32_t* node_count, std::uint32_t* bits) {
  const std::int32_t nodes = node_count == nullptr ? most_nodes : *node_count;
  for (std::int64_t i = thread_index(); i < nodes; i += thread_count()) {
    const std::int32_t row = first_row[i];
    if (parent[i] == i && row != no_row) atomicOr(bits + row / 32, 1u << row % 32);
  }
}

__global__ void number_nodes(std::int32_t* parent, const std::int32_t* first_row, std::int32_t most_nodes,
                             const std::int32_t* node_count, const std::uint32_t* bits, const std::int32_t* before) {
  const std::int32_t nodes = node_count == nullptr ? most_nodes : *node_count;
  for (std::int64_t i = thread_index(); i < nodes; i += thread_count()) {
    const std::int32_t row = first_row[parent[i]];
    parent[i] = first_row[i] == no_row ? noise : rank_of(row, bits, before);
  }
}

/// Whole warps take 32 rows each: bits of the core rows.
__global__ void mark_core_rows(const std::int32_t* code, std::int64_t n, std::uint32_t* bits) {
  const std::int64_t padded = (n + 31) / 32 * 32;
  for (std::int64_t i = thread_index(); i < padded; i += thread_count()) {
    const std::uint32_t word = __ballot_sync(0xFFFFFFFF, i < n && is_core(code[i]));
    if (i % 32 == 0) bits[i / 32] = word;
  }
}

/// Decodes the labels; rows and labels of the core rows, in order.
__global__ void gather_core_rows(std::int32_t* code, std::int64_t n, const std::uint32_t* bits,
                                 const std::int32_t* before, std::int64_t* core_rows, std::int32_t* core_labels) {
  for (std::int64_t i = thread_index(); i < n; i += thread_count()) {
    const std::int32_t label = label_of(code[i]);
    if (is_core(code[i])) {
      const std::int32_t place = rank_of(static_cast<std::int32_t>(i), bits, before);
      core_rows[place] = i;
      core_labels[place] = label;
    }
    code[i] = label;
  }
}

template <typename T>
__global__ void gather_values(const T* X, int d, const std::int64_t* core_rows, std::int64_t values, T* components) {
  for (std::int64_t i = thread_index(); i < values; i += thread_count())
    components[i] = X[core_rows[i / d] * d + i % d];
}

}  // namespace

RankedBits::RankedBits(std::int64_t rows, const Device& device)
    : device_(device), words_((rows + 31) / 32), bits_(device, words_), before_(device, words_ + 1) {
  bits_.fill_bytes(0);
}

void RankedBits::rank() {
  const auto counts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), BitCount{bits_.data(), words_});
  tilelearn::cuda::with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, before_.data(), words_ + 1, device_.stream());
  });
}

std::int32_t RankedBits::count() const { return to_host(before_.data() + words_, 1, device_).front(); }

void number_clusters(std::int32_t* parent, std::int32_t* first_row, std::int32_t most_nodes,
                     const std::int32_t* node_count, RankedBits& clusters, const Device& device) {
  const unsigned blocks = blocks_for(most_nodes, threads, most_blocks);
  const cudaStream_t stream = device.stream();
  flatten<<<blocks, threads, 0, stream>>>(parent, first_row, most_nodes, node_count);
  mark_first_rows<<<blocks, threads, 0, stream>>>(parent, first_row, most_nodes, node_count, clusters.bits());
  check_launch();
  clusters.rank();
  number_nodes<<<blocks, threads, 0, stream>>>(parent, first_row, most_nodes, node_count, clusters.bits(),
                                               clusters.before());
  check_launch();
}

template <typename T>
Model<T> finish_model(const MatrixView<const T>& X, Vector<std::int32_t> coded_labels, std::int32_t n_clusters) {
  const Device& device = X.device();
  const cudaStream_t stream = device.stream();
  const unsigned blocks = blocks_for(X.rows(), threads, most_blocks);
  RankedBits core(X.rows(), device);
  mark_core_rows<<<blocks, threads, 0, stream>>>(coded_labels.data(), X.rows(), core.bits());
  check_launch();
  core.rank();
  const std::int64_t count = core.count();
  Model<T> model;
  model.core_sample_indices = Vector<std::int64_t>(count, device);
  model.component_labels = Vector<std::int32_t>(count, device);
  model.components = Matrix<T>(count, X.columns(), device);
  gather_core_rows<<<blocks, threads, 0, stream>>>(coded_labels.data(), X.rows(), core.bits(), core.before(),
                                                   model.core_sample_indices.data(), model.component_labels.data());
  check_launch();
  if (count > 0)
    gather_values<<<blocks_for(count * X.columns(), threads, most_blocks), threads, 0, stream>>>(
        X.data(), static_cast<int>(X.columns()), model.core_sample_indices.data(), count * X.columns(),
        model.components.data());
  check_launch();
  device.synchronize();
  model.labels = std::move(coded_labels);
  model.n_clusters = n_clusters;
  model.n_features_in = X.columns();
  return model;
}

template Model<float> finish_model(const MatrixView<const float>&, Vector<std::int32_t>, std::int32_t);
template Model<double> finish_model(const MatrixView<const double>&, Vector<std::int32_t>, std::int32_t);

}  // namespace tilelearn::dbscan::cuda
