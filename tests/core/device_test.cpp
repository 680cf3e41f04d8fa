// Devices: names that parse, threads, equality, what is missing where there is no GPU.
#include <tilelearn/device.hpp>

#include <gmock/gmock.h>
#include <tilelearn/error.hpp>

#include "support/device_test.hpp"

namespace tilelearn {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Device, TheCpuDescribesItself) {
  const Device cpu = Device::cpu();
  EXPECT_TRUE(cpu.is_cpu());
  EXPECT_FALSE(cpu.is_cuda());
  EXPECT_EQ(cpu.kind(), DeviceKind::cpu);
  EXPECT_EQ(cpu.index(), 0);
  EXPECT_EQ(cpu.name(), "cpu");
  EXPECT_EQ(cpu.stream(), nullptr);
  EXPECT_THAT(cpu.description(), Not(IsEmpty()));
  EXPECT_GE(cpu.threads(), 1);
  EXPECT_NO_THROW(cpu.synchronize());
  EXPECT_GT(cpu.memory().free_bytes, 0);
  EXPECT_GE(cpu.memory().total_bytes, cpu.memory().free_bytes);
}

TEST(Device, TakesANumberOfThreads) {
  EXPECT_EQ(Device::cpu(3).threads(), 3);
  EXPECT_EQ(Device::cpu(3), Device::cpu()) << "the same memory";
  EXPECT_EQ(Device::cpu(Device::max_threads).threads(), Device::max_threads);
  for (const int threads : {0, -1, Device::max_threads + 1, 1 << 30}) {
    try {
      (void)Device::cpu(threads);
      ADD_FAILURE() << threads << " threads were accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::to_string(threads)));
    }
  }
}

TEST(Device, ParsesNamesAndNothingElse) {
  EXPECT_EQ(Device::parse("cpu"), Device::cpu());
  EXPECT_NO_THROW((void)Device::parse("auto"));
  for (const char* text : {"", "CPU", "cpu:0", "gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda: 1", "cuda1",
                           "cuda:99999999999", " cpu"}) {
    try {
      (void)Device::parse(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("'") + text + "'"));
    }
  }
}

TEST(Device, TheCountAndTheReasonAgree) {
  EXPECT_EQ(Device::cuda_device_count() == 0, !Device::cuda_unavailable_reason().empty());
  EXPECT_EQ(Device::best().is_cuda(), Device::cuda_device_count() > 0);
}

TEST(Device, WhatIsMissingIsSaid) {
  const int missing = Device::cuda_device_count();
  for (const auto& open : {+[](int index) { return Device::cuda(index); },
                           +[](int index) { return Device::parse("cuda:" + std::to_string(index)); }}) {
    try {
      (void)open(missing);
      ADD_FAILURE() << "cuda:" << missing << " was opened";
    } catch (const DeviceUnavailable& error) {
      const std::string reason = Device::cuda_unavailable_reason();
      EXPECT_THAT(error.what(), HasSubstr(reason.empty() ? "cuda:" + std::to_string(missing) : reason));
    }
  }
}

TEST(Device, WorkspaceLimitIsOfTheHandle) {
  const Device cpu = Device::cpu();
  EXPECT_LT(cpu.workspace_limit(), 0);
  const Device limited = cpu.with_workspace_limit(1000);
  EXPECT_EQ(limited.workspace_limit(), 1000);
  EXPECT_EQ(limited, cpu);
  EXPECT_LT(cpu.workspace_limit(), 0);
}

template <typename I>
class CudaDeviceTest : public testing::DeviceTest<I> {};
using CudaOnly = ::testing::Types<testing::Instance<float, DeviceKind::cuda>>;
TYPED_TEST_SUITE(CudaDeviceTest, CudaOnly, testing::DeviceTypeNames);

TYPED_TEST(CudaDeviceTest, DescribesItself) {
  const Device& gpu = this->device();
  EXPECT_TRUE(gpu.is_cuda());
  EXPECT_EQ(gpu.name(), "cuda:0");
  EXPECT_EQ(gpu.index(), 0);
  EXPECT_EQ(gpu.threads(), 1);
  EXPECT_NE(gpu.stream(), nullptr);
  EXPECT_THAT(gpu.description(), Not(IsEmpty()));
  EXPECT_GT(gpu.memory().free_bytes, 0);
  EXPECT_GE(gpu.memory().total_bytes, gpu.memory().free_bytes);
  EXPECT_NE(gpu, Device::cpu());
}

TYPED_TEST(CudaDeviceTest, EveryHandleNamesTheSameQueue) {
  EXPECT_EQ(Device::parse("cuda").stream(), this->device().stream());
  EXPECT_EQ(Device::parse("cuda:0"), this->device());
  EXPECT_EQ(Device::parse("auto"), this->device());
  EXPECT_THROW((void)Device::cuda(-1), DeviceUnavailable);
}

}  // namespace
}  // namespace tilelearn
