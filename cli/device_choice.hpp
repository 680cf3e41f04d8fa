// Which device the work runs on, and why.
#pragma once

#include <string>

#include <tilelearn/device.hpp>

#include "common_options.hpp"

namespace tilelearn::cli {

struct DeviceChoice {
  Device device;
  std::string reason;
};

/// For --device auto, the GPU where one is usable and the CPU would take longer than a GPU needs to start.
/// `multiply_adds` is what the work is expected to need.
DeviceChoice choose_device(const DeviceFlags& flags, double multiply_adds);

}  // namespace tilelearn::cli
