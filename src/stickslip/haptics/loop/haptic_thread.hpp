#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "stickslip/haptics/loop/haptic_loop.hpp"
#include "stickslip/haptics/loop/real_time.hpp"
#include "stickslip/math/time_histogram.hpp"

namespace stickslip {

/// How well a loop kept its time.
struct TickTimes {
  std::int64_t ticks = 0;
  std::int64_t missed = 0;  ///< due, but the one before had not ended or the thread was not woken
  TimeHistogram wake_us;    ///< from when a tick was due to when it began
  TimeHistogram compute_us;
  double last_compute_us = 0.0;
};

/// Ticks a loop by the clock, in a thread of its own, and tells it how much time has passed.
class HapticThread {
 public:
  /// `after_tick` is called in that thread at the end of each tick with the times of those before
  /// it, and must keep to its rules.
  HapticThread(HapticLoop& loop, double tick_s,
               std::function<void(const TickTimes&)> after_tick = {});
  HapticThread(const HapticThread&) = delete;
  HapticThread& operator=(const HapticThread&) = delete;
  ~HapticThread();

  /// Ends the loop, with zero force on the devices. What follows may be read only afterwards.
  void stop();
  const TickTimes& times() const { return times_; }
  const std::string& granted() const { return granted_; }

 private:
  void run();

  HapticLoop& loop_;
  double tick_s_;
  std::function<void(const TickTimes&)> after_tick_;
  std::atomic<bool> wants_stop_ = false;
  TickTimes times_;
  std::string granted_;
  std::thread thread_;
};

}  // namespace stickslip
