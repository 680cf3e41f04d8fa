// One test body for float and double on every device: TYPED_TEST_SUITE(MyTest, DeviceTypes, DeviceTypeNames).
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <tilelearn/matrix.hpp>

namespace tilelearn::testing {

template <typename T, DeviceKind device_kind>
struct Instance {
  using Value = T;
  static constexpr DeviceKind kind = device_kind;
};

using DeviceTypes = ::testing::Types<Instance<float, DeviceKind::cpu>, Instance<double, DeviceKind::cpu>,
                                     Instance<float, DeviceKind::cuda>, Instance<double, DeviceKind::cuda>>;

/// Names such as "cuda_float" in place of the type's number.
struct DeviceTypeNames {
  template <typename I>
  static std::string GetName(int /*number*/) {
    const std::string device = I::kind == DeviceKind::cpu ? "cpu" : "cuda";
    return device + (sizeof(typename I::Value) == sizeof(float) ? "_float" : "_double");
  }
};

/// Skips, with the reason, where the instance's device is missing.
template <typename I>
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (I::kind == DeviceKind::cpu) return;
    const std::string reason = Device::cuda_unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
    device_ = Device::cuda(0);
  }

  [[nodiscard]] const Device& device() const { return device_; }

 private:
  Device device_;
};

}  // namespace tilelearn::testing
