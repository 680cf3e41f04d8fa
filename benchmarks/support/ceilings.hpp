// What the machine can do at most, measured, so that a row can say which share of it was reached.
#pragma once

#include <tilelearn/device.hpp>

namespace tilelearn::benchmarks {

/// Rates of a device; 0 where it is not known.
struct Ceilings {
  double bytes_per_second = 0.0;  ///< memory: reading on the CPU, reading plus writing of a copy on a GPU
  double flops_per_second = 0.0;  ///< multiply-adds count two: float32 on the CPU, products of 16-bit floats on a GPU
  double compares_per_second = 0.0;  ///< minimum, maximum or comparison
};

/// Memory rates, and the CPU's arithmetic rate, are measured at the first call (about a second a device). A GPU's
/// arithmetic rates are constants measured for its model; 0 for models that have none here.
const Ceilings& ceilings(const Device& device);

/// Least seconds for work that moves so many bytes, does so many floating-point operations and comparisons, each at its
/// ceiling and all at once; 0 if no ceiling is known.
double limit_seconds(const Ceilings& rates, double bytes, double flops, double compares);

}  // namespace tilelearn::benchmarks
