// Where data lives and work runs: the CPU, or one CUDA device with a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tilelearn/export.hpp>

struct CUstream_st;  // cudaStream_t is a pointer to this; no CUDA header is needed

namespace tilelearn {

namespace detail {
class DeviceImpl;
}

enum class DeviceKind : std::uint8_t { cpu, cuda };

/// Bytes of memory of a device.
struct MemoryInfo {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};

/// A cheap, shared handle: copies name the same queue of work, memory pool and library handles.
///
/// Nothing is opened before it is asked for: a program that uses the CPU alone never loads the CUDA library, and one
/// that uses a GPU loads cuBLAS and cuSOLVER when an estimator first needs them.
class TILELEARN_API Device {
 public:
  /// More threads than this serve nobody, and far more of them end a process inside the OpenMP runtime.
  static constexpr int max_threads = 4096;

  /// The CPU with as many threads as OpenMP gives (cores, or OMP_NUM_THREADS).
  Device();

  static Device cpu();

  /// The CPU with a number of threads, from 1 to max_threads. Results never depend on it.
  /// @throws InvalidArgument for any other number
  static Device cpu(int threads);

  /// CUDA device `index` with the library's own non-blocking stream, the same one in every call.
  /// @throws DeviceUnavailable with the reason: no CUDA library beside this one, no driver, no such device
  static Device cuda(int index = 0);

  /// CUDA device `index` with the caller's stream, which must outlive everything that lives on the returned device.
  static Device cuda(int index, CUstream_st* stream);

  /// The first usable CUDA device, else the CPU. Never throws for want of a GPU.
  static Device best();

  /// "cpu", "cuda", "cuda:1" or "auto" (best()).
  /// @throws InvalidArgument for any other text, DeviceUnavailable as cuda() does
  static Device parse(const std::string& text);

  /// Number of CUDA devices that can be used; 0 where there is no CUDA library, driver or device.
  static int cuda_device_count();

  /// Why cuda_device_count() is 0, or an empty text.
  static std::string cuda_unavailable_reason();

  [[nodiscard]] DeviceKind kind() const noexcept;
  [[nodiscard]] bool is_cpu() const noexcept { return kind() == DeviceKind::cpu; }
  [[nodiscard]] bool is_cuda() const noexcept { return kind() == DeviceKind::cuda; }
  /// 0 for the CPU.
  [[nodiscard]] int index() const noexcept;
  /// CPU threads that work on this device may use (1 or more); 1 for a CUDA device.
  [[nodiscard]] int threads() const noexcept { return threads_; }
  /// "cpu" or "cuda:0": what parse() reads.
  [[nodiscard]] std::string name() const;
  /// What the maker calls it, for example "NVIDIA H200" or the CPU's model name.
  [[nodiscard]] std::string description() const;
  [[nodiscard]] MemoryInfo memory() const;
  /// The CUDA stream that work is put on; null for the CPU.
  [[nodiscard]] CUstream_st* stream() const noexcept;

  /// The same device and queue, with at most `bytes` of workspace for each call (results are not workspace).
  /// A method that needs more throws OutOfMemory; no answer depends on the limit.
  [[nodiscard]] Device with_workspace_limit(std::int64_t bytes) const;
  /// Bytes; a negative number means no limit (the default).
  [[nodiscard]] std::int64_t workspace_limit() const noexcept { return workspace_limit_; }

  /// Waits until all work on this device's queue is done.
  void synchronize() const;

  /// Same memory: equal kind and index. Streams, threads and limits may differ.
  friend bool operator==(const Device& a, const Device& b) noexcept {
    return a.kind() == b.kind() && a.index() == b.index();
  }
  friend bool operator!=(const Device& a, const Device& b) noexcept { return !(a == b); }

  /// For the library's own use.
  [[nodiscard]] detail::DeviceImpl& impl() const noexcept { return *impl_; }

 private:
  Device(std::shared_ptr<detail::DeviceImpl> impl, int threads);

  std::shared_ptr<detail::DeviceImpl> impl_;
  std::int64_t workspace_limit_ = -1;
  int threads_ = 1;
};

}  // namespace tilelearn
