// Launches of the filter: which shape, which kernel.
#include <algorithm>

#include "kmeans/kmeans_filter_kernels.cuh"

namespace tilelearn::kmeans::cuda {

using tilelearn::cuda::check;
using tilelearn::cuda::check_launch;

namespace {

/// Shared memory of a block on sm_90, less room for the barriers.
constexpr int shared_budget = 227 * 1024;
constexpr int barrier_budget = 1024;
constexpr int most_warpgroups = 3;
constexpr int most_stages = 16;
/// Stages that keep the copy engine ahead; with the narrowest stage fewer will do.
constexpr int least_stages = 6;
constexpr int least_narrow_stages = 3;
constexpr int narrowest_stage = 2;
constexpr int least_wide = 256;
/// Columns from which registers take part of A: below, shared memory holds all of it and a deep ring.
constexpr int least_mixed = 640;
constexpr int mixed_warpgroups = 2;
constexpr int row_sum_bytes = 8;
constexpr int padded_group_bytes = tile_rows * group_slots * 2 + 16;
constexpr int packed_group_bytes = tile_rows * group_slots * 2;
constexpr int widest_stage = 8;
constexpr int prepare_threads = 128;

__global__ void report_target(int* found) { *found = TILELEARN_HOPPER_DEVICE; }

/// Wide rows of whole K steps: their norms go into the accumulators, and not into a K step of their own.
bool norms_in_accumulators(int d) { return d >= least_wide && d % 16 == 0; }

int operand_groups(int d) { return norms_in_accumulators(d) ? d / group_slots : (d + norm_slots + 15) / 16 * 2; }

int tiles_of(std::int64_t k) {
  const int columns = filter_tile_columns(k);
  return static_cast<int>((k + columns - 1) / columns);
}

int column_bytes(int k) { return filter_tile_columns(k) * group_slots * 2; }

/// Fills in the ring for what A leaves of shared memory; false if that is too little.
bool fit_ring(FilterShape& shape, int k, int a_bytes) {
  const int left = shared_budget - barrier_budget - a_bytes;
  for (int width = std::min(widest_stage, shape.chunk_groups); width >= narrowest_stage; width /= 2) {
    const int stages_a_tile = (shape.groups + width - 1) / width;
    const int stages = left / (width * column_bytes(k));
    shape.stage_groups = width;
    shape.resident = !shape.mixed && stages >= stages_a_tile * shape.tiles;
    shape.stages = shape.resident ? stages_a_tile * shape.tiles : std::min(stages, most_stages);
    shape.shared_bytes = a_bytes + shape.stages * width * column_bytes(k) + barrier_budget;
    const int least = width == narrowest_stage ? least_narrow_stages : least_stages;
    if (left > 0 && (shape.resident || shape.stages >= least) && 16 * shape.stages + 128 <= barrier_budget) return true;
    if (shape.chunk_groups < shape.groups && !shape.mixed) break;  // A's chunk and B's stage are of one width
  }
  return false;
}

template <typename T, int columns, bool collect, Operand operand, bool norms_first>
void launch(const FilterArguments<T>& a, const FilterShape& shape, cudaStream_t stream) {
  const auto kernel = score_rows<T, columns, collect, operand, norms_first>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shape.shared_bytes));
  const std::int64_t tiles = (a.rows + tile_rows - 1) / tile_rows;
  const std::int64_t blocks = (tiles + shape.warpgroups - 1) / shape.warpgroups;
  kernel<<<tilelearn::cuda::blocks_for(blocks, 1, tilelearn::cuda::multiprocessors()), shape.warpgroups * 128 + 32,
           shape.shared_bytes, stream>>>(a, shape);
  check_launch();
}

template <typename T, int columns, Operand operand, bool norms_first>
void launch_both(const FilterArguments<T>& a, const FilterShape& shape, cudaStream_t stream) {
  check(cudaMemsetAsync(a.queue.count, 0, queue_counts * sizeof(std::uint32_t), stream));
  check(cudaMemsetAsync(a.queue.candidate_count, 0, a.queue.candidate_capacity * sizeof(std::uint32_t), stream));
  launch<T, columns, false, operand, norms_first>(a, shape, stream);
  launch<T, columns, true, operand, norms_first>(a, shape, stream);
}

template <typename T, int columns>
void launch_for_width(const FilterArguments<T>& a, const FilterShape& shape, cudaStream_t stream) {
  if constexpr (sizeof(T) == sizeof(float) && columns == 128)
    if (shape.mixed) return launch_both<T, columns, Operand::mixed, true>(a, shape, stream);
  const bool chunked = shape.chunk_groups < shape.groups;
  if (chunked && shape.norms_in_accumulators) return launch_both<T, columns, Operand::chunked, true>(a, shape, stream);
  if (chunked) return launch_both<T, columns, Operand::chunked, false>(a, shape, stream);
  if (shape.norms_in_accumulators) return launch_both<T, columns, Operand::whole, true>(a, shape, stream);
  launch_both<T, columns, Operand::whole, false>(a, shape, stream);
}

}  // namespace

