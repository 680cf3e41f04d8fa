// Chooses the loops for the machine that runs.
#include "dbscan/dbscan_cpu_levels.hpp"

namespace tilelearn::dbscan::cpu {

namespace level_base {
void set_tile_loops(Loops& loops);
void set_grid_loops(Loops& loops);
}  // namespace level_base

#if defined(__x86_64__)
namespace level_v3 {
void set_tile_loops(Loops& loops);
void set_grid_loops(Loops& loops);
}  // namespace level_v3

namespace level_v4 {
void set_tile_loops(Loops& loops);
void set_grid_loops(Loops& loops);
}  // namespace level_v4

Loops loops_of(detail::CpuLevel level) {
  Loops result{};
  switch (level) {
    case detail::CpuLevel::base:
      level_base::set_tile_loops(result);
      level_base::set_grid_loops(result);
      break;
    case detail::CpuLevel::v3:
      level_v3::set_tile_loops(result);
      level_v3::set_grid_loops(result);
      break;
    case detail::CpuLevel::v4:
      level_v4::set_tile_loops(result);
      level_v4::set_grid_loops(result);
      break;
  }
  return result;
}

#else

Loops loops_of(detail::CpuLevel /*level*/) {
  Loops result{};
  level_base::set_tile_loops(result);
  level_base::set_grid_loops(result);
  return result;
}

#endif

const Loops& loops() {
  static const Loops chosen = loops_of(detail::best_cpu_level());
  return chosen;
}

template <>
const TileLoops<float>& tile_loops<float>(int norm) {
  return loops().tile_float[norm];
}
template <>
const TileLoops<double>& tile_loops<double>(int norm) {
  return loops().tile_double[norm];
}

template <>
const GridLoops<float>& grid_loops<float>(int norm, int d) {
  return loops().grid_float[norm][d - 1];
}
template <>
const GridLoops<double>& grid_loops<double>(int norm, int d) {
  return loops().grid_double[norm][d - 1];
}

}  // namespace tilelearn::dbscan::cpu
