// The handle: which device, how many threads, what limit.
#include <tilelearn/device.hpp>

#include <charconv>

#include <omp.h>

#include "core/cuda_module.hpp"
#include "core/device_impl.hpp"

namespace tilelearn {

Device::Device() : Device(detail::cpu_device(), omp_get_max_threads()) {}

Device::Device(std::shared_ptr<detail::DeviceImpl> impl, int threads) : impl_(std::move(impl)), threads_(threads) {}

Device Device::cpu() { return {}; }

Device Device::cpu(int threads) {
  if (threads < 1 || threads > max_threads)
    throw InvalidArgument("Device::cpu: threads is " + std::to_string(threads) + ", must be from 1 to " +
                          std::to_string(max_threads));
  return {detail::cpu_device(), threads};
}

Device Device::cuda(int index) { return {detail::cuda_module().open(index, nullptr), 1}; }

Device Device::cuda(int index, CUstream_st* stream) { return {detail::cuda_module().open(index, &stream), 1}; }

Device Device::best() { return cuda_device_count() > 0 ? cuda(0) : cpu(); }

Device Device::parse(const std::string& text) {
  if (text == "auto") return best();
  if (text == "cpu") return cpu();
  if (text == "cuda") return cuda(0);
  const std::string prefix = "cuda:";
  if (text.rfind(prefix, 0) == 0) {
    int index = -1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, index);
    if (error == std::errc{} && stop == end && index >= 0) return cuda(index);
  }
  throw InvalidArgument("device '" + text + "': must be auto, cpu, cuda or cuda:N");
}

int Device::cuda_device_count() {
  std::string reason;
  try {
    return detail::cuda_module().device_count(reason);
  } catch (const DeviceUnavailable&) {
    return 0;
  }
}

std::string Device::cuda_unavailable_reason() {
  std::string reason;
  try {
    if (detail::cuda_module().device_count(reason) > 0) reason.clear();
  } catch (const DeviceUnavailable& error) {
    reason = error.what();
  }
  return reason;
}

DeviceKind Device::kind() const noexcept { return impl_->kind(); }
int Device::index() const noexcept { return impl_->index(); }
std::string Device::description() const { return impl_->description(); }
MemoryInfo Device::memory() const { return impl_->memory(); }
CUstream_st* Device::stream() const noexcept { return impl_->stream(); }
void Device::synchronize() const { impl_->synchronize(); }

std::string Device::name() const { return is_cpu() ? "cpu" : "cuda:" + std::to_string(index()); }

Device Device::with_workspace_limit(std::int64_t bytes) const {
  Device limited = *this;
  limited.workspace_limit_ = bytes;
  return limited;
}

}  // namespace tilelearn
