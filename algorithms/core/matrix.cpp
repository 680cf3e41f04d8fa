// Memory owned on a device, and copies between any two devices and layouts.
#include <tilelearn/matrix.hpp>

#include <limits>
#include <string>

#include "core/device_impl.hpp"

namespace tilelearn::detail {

namespace {

bool is_packed(const StridedBlock& block, std::int64_t rows, std::int64_t columns) {
  return (block.column_stride == 1 || columns == 1) && (block.row_stride == columns || rows == 1);
}

}  // namespace

std::int64_t checked_bytes(std::int64_t rows, std::int64_t columns, std::size_t element_bytes) {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &elements) ||
      __builtin_mul_overflow(elements, static_cast<std::int64_t>(element_bytes), &bytes))
    throw InvalidArgument("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                          " elements is not possible");
  return bytes;
}

Storage::Storage(const Device& device, std::int64_t bytes)
    : device_(device), data_(bytes > 0 ? device.impl().allocate(bytes) : nullptr), bytes_(bytes) {}

// What was moved from still names a device: every accessor of an empty Storage works.
Storage::Storage(Storage&& other) noexcept
    : device_(other.device_),  // NOLINT(performance-move-constructor-init)
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Storage& Storage::operator=(Storage&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Storage::~Storage() {
  if (data_ != nullptr) device_.impl().deallocate(data_, bytes_);
}

void copy_block(const StridedBlock& to, const Device& to_device, const StridedBlock& from, const Device& from_device,
                std::int64_t rows, std::int64_t columns, std::size_t element_bytes) {
  const std::int64_t bytes = checked_bytes(rows, columns, element_bytes);
  if (bytes == 0) return;
  if (to_device == from_device) {
    // Another stream of the same device may still be writing the source.
    if (&to_device.impl() != &from_device.impl()) from_device.synchronize();
    return to_device.impl().copy_strided(to, from, rows, columns, element_bytes);
  }
  // Between devices only packed blocks travel: pack where the data are, unpack where they go.
  if (!is_packed(from, rows, columns)) {
    const Storage packed(from_device, bytes);
    const StridedBlock block{packed.data(), columns, 1};
    from_device.impl().copy_strided(block, from, rows, columns, element_bytes);
    return copy_block(to, to_device, block, from_device, rows, columns, element_bytes);
  }
  if (!is_packed(to, rows, columns)) {
    const Storage packed(to_device, bytes);
    const StridedBlock block{packed.data(), columns, 1};
    copy_block(block, to_device, from, from_device, rows, columns, element_bytes);
    return to_device.impl().copy_strided(to, block, rows, columns, element_bytes);
  }
  if (from_device.is_cpu()) return to_device.impl().copy_from_host(to.data, from.data, bytes);
  if (to_device.is_cpu()) return from_device.impl().copy_to_host(to.data, from.data, bytes);
  const Storage staged(Device::cpu(), bytes);
  from_device.impl().copy_to_host(staged.data(), from.data, bytes);
  to_device.impl().copy_from_host(to.data, staged.data(), bytes);
}

void throw_not_on_cpu(const char* what) {
  throw InvalidArgument(std::string("the CPU cannot read ") + what + " on a CUDA device; use .to(Device::cpu())");
}

void throw_outside(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  throw InvalidArgument("element (" + std::to_string(row) + ", " + std::to_string(column) + ") is outside " +
                        std::to_string(rows) + " x " + std::to_string(columns));
}

}  // namespace tilelearn::detail
