// The CPU as a device: aligned memory, strided copies.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "core/device_impl.hpp"

namespace tilelearn::detail {

namespace {

constexpr std::int64_t cache_alignment = 256;
/// From this size on memory is asked for in huge pages: a first touch costs a fault a page.
constexpr std::int64_t large_bytes = std::int64_t{8} << 20;
constexpr std::int64_t huge_page = std::int64_t{2} << 20;

std::int64_t memory_field(const std::string& field) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string rest;
  std::int64_t kibibytes = 0;
  while (file >> name >> kibibytes && std::getline(file, rest))
    if (name == field) return kibibytes * 1024;
  return 0;
}

template <typename Element>
void copy_elements(const StridedBlock& to, const StridedBlock& from, std::int64_t rows, std::int64_t columns) {
  auto* out = static_cast<Element*>(to.data);
  const auto* in = static_cast<const Element*>(from.data);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out[i * to.row_stride + j * to.column_stride] = in[i * from.row_stride + j * from.column_stride];
}

class CpuDevice final : public DeviceImpl {
 public:
  [[nodiscard]] DeviceKind kind() const noexcept override { return DeviceKind::cpu; }
  [[nodiscard]] int index() const noexcept override { return 0; }

  [[nodiscard]] std::string description() const override {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
      if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "CPU";
  }

  [[nodiscard]] MemoryInfo memory() const override {
    return {memory_field("MemAvailable:"), memory_field("MemTotal:")};
  }

  void synchronize() override {}

  [[nodiscard]] void* allocate(std::int64_t bytes) override {
    const std::int64_t alignment = bytes >= large_bytes ? huge_page : cache_alignment;
    const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = rounded > 0
                     ? std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(rounded))
                     : nullptr;
    if (data == nullptr) throw OutOfMemory("CPU memory", bytes, memory().free_bytes);
    // A hint: where the system has none to give, pages stay small.
    if (bytes >= large_bytes) (void)madvise(data, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
    return data;
  }

  void deallocate(void* data, std::int64_t /*bytes*/) noexcept override { std::free(data); }

  void copy_from_host(void* to, const void* from, std::int64_t bytes) override {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  void copy_to_host(void* to, const void* from, std::int64_t bytes) override {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  void copy_strided(const StridedBlock& to, const StridedBlock& from, std::int64_t rows, std::int64_t columns,
                    std::size_t element_bytes) override {
    switch (element_bytes) {
      case 1:
        return copy_elements<std::uint8_t>(to, from, rows, columns);
      case 2:
        return copy_elements<std::uint16_t>(to, from, rows, columns);
      case 4:
        return copy_elements<std::uint32_t>(to, from, rows, columns);
      case 8:
        return copy_elements<std::uint64_t>(to, from, rows, columns);
      default:
        throw InvalidArgument("copy: elements of " + std::to_string(element_bytes) + " bytes");
    }
  }
};

}  // namespace

std::shared_ptr<DeviceImpl> cpu_device() {
  static const auto device = std::make_shared<CpuDevice>();
  return device;
}

}  // namespace tilelearn::detail
