#include "device_choice.hpp"

#include "text.hpp"
#include "usage_error.hpp"

namespace tilelearn::cli {

namespace {

// A CPU core with 256-bit vectors sustains about this much of blocked float32 distances.
constexpr double multiply_adds_per_core_second = 8e9;
// Driver start, context and the first copies of a process.
constexpr double gpu_start_seconds = 0.5;
constexpr double ms_per_second = 1000.0;

Device cpu_device(int threads) { return threads > 0 ? Device::cpu(threads) : Device::cpu(); }

DeviceChoice choose_automatically(const Device& cpu, double multiply_adds) {
  const int gpus = Device::cuda_device_count();
  if (gpus == 0) return {cpu, "no usable GPU ('tilelearn devices' says why)"};
  const double seconds = multiply_adds / (multiply_adds_per_core_second * cpu.threads());
  const std::string estimate = "about " + duration(seconds * ms_per_second) + " of work for " +
                               count(cpu.threads(), "CPU thread") + ", a GPU takes about " +
                               duration(gpu_start_seconds * ms_per_second) + " to start";
  if (seconds < gpu_start_seconds) return {cpu, "small data: " + estimate};
  return {Device::cuda(0), "large data: " + estimate};
}

}  // namespace

DeviceChoice choose_device(const DeviceFlags& flags, double multiply_adds) {
  DeviceChoice choice;
  if (flags.device == "auto")
    choice = choose_automatically(cpu_device(flags.threads), multiply_adds);
  else if (flags.device == "cpu")
    choice = {cpu_device(flags.threads), "as asked"};
  else
    choice = {Device::parse(flags.device), "as asked"};
  if (flags.workspace_limit >= 0) choice.device = choice.device.with_workspace_limit(flags.workspace_limit);
  return choice;
}

}  // namespace tilelearn::cli
