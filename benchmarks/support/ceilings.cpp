// Short loops that do one thing each, as fast as the machine does it.
#include "support/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <omp.h>
#include <tilelearn/matrix.hpp>

#include "support/timing.hpp"

namespace tilelearn::benchmarks {

namespace {

constexpr int runs = 5;
constexpr std::int64_t copied_bytes = std::int64_t{1} << 30;
constexpr std::int64_t read_doubles = std::int64_t{1} << 26;  // 512 MiB, beyond any cache

/// Rates that need a kernel of their own to measure: dense products of 16-bit floats (8192^3) and three-input integer
/// maxima, one counted as one comparison; measured on an H200 at its own clocks.
struct ModelRates {
  const char* model;
  double flops_per_second;
  double compares_per_second;
};
constexpr ModelRates model_rates[] = {{"NVIDIA H200", 790e12, 16.3e12}};

double read_rate(const Device& device) {
  std::vector<double> data(static_cast<std::size_t>(read_doubles), 1.0);
  double total = 0.0;
  const double time = best_seconds(device, runs, [&] {
    double sum = 0.0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(device.threads())
    for (std::int64_t i = 0; i < read_doubles; ++i) sum += data[static_cast<std::size_t>(i)];
    total += sum;
  });
  return total > 0.0 ? static_cast<double>(read_doubles) * sizeof(double) / time : 0.0;
}

// Independent sums in registers, enough to hide the latency of an FMA; this file is compiled to fuse a * b + c.
using Lanes = float __attribute__((vector_size(64)));
constexpr int chains = 12;
constexpr std::int64_t steps = 1 << 22;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2,fma", "default")))
#endif
float multiply_add(float factor) {
  Lanes sums[chains];
  for (int chain = 0; chain < chains; ++chain) sums[chain] = Lanes{} + static_cast<float>(chain);  // all different
  for (std::int64_t step = 0; step < steps; ++step)
    for (Lanes& sum : sums) sum = sum * factor + 1.0F;
  float total = 0.0F;
  for (const Lanes& sum : sums) total += sum[0];
  return total;
}

double fma_rate(const Device& device) {
  float total = 0.0F;
  const double time = best_seconds(device, runs, [&] {
#pragma omp parallel num_threads(device.threads()) reduction(+ : total)
    total += multiply_add(0.5F);
  });
  constexpr double lanes = sizeof(Lanes) / sizeof(float);
  const double flops = 2.0 * lanes * chains * static_cast<double>(steps) * device.threads();
  return std::isfinite(total) ? flops / time : 0.0;
}

double copy_rate(const Device& device) {
  const Matrix<float> from(copied_bytes / static_cast<std::int64_t>(sizeof(float)), 1, device);
  const double time = best_seconds(device, runs, [&] { static_cast<void>(from.clone()); });
  return 2.0 * static_cast<double>(copied_bytes) / time;
}

Ceilings measure(const Device& device) {
  if (device.is_cpu()) return {read_rate(device), fma_rate(device), 0.0};
  Ceilings rates{copy_rate(device), 0.0, 0.0};
  for (const ModelRates& known : model_rates)
    if (device.description().rfind(known.model, 0) == 0) {
      rates.flops_per_second = known.flops_per_second;
      rates.compares_per_second = known.compares_per_second;
    }
  return rates;
}

double time_at(double rate, double work) { return rate > 0.0 ? work / rate : 0.0; }

}  // namespace

const Ceilings& ceilings(const Device& device) {
  static std::map<std::string, Ceilings> measured;
  const std::string key = device.name() + "/" + std::to_string(device.threads());
  const auto found = measured.find(key);
  return found != measured.end() ? found->second : measured.emplace(key, measure(device)).first->second;
}

double limit_seconds(const Ceilings& rates, double bytes, double flops, double compares) {
  return std::max({time_at(rates.bytes_per_second, bytes), time_at(rates.flops_per_second, flops),
                   time_at(rates.compares_per_second, compares)});
}

}  // namespace tilelearn::benchmarks
