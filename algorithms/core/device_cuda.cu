// A CUDA device: its stream, its stream-ordered memory pool, staged and strided copies.
#include "core/device_cuda.hpp"

#include <map>
#include <mutex>

#include "core/copy_kernels.cuh"
#include "core/cuda_support.cuh"
#include "core/staging_cuda.hpp"

namespace tilelearn::cuda {

namespace {

constexpr int least_compute_capability = 8;

/// Memory that was freed stays in the pool until the process ends or an allocation elsewhere in it would fail.
cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t keep = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return pool;
}

/// What all handles to one device share for the life of the process. Never destroyed: the driver may be gone by then.
struct Shared {
  cudaMemPool_t pool;
  cudaStream_t stream;
  Staging staging;
};

Shared& shared(int device) {
  static std::mutex mutex;
  static auto* devices = new std::map<int, Shared*>;
  const std::lock_guard<std::mutex> lock(mutex);
  Shared*& entry = (*devices)[device];
  if (entry == nullptr) {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    entry = new Shared{make_pool(device), stream, {}};
  }
  return *entry;
}

bool is_packed(const detail::StridedBlock& block, std::int64_t rows, std::int64_t columns) {
  return (block.column_stride == 1 || columns == 1) && (block.row_stride == columns || rows == 1);
}

class CudaDevice final : public detail::DeviceImpl {
 public:
  CudaDevice(int index, Shared& shared, cudaStream_t stream) : index_(index), shared_(shared), stream_(stream) {}

  [[nodiscard]] DeviceKind kind() const noexcept override { return DeviceKind::cuda; }
  [[nodiscard]] int index() const noexcept override { return index_; }
  [[nodiscard]] CUstream_st* stream() const noexcept override { return stream_; }

  [[nodiscard]] std::string description() const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index_));
    return properties.name;
  }

  [[nodiscard]] MemoryInfo memory() const override {
    const CurrentDevice current(index_);
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    check(cudaMemPoolGetAttribute(shared_.pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    check(cudaMemPoolGetAttribute(shared_.pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return {static_cast<std::int64_t>(free + reserved - used), static_cast<std::int64_t>(total)};
  }

  void synchronize() override {
    const CurrentDevice current(index_);
    check(cudaStreamSynchronize(stream_));
  }

  [[nodiscard]] void* allocate(std::int64_t bytes) override {
    const CurrentDevice current(index_);
    void* data = nullptr;
    cudaError_t status = cudaMallocFromPoolAsync(&data, static_cast<std::size_t>(bytes), shared_.pool, stream_);
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      check(cudaDeviceSynchronize());
      check(cudaMemPoolTrimTo(shared_.pool, 0));
      status = cudaMallocFromPoolAsync(&data, static_cast<std::size_t>(bytes), shared_.pool, stream_);
    }
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      throw OutOfMemory("cuda:" + std::to_string(index_), bytes, memory().free_bytes);
    }
    check(status);
    return data;
  }

  void deallocate(void* data, std::int64_t /*bytes*/) noexcept override {
    (void)cudaFreeAsync(data, stream_);
    (void)cudaGetLastError();
  }

  void copy_from_host(void* to, const void* from, std::int64_t bytes) override {
    const CurrentDevice current(index_);
    shared_.staging.to_device(to, from, bytes, index_, stream_);
  }

  void copy_to_host(void* to, const void* from, std::int64_t bytes) override {
    const CurrentDevice current(index_);
    shared_.staging.to_host(to, from, bytes, index_, stream_);
  }

  void copy_strided(const detail::StridedBlock& to, const detail::StridedBlock& from, std::int64_t rows,
                    std::int64_t columns, std::size_t element_bytes) override {
    const CurrentDevice current(index_);
    if (is_packed(to, rows, columns) && is_packed(from, rows, columns)) {
      check(cudaMemcpyAsync(to.data, from.data, static_cast<std::size_t>(rows * columns) * element_bytes,
                            cudaMemcpyDeviceToDevice, stream_));
      return;
    }
    switch (element_bytes) {
      case 1:
        return launch_copy_strided<std::uint8_t>(to, from, rows, columns, stream_);
      case 2:
        return launch_copy_strided<std::uint16_t>(to, from, rows, columns, stream_);
      case 4:
        return launch_copy_strided<std::uint32_t>(to, from, rows, columns, stream_);
      case 8:
        return launch_copy_strided<std::uint64_t>(to, from, rows, columns, stream_);
      default:
        throw InvalidArgument("copy: elements of " + std::to_string(element_bytes) + " bytes");
    }
  }

 private:
  int index_;
  Shared& shared_;
  cudaStream_t stream_;
};

}  // namespace

int device_count(std::string& reason) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    reason = std::string("no CUDA device: ") +
             (status == cudaSuccess ? "the driver reports none" : cudaGetErrorString(status));
    return 0;
  }
  reason.clear();
  return count;
}

std::shared_ptr<detail::DeviceImpl> open_device(int index, CUstream_st* const* caller_stream) {
  std::string reason;
  const int count = device_count(reason);
  if (count == 0) throw DeviceUnavailable(reason);
  if (index < 0 || index >= count)
    throw DeviceUnavailable("no CUDA device cuda:" + std::to_string(index) + ": there are " + std::to_string(count) +
                            ", counted from 0");
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
  if (major < least_compute_capability)
    throw DeviceUnavailable("cuda:" + std::to_string(index) + " has compute capability " + std::to_string(major) +
                            ".x, needed is " + std::to_string(least_compute_capability) + ".0 or newer");
  const CurrentDevice current(index);
  Shared& common = shared(index);
  if (caller_stream != nullptr) return std::make_shared<CudaDevice>(index, common, *caller_stream);
  static std::mutex mutex;
  static auto* opened = new std::map<int, std::shared_ptr<detail::DeviceImpl>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<detail::DeviceImpl>& device = (*opened)[index];
  if (device == nullptr) device = std::make_shared<CudaDevice>(index, common, common.stream);
  return device;
}

}  // namespace tilelearn::cuda
