// The loops of the Gram matrix on the CPU, compiled for several x86-64 levels and chosen when first used. Products are
// fused wherever they are added, so that every level gives the same bits.
#pragma once

#include <cstdint>

#include "core/cpu_levels.hpp"

namespace tilelearn::linear::cpu {

/// Columns of a panel: values of one row lie side by side, then those of the next row.
inline constexpr int panel_columns = 8;

/// Panels of `rows` rows: [panels][rows][panel_columns].
struct Panels {
  const double* left;   ///< augmented rows times their weights
  const double* right;  ///< augmented rows
  std::int64_t rows;
  std::int64_t count;  ///< of panels
};

/// The same with what doubles do not hold beside each value.
struct WidePanels {
  const double* left;
  const double* left_low;
  const double* right;
  const double* right_low;
  std::int64_t rows;
  std::int64_t count;
};

/// Sums are [8 count] x [8 count], row-major; blocks of panels from the diagonal on are added to.
struct GramLoops {
  void (*add)(const Panels& panels, double* sums);
  void (*add_wide)(const WidePanels& panels, double* high, double* low);
};

const GramLoops& gram_loops();
/// Those of one level, which this machine must run.
GramLoops gram_loops_of(detail::CpuLevel level);

}  // namespace tilelearn::linear::cpu
