// Chooses the loops of the Gram matrix for the machine that runs.
#include "linear/gram_cpu_levels.hpp"

namespace tilelearn::linear::cpu {

namespace level_base {
void set_gram_loops(GramLoops& loops);
}

#if defined(__x86_64__)
namespace level_v3 {
void set_gram_loops(GramLoops& loops);
}
namespace level_v4 {
void set_gram_loops(GramLoops& loops);
}

GramLoops gram_loops_of(detail::CpuLevel level) {
  GramLoops result{};
  switch (level) {
    case detail::CpuLevel::base:
      level_base::set_gram_loops(result);
      break;
    case detail::CpuLevel::v3:
      level_v3::set_gram_loops(result);
      break;
    case detail::CpuLevel::v4:
      level_v4::set_gram_loops(result);
      break;
  }
  return result;
}

#else

GramLoops gram_loops_of(detail::CpuLevel /*level*/) {
  GramLoops result{};
  level_base::set_gram_loops(result);
  return result;
}

#endif

const GramLoops& gram_loops() {
  static const GramLoops chosen = gram_loops_of(detail::best_cpu_level());
  return chosen;
}

}  // namespace tilelearn::linear::cpu
