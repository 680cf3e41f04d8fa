// A CUDA stream for tests that are built without CUDA: the driver is opened when a GPU test asks for one.
#pragma once

#include <stdexcept>

#include <dlfcn.h>
#include <tilelearn/device.hpp>

namespace tilelearn::testing {

/// A blocking stream of the context that is current, that of the device last used by this thread.
class CudaStream {
 public:
  CudaStream() {
    using Create = int (*)(CUstream_st**, unsigned);
    const auto create = reinterpret_cast<Create>(symbol("cuStreamCreate"));
    if (create(&stream_, 0) != 0) throw std::runtime_error("cuStreamCreate failed");
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() {
    using Destroy = int (*)(CUstream_st*);
    (void)reinterpret_cast<Destroy>(symbol("cuStreamDestroy_v2"))(stream_);
  }

  [[nodiscard]] CUstream_st* get() const noexcept { return stream_; }

 private:
  static void* symbol(const char* name) {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = driver == nullptr ? nullptr : dlsym(driver, name);
    if (found == nullptr) throw std::runtime_error(name);
    return found;
  }

  CUstream_st* stream_ = nullptr;
};

}  // namespace tilelearn::testing
