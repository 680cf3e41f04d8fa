// Named blocks of CPU memory that stay inside a device's workspace limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilelearn/error.hpp>
#include <tilelearn/matrix.hpp>

namespace tilelearn::detail {

class CpuWorkspace {
 public:
  /// `owner` names the estimator in errors and outlives the workspace.
  CpuWorkspace(const Device& device, const char* owner) : device_(device), owner_(owner) {}

  /// `count` uninitialised elements, 256-byte aligned, freed with the workspace.
  /// @throws OutOfMemory beyond the device's workspace limit or the machine's memory
  template <typename Element>
  [[nodiscard]] Element* take(std::int64_t count, const char* name) {
    const std::int64_t bytes = checked_bytes(count, 1, sizeof(Element));
    const std::int64_t limit = device_.workspace_limit();
    if (limit >= 0 && bytes > limit - used_)
      throw OutOfMemory(
          std::string(owner_) + " workspace '" + name + "' under a limit of " + std::to_string(limit) + " bytes", bytes,
          limit - used_);
    blocks_.emplace_back(device_, bytes);
    used_ += bytes;
    return static_cast<Element*>(blocks_.back().data());
  }

  /// A workspace for a step inside the work that this one serves: the same limit less what is taken here.
  [[nodiscard]] CpuWorkspace nested() const {
    CpuWorkspace result(device_, owner_);
    result.used_ = used_;
    return result;
  }

  [[nodiscard]] const Device& device() const noexcept { return device_; }

 private:
  Device device_;
  const char* owner_;
  std::vector<Storage> blocks_;
  std::int64_t used_ = 0;
};

}  // namespace tilelearn::detail
