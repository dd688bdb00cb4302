#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace stickslip::bench {

/// Time of this thread on a processor since it was made.
class ThreadWatch {
 public:
  double us() const { return now_us() - start_us_; }

 private:
  static double now_us() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
  }
  double start_us_ = now_us();
};

/// Time since it was made. Beyond a millisecond only the time of this thread on a processor
/// counts, so that a busy machine does not show; below, its clock would be too coarse.
class Stopwatch {
 public:
  double seconds() const {
    const double wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return wall_s < 1e-3 ? wall_s : std::min(wall_s, 1e-6 * thread_.us());
  }

  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  // the wall clock last, so that reading the other one is not counted
  ThreadWatch thread_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stickslip::bench
