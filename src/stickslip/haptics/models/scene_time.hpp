#pragma once

#include <algorithm>
#include <atomic>

namespace stickslip {

/// How far a scene has come, as its simulation tells it, for operators who act on what they see.
class SceneTime {
 public:
  /// `dt` is the period of its steps. [s]
  explicit SceneTime(double dt) : leeway_s_(2.0 * dt + leeway_of_ticks_s) {}

  void tell(double time_s) { time_s_.store(time_s, std::memory_order_relaxed); }
  double time_s() const { return time_s_.load(std::memory_order_relaxed); }

  /// How fast somebody lives whose own time is `own_s`, in shares of real time. Exactly 1 while he
  /// is within two steps of the scene; slower beyond that, until he stands still; and up to a
  /// quarter faster where the scene has left him behind.
  double pace(double own_s) const {
    const double ahead = own_s - time_s();
    if (ahead > leeway_s_) return std::max(0.0, 2.0 - ahead / leeway_s_);
    if (ahead < -leeway_s_) return std::min(fastest, -ahead / leeway_s_);
    return 1.0;
  }

 private:
  /// For a loop and a simulation that are not woken at the same moment.
  static constexpr double leeway_of_ticks_s = 2e-3;
  static constexpr double fastest = 1.25;
  double leeway_s_;
  std::atomic<double> time_s_ = 0.0;
};

}  // namespace stickslip
