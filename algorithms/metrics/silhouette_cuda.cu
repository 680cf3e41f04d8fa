// The CUDA backend of the silhouette: members into blocks, then one kernel over all pairs of rows.
#include <cmath>
#include <vector>

#include "core/cuda_support.cuh"
#include "metrics/metrics_backend.hpp"
#include "metrics/silhouette_kernels.cuh"

namespace tilelearn::metrics::cuda {

namespace {

namespace tc = tilelearn::cuda;

constexpr int plain_threads = 256;
constexpr int blocks_per_multiprocessor = 8;

/// Where each member goes, in CPU memory; see Members.
struct SlotPlan {
  std::vector<std::int64_t> slot_rows;
  std::vector<std::int64_t> block_clusters;
  std::vector<std::int64_t> block_starts{0};
  std::vector<std::int64_t> sizes;
};

SlotPlan plan_slots(const Clusters& clusters) {
  SlotPlan plan;
  for (std::size_t c = 0; c + 1 < clusters.starts.size(); ++c) {
    const std::int64_t size = clusters.starts[c + 1] - clusters.starts[c];
    const std::int64_t blocks = (size + lane_count - 1) / lane_count;
    plan.sizes.push_back(size);
    plan.block_starts.push_back(plan.block_starts.back() + blocks);
    plan.block_clusters.insert(plan.block_clusters.end(), static_cast<std::size_t>(blocks),
                               static_cast<std::int64_t>(c));
    plan.slot_rows.insert(plan.slot_rows.end(), clusters.rows.begin() + clusters.starts[c],
                          clusters.rows.begin() + clusters.starts[c + 1]);
    plan.slot_rows.resize(static_cast<std::size_t>(plan.block_starts.back() * lane_count), -1);
  }
  return plan;
}

/// A copy of a list on the device.
struct DeviceList {
  DeviceList(const Device& device, const std::vector<std::int64_t>& values)
      : buffer(device, static_cast<std::int64_t>(values.size())) {
    device.impl().copy_from_host(buffer.data(), values.data(),
                                 buffer.size() * static_cast<std::int64_t>(sizeof(std::int64_t)));
  }
  [[nodiscard]] const std::int64_t* data() const { return buffer.data(); }

  tc::Buffer<std::int64_t> buffer;
};

std::int64_t workspace_bytes(const SlotPlan& plan, std::int64_t d) {
  const std::size_t lists =
      plan.slot_rows.size() + plan.block_clusters.size() + plan.block_starts.size() + plan.sizes.size();
  return detail::checked_bytes(static_cast<std::int64_t>(plan.slot_rows.size()), d, sizeof(double)) +
         static_cast<std::int64_t>(lists * sizeof(std::int64_t));
}

unsigned grid_for(std::int64_t items) {
  return tc::blocks_for(items, plain_threads, std::int64_t{tc::multiprocessors()} * blocks_per_multiprocessor);
}

template <typename T>
double largest(const MatrixView<const T>& X) {
  const Device& device = X.device();
  const tc::CurrentDevice current(device.index());
  tc::Buffer<unsigned long long> on_device(device, 1);
  on_device.fill_bytes(0);
  const std::int64_t size = X.rows() * X.columns();
  largest_bits<<<grid_for(size), plain_threads, 0, device.stream()>>>(X.data(), size, on_device.data());
  tc::check_launch();
  double result = 0.0;
  device.impl().copy_to_host(&result, on_device.data(), sizeof(result));
  return std::isnan(result) ? static_cast<double>(INFINITY) : result;
}

template <typename T>
void coefficients_of_rows(const MatrixView<const T>& X, const Clusters& clusters, double factor, double* coefficients) {
  const Device& device = X.device();
  const tc::CurrentDevice current(device.index());
  const SlotPlan plan = plan_slots(clusters);
  detail::require_workspace(device, workspace_bytes(plan, X.columns()), "silhouette members");
  const DeviceList slot_rows(device, plan.slot_rows);
  const DeviceList block_clusters(device, plan.block_clusters);
  const DeviceList block_starts(device, plan.block_starts);
  const DeviceList sizes(device, plan.sizes);
  const std::int64_t slots = slot_rows.buffer.size();
  const tc::Buffer<double> values(device, slots * X.columns());
  gather_members<<<grid_for(slots * X.columns()), plain_threads, 0, device.stream()>>>(
      X.data(), X.columns(), slot_rows.data(), slots, factor, values.data());
  tc::check_launch();
  const Members members{values.data(), slot_rows.data(), block_clusters.data(), block_starts.data(),
                        sizes.data(),  clusters.count(), slots / lane_count,    X.columns()};
  silhouette<<<tc::blocks_for(members.blocks, tile_blocks), threads_per_block, 0, device.stream()>>>(members,
                                                                                                     coefficients);
  tc::check_launch();
  device.synchronize();
}

}  // namespace

template <typename T>
const Backend<T>& backend() {
  static constexpr Backend<T> functions{largest<T>, coefficients_of_rows<T>};
  return functions;
}

template const Backend<float>& backend<float>();
template const Backend<double>& backend<double>();

}  // namespace tilelearn::metrics::cuda
