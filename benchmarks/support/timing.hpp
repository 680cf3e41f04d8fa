// Wall time of work on a device: synchronised before and after, minimum of several runs.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include <tilelearn/device.hpp>

namespace tilelearn::benchmarks {

/// Seconds of one call of `work`, the device idle at both ends.
template <typename Work>
double seconds(const Device& device, const Work& work) {
  using Clock = std::chrono::steady_clock;
  device.synchronize();
  const auto start = Clock::now();
  work();
  device.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Minimum of `runs` calls after one call that is not counted.
template <typename Work>
double best_seconds(const Device& device, int runs, const Work& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) best = std::min(best, seconds(device, work));
  return best;
}

}  // namespace tilelearn::benchmarks
