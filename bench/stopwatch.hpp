#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace stickslip::bench {

/// Time since it was made. Beyond a millisecond only the time of this thread on a processor
/// counts, so that a busy machine does not show; below, its clock would be too coarse.
class Stopwatch {
 public:
  double seconds() const {
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return wall_s < 1e-3 ? wall_s : std::min(wall_s, thread_s() - thread_start_s_);
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  static double thread_s() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  // the wall clock last, so that reading the other one is not counted
  double thread_start_s_ = thread_s();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stickslip::bench
