// How many CPU threads are worth starting.
#pragma once

#include <algorithm>

namespace tilelearn::detail {

/// Threads of `most` that work of so many elementary operations keeps busy for longer than they take to start.
inline int useful_threads(int most, double operations) {
  constexpr double operations_each = 1 << 17;
  return static_cast<int>(std::min<double>(most, 1.0 + operations / operations_each));
}

}  // namespace tilelearn::detail
