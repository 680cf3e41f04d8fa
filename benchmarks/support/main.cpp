// Starts a benchmark program: says which machine it runs on, then runs the rows that --benchmark_filter names.
#include <string>

#include <benchmark/benchmark.h>
#include <tilelearn/device.hpp>

#include "support/ceilings.hpp"

namespace tl = tilelearn;

namespace {

void describe(const tl::Device& device) {
  const tl::benchmarks::Ceilings& rates = tl::benchmarks::ceilings(device);
  const auto rounded = [](double value) { return std::to_string(static_cast<long>(value + 0.5)); };
  benchmark::AddCustomContext(device.name(), device.description() + ", " + std::to_string(device.threads()) +
                                                 " threads, " + rounded(rates.bytes_per_second / 1e9) + " GB/s, " +
                                                 rounded(rates.flops_per_second / 1e9) + " GFLOP/s");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  describe(tl::Device::cpu());
  if (tl::Device::cuda_device_count() > 0)
    describe(tl::Device::cuda());
  else
    benchmark::AddCustomContext("cuda", tl::Device::cuda_unavailable_reason());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
