// What every row of a benchmark says: time, the physical limit, the share of it that was reached, the quality.
#pragma once

#include <exception>
#include <string>

#include <benchmark/benchmark.h>
#include <tilelearn/device.hpp>

#include "support/ceilings.hpp"

namespace tilelearn::benchmarks {

/// Work that one measured time stands for.
struct Work {
  double bytes = 0.0;
  double flops = 0.0;
  double compares = 0.0;
};

/// Reports `seconds` for the one iteration of `state`, beside the limit of `work` on `device`.
inline void report(benchmark::State& state, double seconds, const Work& work, const Device& device) {
  state.SetIterationTime(seconds);
  const double limit = limit_seconds(ceilings(device), work.bytes, work.flops, work.compares);
  state.counters["limit_ms"] = 1e3 * limit;
  state.counters["share"] = seconds > 0.0 ? limit / seconds : 0.0;
  state.counters["GB/s"] = work.bytes / seconds / 1e9;
  state.counters["TFLOP/s"] = work.flops / seconds / 1e12;
}

/// Runs `body` once; a row is a measurement already (the minimum of several runs). Errors fail the row, not the run.
template <typename Body>
void add_row(const std::string& name, const Body& body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [body](benchmark::State& state) {
                                 for (auto _ : state) {
                                   try {
                                     body(state);
                                   } catch (const std::exception& error) {
                                     state.SkipWithError(error.what());
                                   }
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace tilelearn::benchmarks
