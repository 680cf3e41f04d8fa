// The workspace limit of a device: asked before memory beyond inputs and results is taken.
#pragma once

#include <cstdint>

#include <tilelearn/device.hpp>
#include <tilelearn/error.hpp>

namespace tilelearn::detail {

/// Throws OutOfMemory, naming what the memory is for, if `bytes` break the device's workspace limit.
inline void require_workspace(const Device& device, std::int64_t bytes, const char* what_for) {
  const std::int64_t limit = device.workspace_limit();
  if (limit >= 0 && bytes > limit) throw OutOfMemory(what_for, bytes, limit);
}

}  // namespace tilelearn::detail
