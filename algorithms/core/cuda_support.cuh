// What every .cu file needs: checked calls, the current device, typed buffers of the stream-ordered pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "core/device_impl.hpp"
#include "core/workspace.hpp"

namespace tilelearn::cuda {

/// Throws CudaError, with the place of the call, unless `status` is cudaSuccess; clears CUDA's own error state first.
inline void check(cudaError_t status, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw CudaError(std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ", " + file +
                      ":" + std::to_string(line) + ")",
                  static_cast<int>(status));
}

/// Checks the launch just before it.
inline void check_launch(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  check(cudaGetLastError(), file, line);
}

/// Makes a device current, and the one before it current again at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int index) {
    check(cudaGetDevice(&previous_));
    if (index == previous_) return;
    check(cudaSetDevice(index));
    changed_ = true;
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (changed_) (void)cudaSetDevice(previous_);
  }

 private:
  int previous_ = 0;
  bool changed_ = false;
};

/// Bytes of workspace that this thread's call holds, asked against the device's limit before each buffer is taken.
/// (A call takes and frees its buffers in the thread that made it.)
class WorkspaceShare {
 public:
  WorkspaceShare() = default;
  WorkspaceShare(const Device& device, std::int64_t bytes) : bytes_(bytes) {
    detail::require_workspace(device, held() + bytes, "workspace");
    held() += bytes;
  }
  WorkspaceShare(WorkspaceShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  WorkspaceShare& operator=(WorkspaceShare&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  WorkspaceShare(const WorkspaceShare&) = delete;
  WorkspaceShare& operator=(const WorkspaceShare&) = delete;
  ~WorkspaceShare() { held() -= bytes_; }

 private:
  static std::int64_t& held() {
    thread_local std::int64_t bytes = 0;
    return bytes;
  }

  std::int64_t bytes_ = 0;
};

/// `size` uninitialised elements of workspace on a device, freed in stream order.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Device& device, std::int64_t size)
      : share_(device, detail::checked_bytes(size, 1, sizeof(T))),
        storage_(device, detail::checked_bytes(size, 1, sizeof(T))),
        size_(size) {}

  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(storage_.data()); }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Fills with one byte value, stream-ordered.
  void fill_bytes(int value) {
    if (size_ == 0) return;
    check(cudaMemsetAsync(data(), value, static_cast<std::size_t>(size_) * sizeof(T), storage_.device().stream()));
  }

 private:
  WorkspaceShare share_;
  detail::Storage storage_;
  std::int64_t size_ = 0;
};

/// Blocks of `threads` that cover n items, within the grid's limit; kernels loop over what is left.
inline unsigned blocks_for(std::int64_t n, int threads, std::int64_t most = 1 << 30) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

/// A call of CUB: once for the size of its scratch memory, once with it.
template <typename Call>
void with_scratch(const Device& device, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  const Buffer<std::uint8_t> scratch(device, static_cast<std::int64_t>(bytes));
  check(call(scratch.data(), bytes));
}

/// A copy in CPU memory of values on a device. Synchronises.
template <typename Value>
std::vector<Value> to_host(const Value* from, std::int64_t size, const Device& device) {
  std::vector<Value> result(static_cast<std::size_t>(size));
  device.impl().copy_to_host(result.data(), from, size * static_cast<std::int64_t>(sizeof(Value)));
  return result;
}

/// A copy on a device of values in CPU memory, which may go on return.
template <typename Value>
Buffer<Value> to_device(const std::vector<Value>& from, const Device& device) {
  Buffer<Value> result(device, static_cast<std::int64_t>(from.size()));
  device.impl().copy_from_host(result.data(), from.data(), static_cast<std::int64_t>(from.size() * sizeof(Value)));
  return result;
}

/// The number of this thread among all of a launch of one dimension, and how many there are.
__device__ inline std::int64_t thread_index() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::int64_t thread_count() { return std::int64_t{gridDim.x} * blockDim.x; }

/// Multiprocessors of the current device.
inline int multiprocessors() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace tilelearn::cuda
