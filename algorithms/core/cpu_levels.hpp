// The x86-64 levels that sources named *_levels.cpp are compiled for, and which of them this machine runs; single loops
// compiled for two of them in place.
#pragma once

#include <cstdint>

namespace tilelearn::detail {

/// Machines other than x86-64 have the first alone.
enum class CpuLevel : std::uint8_t { base, v3, v4 };

#if defined(__x86_64__)

inline bool cpu_level_runs(CpuLevel level) {
  const bool v3 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                  __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512vl") != 0;
  return level == CpuLevel::base || (level == CpuLevel::v3 && v3) || (level == CpuLevel::v4 && v4);
}

#else

inline bool cpu_level_runs(CpuLevel level) { return level == CpuLevel::base; }

#endif

inline CpuLevel best_cpu_level() {
  return cpu_level_runs(CpuLevel::v4) ? CpuLevel::v4 : cpu_level_runs(CpuLevel::v3) ? CpuLevel::v3 : CpuLevel::base;
}

#if defined(__x86_64__)

template <typename Body>
[[gnu::target("avx2,fma")]] void with_avx2(const Body& body) {
  body();
}

inline bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return found;
}

/// Calls `body`, a plain loop, compiled for the machine it meets: AVX2 with fma where the processor has them, else the
/// baseline. The bits do not depend on it: only std::fma fuses (-ffp-contract=off), and lanes keep the order that the
/// source states. `body` must be a lambda marked __attribute__((always_inline)) so that it is compiled for each level.
template <typename Body>
void at_cpu_level(const Body& body) {
  if (has_avx2()) {
    with_avx2(body);
  } else {
    body();
  }
}

#else

/// One level: the compiler's own target has fma.
template <typename Body>
void at_cpu_level(const Body& body) {
  body();
}

#endif

}  // namespace tilelearn::detail
