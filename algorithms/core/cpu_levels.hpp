// The x86-64 levels that sources named *_levels.cpp are compiled for, and which of them this machine runs.
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

}  // namespace tilelearn::detail
