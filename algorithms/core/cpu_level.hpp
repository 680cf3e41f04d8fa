// Runs a plain loop compiled for the machine it meets: AVX2 with fma where the processor has them, else the baseline.
//
// The bits do not depend on the level: only std::fma fuses (-ffp-contract=off), and lanes keep the order that the
// source states.
#pragma once

namespace tilelearn::detail {

#if defined(__x86_64__)

template <typename Body>
[[gnu::target("avx2,fma")]] void with_avx2(const Body& body) {
  body();
}

inline bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return found;
}

/// Calls `body`, which must be a lambda marked __attribute__((always_inline)) so that it is compiled for each level.
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