bool filter_available() {
  static const bool available = [] {
    int* found = nullptr;
    int result = 0;
    check(cudaMalloc(&found, sizeof(int)));
    report_target<<<1, 1>>>(found);
    const cudaError_t status = cudaMemcpy(&result, found, sizeof(int), cudaMemcpyDeviceToHost);
    (void)cudaFree(found);
    check(status);
    return result != 0;
  }();
  return available;
}

int filter_tile_columns(std::int64_t k) { return k <= 16 ? 16 : k <= 64 ? 64 : 128; }

FilterShape filter_shape(int d, int k, bool vectors) {
  FilterShape shape{};
  shape.groups = operand_groups(d);
  shape.norms_in_accumulators = norms_in_accumulators(d);
  shape.a_group_bytes = d >= least_wide ? packed_group_bytes : padded_group_bytes;
  shape.tiles = tiles_of(k);
  shape.chunk_groups = shape.groups;
  if (vectors && d >= least_mixed && shape.norms_in_accumulators && filter_tile_columns(k) == 128 && shape.tiles > 1) {
    shape.mixed = true;
    shape.warpgroups = mixed_warpgroups;
    shape.chunk_groups = shape.groups - 2 * register_steps;
    const int a_bytes = shape.warpgroups * (shape.chunk_groups * shape.a_group_bytes + tile_rows * row_sum_bytes);
    if (fit_ring(shape, k, a_bytes) && shape.stage_groups == widest_stage) return shape;
    shape.mixed = false;
    shape.chunk_groups = shape.groups;
  }
  // With one tile of centres A is used once: a chunk of it at a time is enough, and leaves room for more warpgroups.
  const int least_warpgroups = shape.tiles == 1 ? most_warpgroups : 1;
  for (shape.warpgroups = most_warpgroups; shape.warpgroups >= least_warpgroups; --shape.warpgroups) {
    const int a_bytes = shape.warpgroups * (shape.groups * shape.a_group_bytes + tile_rows * row_sum_bytes);
    if (fit_ring(shape, k, a_bytes)) return shape;
  }
  shape.warpgroups = most_warpgroups;
  shape.chunk_groups = widest_stage;
  shape.a_group_bytes = padded_group_bytes;
  (void)fit_ring(shape, k,
                 shape.warpgroups * (2 * shape.chunk_groups * shape.a_group_bytes + tile_rows * row_sum_bytes));
  return shape;
}

std::int64_t filter_columns(int k) { return std::int64_t{tiles_of(k)} * filter_tile_columns(k); }

std::int64_t filter_operand_size(int d, int k) { return filter_columns(k) * operand_groups(d) * group_slots; }

template <typename T>
void prepare_filter(const T* centers, int k, int d, const T* mean, double data_scale, __half* B, float* norms,
                    float* shift, FilterScale* scale, const LoopState* state, cudaStream_t stream) {
  check(cudaMemsetAsync(scale, 0, sizeof(FilterScale), stream));
  largest_centre_norm<<<static_cast<unsigned>(k), prepare_threads, 0, stream>>>(centers, d, mean, data_scale, scale,
                                                                                state);
  check_launch();
  const int columns = filter_tile_columns(k);
  prepare_centres<<<static_cast<unsigned>(tiles_of(k) * columns), prepare_threads, 0, stream>>>(
      centers, k, d, mean, data_scale, columns, operand_groups(d), !norms_in_accumulators(d), B, norms, shift, scale,
      state);
  check_launch();
}

template <typename T>
void run_filter(const FilterArguments<T>& arguments, cudaStream_t stream) {
  const FilterShape shape = filter_shape(
      arguments.d, arguments.k, sizeof(T) == sizeof(float) && arguments.whole_groups * group_slots == arguments.d);
  switch (filter_tile_columns(arguments.k)) {
    case 16:
      return launch_for_width<T, 16>(arguments, shape, stream);
    case 64:
      return launch_for_width<T, 64>(arguments, shape, stream);
    default:
      return launch_for_width<T, 128>(arguments, shape, stream);
  }
}

template void prepare_filter(const float*, int, int, const float*, double, __half*, float*, float*, FilterScale*,
                             const LoopState*, cudaStream_t);
template void prepare_filter(const double*, int, int, const double*, double, __half*, float*, float*, FilterScale*,
                             const LoopState*, cudaStream_t);
template void run_filter(const FilterArguments<float>&, cudaStream_t);
template void run_filter(const FilterArguments<double>&, cudaStream_t);

}  // namespace tilelearn::kmeans::cuda
