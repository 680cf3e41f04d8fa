// Small pieces of pinned host memory with an event each, reused by the whole process.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/cuda_support.cuh"

namespace tilelearn::cuda {

/// One pinned slot: a kernel's result is copied into it, the event says when it is there. Slots belong to the current
/// device of the moment they are taken.
class PinnedSlot {
 public:
  static constexpr std::size_t bytes = 128;

  PinnedSlot() : device_(current()), slot_(take(device_)) {}
  PinnedSlot(const PinnedSlot&) = delete;
  PinnedSlot& operator=(const PinnedSlot&) = delete;
  ~PinnedSlot() {
    (void)cudaEventSynchronize(slot_.event);
    const std::lock_guard<std::mutex> lock(mutex());
    free_slots().push_back({device_, slot_});
  }

  /// Enqueues a copy of *from into the slot.
  template <typename Value>
  void copy_from(const Value* from, cudaStream_t stream) {
    static_assert(sizeof(Value) <= bytes);
    check(cudaMemcpyAsync(slot_.memory, from, sizeof(Value), cudaMemcpyDeviceToHost, stream));
    check(cudaEventRecord(slot_.event, stream));
  }

  /// Waits for the copy.
  template <typename Value>
  [[nodiscard]] Value get() const {
    check(cudaEventSynchronize(slot_.event));
    return *static_cast<const Value*>(slot_.memory);
  }

 private:
  struct Slot {
    void* memory;
    cudaEvent_t event;
  };
  struct FreeSlot {
    int device;
    Slot slot;
  };

  static int current() {
    int device = 0;
    check(cudaGetDevice(&device));
    return device;
  }

  static Slot take(int device) {
    const std::lock_guard<std::mutex> lock(mutex());
    std::vector<FreeSlot>& slots = free_slots();
    for (auto it = slots.begin(); it != slots.end(); ++it) {
      if (it->device != device) continue;
      const Slot slot = it->slot;
      slots.erase(it);
      return slot;
    }
    Slot slot{};
    check(cudaHostAlloc(&slot.memory, bytes, cudaHostAllocPortable));
    check(cudaEventCreateWithFlags(&slot.event, cudaEventDisableTiming));
    return slot;
  }

  static std::mutex& mutex() {
    static auto* instance = new std::mutex;
    return *instance;
  }
  /// Never destroyed: the driver may be gone by then.
  static std::vector<FreeSlot>& free_slots() {
    static auto* instance = new std::vector<FreeSlot>;
    return *instance;
  }

  int device_;
  Slot slot_;
};

}  // namespace tilelearn::cuda
