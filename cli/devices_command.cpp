// tilelearn devices: what the other commands' --device may name here.
#include <memory>
#include <optional>
#include <vector>

#include <tilelearn/device.hpp>
#include <tilelearn/error.hpp>

#include "commands.hpp"
#include "json_report.hpp"
#include "text.hpp"

namespace tilelearn::cli {

namespace {

/// A device, or why it cannot be used.
struct Listed {
  std::string name{};
  DeviceKind kind = DeviceKind::cpu;
  std::optional<int> index{};
  std::string reason{};  ///< why it cannot be used; empty if it can
  std::string description{};
  int threads = 0;
  MemoryInfo memory{};
};

Listed usable(const Device& device) {
  return {device.name(), device.kind(), device.index(), "", device.description(), device.threads(), device.memory()};
}

/// A GPU that cannot be opened, as one that others hold alone, hides none of the others.
Listed cuda_device(int index) {
  try {
    return usable(Device::cuda(index));
  } catch (const Error& error) {
    return {"cuda:" + std::to_string(index), DeviceKind::cuda, index, error.what()};
  }
}

std::vector<Listed> all_devices() {
  std::vector<Listed> devices = {usable(Device::cpu())};
  const int gpus = Device::cuda_device_count();
  for (int i = 0; i < gpus; ++i) devices.push_back(cuda_device(i));
  if (gpus == 0) devices.push_back({"cuda", DeviceKind::cuda, std::nullopt, Device::cuda_unavailable_reason()});
  return devices;
}

std::string gigabytes(std::int64_t bytes) {
  constexpr double bytes_per_gigabyte = 1e9;
  return brief(static_cast<double>(bytes) / bytes_per_gigabyte, 4) + " GB";
}

std::string line_of(const Listed& device) {
  if (!device.reason.empty()) return (device.index ? device.name + "  not usable: " : "") + device.reason + "\n";
  return device.name + "  " + device.description + ", " +
         (device.kind == DeviceKind::cpu ? count(device.threads, "thread") + ", " : "") +
         gigabytes(device.memory.free_bytes) + " of " + gigabytes(device.memory.total_bytes) + " free\n";
}

Json json_of(const Listed& device) {
  const bool is_usable = device.reason.empty();
  const bool is_cpu = device.kind == DeviceKind::cpu;
  const Json memory = {{"free", device.memory.free_bytes}, {"total", device.memory.total_bytes}};
  return {{"name", device.name},
          {"kind", is_cpu ? "cpu" : "cuda"},
          {"index", device.index ? Json(*device.index) : Json()},
          {"usable", is_usable},
          {"reason", is_usable ? Json() : Json(device.reason)},
          {"description", is_usable ? Json(device.description) : Json()},
          {"threads", is_usable && is_cpu ? Json(device.threads) : Json()},
          {"memory_bytes", is_usable ? memory : Json()}};
}

void list_devices(bool wants_json) {
  Json devices = Json::array();
  std::string text;
  for (const Listed& device : all_devices()) {
    devices.push_back(json_of(device));
    text += line_of(device);
  }
  print(wants_json ? one_line_a_key({{"devices", devices}}) : text);
}

}  // namespace

void add_devices_command(CLI::App& program) {
  auto* command = program.add_subcommand("devices", "List the devices that --device may name");
  auto wants_json = std::make_shared<bool>(false);
  command->add_flag("--json", *wants_json,
                    "Print JSON in place of the lines: 'devices' with name, kind, index, whether usable or the reason "
                    "why not, and bytes of memory");
  command->callback([wants_json] { list_devices(*wants_json); });
}

}  // namespace tilelearn::cli
