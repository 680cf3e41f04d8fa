// What a kind of device must be able to do. The CPU's version is in device_cpu.cpp, CUDA's in device_cuda.cu.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tilelearn/device.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn::detail {

class DeviceImpl {
 public:
  DeviceImpl() = default;
  DeviceImpl(const DeviceImpl&) = delete;
  DeviceImpl& operator=(const DeviceImpl&) = delete;
  virtual ~DeviceImpl() = default;

  [[nodiscard]] virtual DeviceKind kind() const noexcept = 0;
  [[nodiscard]] virtual int index() const noexcept = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual MemoryInfo memory() const = 0;
  [[nodiscard]] virtual CUstream_st* stream() const noexcept { return nullptr; }
  virtual void synchronize() = 0;

  /// Uninitialised memory, 256-byte aligned; bytes > 0. Throws OutOfMemory.
  [[nodiscard]] virtual void* allocate(std::int64_t bytes) = 0;
  /// Stream-ordered.
  virtual void deallocate(void* data, std::int64_t bytes) noexcept = 0;

  /// Host memory to this device's; the source may be reused on return.
  virtual void copy_from_host(void* to, const void* from, std::int64_t bytes) = 0;
  /// This device's memory to the host's; complete on return.
  virtual void copy_to_host(void* to, const void* from, std::int64_t bytes) = 0;
  /// Any layout to any layout inside this device's memory. Stream-ordered.
  virtual void copy_strided(const StridedBlock& to, const StridedBlock& from, std::int64_t rows, std::int64_t columns,
                            std::size_t element_bytes) = 0;
};

/// The process-wide CPU device.
std::shared_ptr<DeviceImpl> cpu_device();

}  // namespace tilelearn::detail
