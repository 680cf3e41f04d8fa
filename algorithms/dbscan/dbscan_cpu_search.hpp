// What the searches of the CPU backend share: rows, what is within eps, what makes a row core, when to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>

#include <omp.h>
#include <tilelearn/error.hpp>

#include "core/cpu_threads.hpp"
#include "core/cpu_workspace.hpp"
#include "dbscan/dbscan_backend.hpp"
#include "dbscan/dbscan_cpu_levels.hpp"
#include "dbscan/dbscan_weights.hpp"
#include "dbscan/dbscan_within.hpp"

namespace tilelearn::dbscan::cpu {

using detail::useful_threads;

/// n rows of d values, row-major without gaps: those of X, or unit vectors.
template <typename T>
struct Rows {
  const T* data = nullptr;
  std::int64_t n = 0;
  int d = 0;

  [[nodiscard]] const T* row(std::int64_t i) const { return data + i * d; }
};

/// Whether sums of squares in T neither overflow nor vanish beside eps^2.
template <typename T>
bool is_safe_eps(double eps) {
  constexpr int most = sizeof(T) == sizeof(float) ? 30 : safe_exponent;
  return std::abs(std::ilogb(eps)) <= most;
}

/// The limits of an evaluation in T by the norm of `ball`.
template <typename T>
Band<T> make_band(const Ball& ball) {
  // d + 2 roundings of a sum; twice that for safety, as make_ball has it.
  const double bound = static_cast<double>(ball.d + 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr double most_bound = 0.25;
  if (!is_safe_eps<T>(ball.eps) || bound > most_bound) return {T{-1}, std::numeric_limits<T>::quiet_NaN()};
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (ball.norm == Norm::chebyshev) {
    // A difference in T is rounded once, and rounding is monotone: only one that rounds to eps is open.
    const T eps = static_cast<T>(ball.eps);
    return {std::nextafter(eps, T{0}), std::nextafter(eps, infinity)};
  }
  const double limit = ball.norm == Norm::euclidean ? ball.eps * ball.eps : ball.eps;
  return {std::nextafter(static_cast<T>(limit * (1.0 - bound)), T{0}),
          std::nextafter(static_cast<T>(limit * (1.0 + bound)), infinity)};
}

/// What makes a row core.
struct Density {
  std::int64_t min_samples = 1;
  const fixed_point::Words* words = nullptr;  ///< of each row's weight; null: rows are counted
  fixed_point::Words threshold{0, 0};
  bool only_grows = true;  ///< no weight is negative: a sum that has reached min_samples stays there
};

/// Asks the caller's stop function (which may be empty) from the thread that called the library, also in the middle of
/// a parallel region, which exceptions must not leave.
class Stop {
 public:
  explicit Stop(const std::function<bool()>& asked) : asked_(asked) {}

  /// True once the work is to end. Cheap; called often, from any thread of a region.
  [[nodiscard]] bool poll() {
    if (!asked_) return false;
    constexpr unsigned calls_between_questions = 64;
    if (omp_get_thread_num() == 0 && ++calls_ % calls_between_questions == 0) ask();
    return stopped_.load(std::memory_order_relaxed);
  }

  /// Outside of a region: throws Cancelled, or what the stop function threw.
  void check() {
    if (asked_ && !stopped_.load(std::memory_order_relaxed)) ask();
    if (error_) std::rethrow_exception(error_);
    if (stopped_.load(std::memory_order_relaxed)) throw Cancelled("DBSCAN: the fit was stopped by the caller");
  }

 private:
  void ask() noexcept {
    try {
      if (asked_()) stopped_.store(true, std::memory_order_relaxed);
    } catch (...) {
      error_ = std::current_exception();
      stopped_.store(true, std::memory_order_relaxed);
    }
  }

  const std::function<bool()>& asked_;
  std::atomic<bool> stopped_{false};
  std::exception_ptr error_;
  unsigned calls_ = 0;  ///< of thread 0
};

/// What one search works with.
struct Context {
  Ball ball;
  int threads = 1;
  detail::CpuWorkspace& workspace;
  Stop& stop;

  /// The same with memory that a step inside the work frees at its end.
  [[nodiscard]] Context within(detail::CpuWorkspace& step) const { return {ball, threads, step, stop}; }
};

}  // namespace tilelearn::dbscan::cpu
