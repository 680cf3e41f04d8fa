// tilelearn devices: what the other commands' --device may name here.
#include <tilelearn/device.hpp>

#include "commands.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

std::string gigabytes(std::int64_t bytes) {
  constexpr double bytes_per_gigabyte = 1e9;
  return brief(static_cast<double>(bytes) / bytes_per_gigabyte, 4) + " GB";
}

std::string describe(const Device& device) {
  const MemoryInfo memory = device.memory();
  return device.name() + "  " + device.description() + ", " +
         (device.is_cpu() ? count(device.threads(), "thread") + ", " : "") + gigabytes(memory.free_bytes) + " of " +
         gigabytes(memory.total_bytes) + " free\n";
}

void list_devices() {
  std::string text = describe(Device::cpu());
  const int gpus = Device::cuda_device_count();
  for (int i = 0; i < gpus; ++i) text += describe(Device::cuda(i));
  if (gpus == 0) text += Device::cuda_unavailable_reason() + "\n";
  print(text);
}

}  // namespace

void add_devices_command(CLI::App& program) {
  program.add_subcommand("devices", "List the devices that --device may name")->callback(list_devices);
}

}  // namespace tilelearn::cli
