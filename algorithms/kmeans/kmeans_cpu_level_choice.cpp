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

Loops loops_of(detail::CpuLevel level) {
  Loops result{};
  switch (level) {
    case detail::CpuLevel::base:
      level_base::set_exact_loops(result);
      level_base::set_filter_loops(result);
      break;
    case detail::CpuLevel::v3:
      level_v3::set_exact_loops(result);
      level_v3::set_filter_loops(result);
      break;
    case detail::CpuLevel::v4:
      level_v4::set_exact_loops(result);
      level_v4::set_filter_loops(result);
      break;
  }
  return result;
}

#else

Loops loops_of(detail::CpuLevel /*level*/) {
  Loops result{};
  level_base::set_exact_loops(result);
  level_base::set_filter_loops(result);
  return result;
}

#endif

const Loops& loops() {
  static const Loops chosen = loops_of(detail::best_cpu_level());
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
