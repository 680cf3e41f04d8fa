// Copies between pageable host memory and a CUDA device at the rate of the copy engine.
#pragma once

#include <cstdint>
#include <memory>

#include <cuda_runtime.h>

namespace tilelearn::cuda {

/// Pinned buffers and the threads' way through them. One copy at a time; others wait.
///
/// Pageable memory is copied in pieces: several threads each fill a pinned piece and hand it to the copy engine, while
/// the engine works on the pieces before. (The driver's own path for pageable memory is five to six times slower.)
class Staging {
 public:
  Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// Returns when the source may be reused; the device sees the data in stream order.
  void to_device(void* to, const void* from, std::int64_t bytes, int device, cudaStream_t stream);
  /// Returns when the data are in host memory.
  void to_host(void* to, const void* from, std::int64_t bytes, int device, cudaStream_t stream);

 private:
  struct Pieces;
  std::unique_ptr<Pieces> pieces_;
};

}  // namespace tilelearn::cuda
