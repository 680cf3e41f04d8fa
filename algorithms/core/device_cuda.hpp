// CUDA devices as the module offers them.
#pragma once

#include <memory>
#include <string>

#include "core/device_impl.hpp"

namespace tilelearn::cuda {

/// Devices that the driver shows; where there are none, `reason` says why.
int device_count(std::string& reason);

/// Throws DeviceUnavailable for an index outside, or a device that is too old.
std::shared_ptr<detail::DeviceImpl> open_device(int index, CUstream_st* const* caller_stream);

}  // namespace tilelearn::cuda
