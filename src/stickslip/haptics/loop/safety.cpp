#include "stickslip/haptics/loop/safety.hpp"

#include <algorithm>

namespace stickslip {

SafetyLimits SafetyLimits::of(const DeviceLimits& device, double user_force, double user_torque) {
  SafetyLimits limits;
  limits.force = std::min(device.peak_force, user_force);
  limits.torque = std::min(device.peak_torque, user_torque);
  limits.force_slew = limits.force / slew_s;
  limits.torque_slew = limits.torque / slew_s;
  return limits;
}

void ForceSafety::stop(SafetyState why) {
  state_ = why;
  well_s_ = 0.0;
  strength_ = 0.0;
}

void ForceSafety::drop() {
  stop(state_ == SafetyState::latched ? SafetyState::latched : SafetyState::stalled);
  sent_.setZero();
}

Vec6 ForceSafety::slewed(const Vec6& wanted, double elapsed_s) const {
  const auto step = [elapsed_s](const Vec3& from, const Vec3& to, double slew) {
    return Vec3(from + shortened(to - from, slew * elapsed_s));
  };
  Vec6 sent;
  sent.head<3>() = step(sent_.head<3>(), wanted.head<3>(), limits_.force_slew);
  sent.tail<3>() = step(sent_.tail<3>(), wanted.tail<3>(), limits_.torque_slew);
  return sent;
}

Vec6 ForceSafety::guard(const Vec6& wanted, const Health& health, double elapsed_s) {
  // what is broken is cut at once, and stays cut until all has been well for a while
  if (!health.is_reading_good || !wanted.allFinite()) {
    stop(SafetyState::latched);
    sent_.setZero();
    return sent_;
  }
  if (health.has_paused) {
    // nothing is left to fade
    drop();
  } else if (health.is_simulation_stalled) {
    stop(state_ == SafetyState::latched ? SafetyState::latched : SafetyState::stalled);
  } else if (wants_restart()) {
    well_s_ += elapsed_s;
    if (well_s_ >= limits_.recovery_s && health.is_coupling_new) state_ = SafetyState::ramping;
  } else {
    strength_ = std::min(1.0, strength_ + elapsed_s / limits_.ramp_s);
    state_ = strength_ < 1.0 ? SafetyState::ramping : SafetyState::running;
  }

  Vec6 bounded;
  bounded.head<3>() = strength_ * shortened(wanted.head<3>(), limits_.force);
  bounded.tail<3>() = strength_ * shortened(wanted.tail<3>(), limits_.torque);
  sent_ = slewed(bounded, elapsed_s);
  return sent_;
}

}  // namespace stickslip
