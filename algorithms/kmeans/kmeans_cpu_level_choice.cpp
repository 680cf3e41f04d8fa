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
#endif

namespace {

Loops choose() {
  Loops result{};
  level_base::set_exact_loops(result);
  level_base::set_filter_loops(result);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    level_v3::set_exact_loops(result);
    level_v3::set_filter_loops(result);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      level_v4::set_exact_loops(result);
      level_v4::set_filter_loops(result);
    }
  }
#endif
  return result;
}

}  // namespace

const Loops& loops() {
  static const Loops chosen = choose();
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
