// Chooses the loops for the machine that runs.
#include "kmeans/kmeans_cpu_levels.hpp"

namespace tilelearn::kmeans::cpu {

namespace level_base {
void set_exact_loops(Loops& loops);
void set_filter_loops(Loops& loops);
}  // namespace level_base

#if defined(__x86_64__)
namespace level_v3 {
void set_exact_loops(Loops& loops);
void set_filter_loops(Loops& loops);
}  // namespace level_v3

namespace level_v4 {
void set_exact_loops(Loops& loops);
void set_filter_loops(Loops& loops);
}  // namespace level_v4

bool level_runs(Level level) {
  const bool v3 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                  __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512vl") != 0;
  return level == Level::base || (level == Level::v3 && v3) || (level == Level::v4 && v4);
}

Loops loops_of(Level level) {
  Loops result{};
  switch (level) {
    case Level::base:
      level_base::set_exact_loops(result);
      level_base::set_filter_loops(result);
      break;
    case Level::v3:
      level_v3::set_exact_loops(result);
      level_v3::set_filter_loops(result);
      break;
    case Level::v4:
      level_v4::set_exact_loops(result);
      level_v4::set_filter_loops(result);
      break;
  }
  return result;
}

#else

bool level_runs(Level level) { return level == Level::base; }

Loops loops_of(Level /*level*/) {
  Loops result{};
  level_base::set_exact_loops(result);
  level_base::set_filter_loops(result);
  return result;
}

#endif

const Loops& loops() {
  static const Loops chosen = loops_of(level_runs(Level::v4)   ? Level::v4
                                       : level_runs(Level::v3) ? Level::v3
                                                               : Level::base);
  return chosen;
}

template <>
const ExactLoops<float>& exact_loops<float>() {
  return loops().exact_float;
}
template <>
const ExactLoops<double>& exact_loops<double>() {
  return loops().exact_double;
}
template <>
const PackLoop<float>& pack_loop<float>() {
  return loops().pack_float;
}
template <>
const PackLoop<double>& pack_loop<double>() {
  return loops().pack_double;
}

}  // namespace tilelearn::kmeans::cpu
