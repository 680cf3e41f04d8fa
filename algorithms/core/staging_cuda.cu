// Staged copies: N threads, a few pinned pieces each. Thread t moves pieces t, t + N, t + 2N, ...
#include "core/staging_cuda.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/cuda_support.cuh"

namespace tilelearn::cuda {

namespace {

constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;
constexpr int pieces_a_thread = 4;
/// Below this a plain copy is faster than waking threads.
constexpr std::int64_t direct_bytes = std::int64_t{1} << 20;

int copying_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u)); }

bool is_pinned(const void* host) {
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, host) == cudaSuccess;
  (void)cudaGetLastError();
  return known && attributes.type == cudaMemoryTypeHost;
}

}  // namespace

struct Staging::Pieces {
  std::mutex mutex;
  std::vector<char*> buffer;
  std::vector<cudaEvent_t> done;

  void make() {
    if (!buffer.empty()) return;
    const auto count = static_cast<std::size_t>(copying_threads() * pieces_a_thread);
    std::vector<char*> buffers;
    std::vector<cudaEvent_t> events;
    for (std::size_t i = 0; i < count; ++i) {
      void* memory = nullptr;
      cudaEvent_t event = nullptr;
      check(cudaHostAlloc(&memory, piece_bytes, cudaHostAllocPortable));
      buffers.push_back(static_cast<char*>(memory));
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      events.push_back(event);
    }
    buffer = std::move(buffers);
    done = std::move(events);
  }

  using Step = std::function<void(std::int64_t begin, std::int64_t size, char* buffer)>;

  /// For every piece of `bytes`: start, which puts a copy into the stream, and once that copy is done, finish. A thread
  /// starts a few pieces before it finishes the first. Rethrows the first failure.
  void for_each_piece(std::int64_t bytes, int device, cudaStream_t stream, const Step& start, const Step& finish) {
    const int threads = copying_threads();
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
    const auto work = [&](int thread) {
      try {
        check(cudaSetDevice(device));
        const auto turn = [&](const Step& step, std::int64_t i, std::size_t slot) {
          const std::int64_t begin = (i * threads + thread) * piece_bytes;
          step(begin, std::min(piece_bytes, bytes - begin), buffer[slot]);
        };
        const std::int64_t all = (bytes + piece_bytes - 1) / piece_bytes;
        const std::int64_t count = (all - thread + threads - 1) / threads;
        for (std::int64_t i = 0; i < count + pieces_a_thread; ++i) {
          const auto slot = static_cast<std::size_t>(thread * pieces_a_thread + i % pieces_a_thread);
          if (i >= pieces_a_thread && i - pieces_a_thread < count) {
            check(cudaEventSynchronize(done[slot]));
            turn(finish, i - pieces_a_thread, slot);
          }
          if (i >= count) continue;
          turn(start, i, slot);
          check(cudaEventRecord(done[slot], stream));
        }
      } catch (...) {
        failures[static_cast<std::size_t>(thread)] = std::current_exception();
      }
    };
    std::vector<std::thread> workers;
    for (int thread = 0; thread < threads; ++thread) workers.emplace_back(work, thread);
    for (std::thread& worker : workers) worker.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }
};

Staging::Staging() : pieces_(std::make_unique<Pieces>()) {}

Staging::~Staging() {
  for (char* memory : pieces_->buffer) (void)cudaFreeHost(memory);
  for (cudaEvent_t event : pieces_->done) (void)cudaEventDestroy(event);
}

void Staging::to_device(void* to, const void* from, std::int64_t bytes, int device, cudaStream_t stream) {
  if (bytes <= direct_bytes || is_pinned(from)) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
    return;
  }
  const std::lock_guard<std::mutex> lock(pieces_->mutex);
  pieces_->make();
  pieces_->for_each_piece(
      bytes, device, stream,
      [&](std::int64_t begin, std::int64_t size, char* piece) {
        std::memcpy(piece, static_cast<const char*>(from) + begin, static_cast<std::size_t>(size));
        check(cudaMemcpyAsync(static_cast<char*>(to) + begin, piece, static_cast<std::size_t>(size),
                              cudaMemcpyHostToDevice, stream));
      },
      [](std::int64_t, std::int64_t, char*) {});
}

void Staging::to_host(void* to, const void* from, std::int64_t bytes, int device, cudaStream_t stream) {
  if (bytes <= direct_bytes || is_pinned(to)) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return;
  }
  const std::lock_guard<std::mutex> lock(pieces_->mutex);
  pieces_->make();
  pieces_->for_each_piece(
      bytes, device, stream,
      [&](std::int64_t begin, std::int64_t size, char* piece) {
        check(cudaMemcpyAsync(piece, static_cast<const char*>(from) + begin, static_cast<std::size_t>(size),
                              cudaMemcpyDeviceToHost, stream));
      },
      [&](std::int64_t begin, std::int64_t size, char* piece) {
        std::memcpy(static_cast<char*>(to) + begin, piece, static_cast<std::size_t>(size));
      });
}

}  // namespace tilelearn::cuda
