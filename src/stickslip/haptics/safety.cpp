#include "stickslip/haptics/safety.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr double slew_time_s = 0.015;

}  // namespace

SafetyLimits SafetyLimits::of(const DeviceLimits& device, double user_force, double user_torque) {
  SafetyLimits limits;
  limits.force = std::min(device.peak_force, user_force);
  limits.torque = std::min(device.peak_torque, user_torque);
  limits.force_slew = limits.force / slew_time_s;
  limits.torque_slew = limits.torque / slew_time_s;
  return limits;
}

ForceSafety::ForceSafety(const SafetyLimits& limits, double tick_s)
    : limits_(limits), tick_s_(tick_s) {}

bool ForceSafety::is_well(const Vec6& wanted, const Health& health) {
  const bool is_finite =
      health.position.allFinite() && health.orientation.coeffs().allFinite() && wanted.allFinite();
  if (!health.is_device_there || !is_finite) {
    has_position_ = false;
    return false;
  }
  const bool jumped =
      has_position_ &&
      ((health.position - position_).norm() > limits_.fastest * tick_s_ ||
       turn_between(orientation_, health.orientation).norm() > limits_.fastest_turn * tick_s_);
  has_position_ = true;
  position_ = health.position;
  orientation_ = health.orientation;
  return !jumped;
}

Vec6 ForceSafety::slewed(const Vec6& wanted) const {
  const auto step = [this](const Vec3& from, const Vec3& to, double slew) {
    return Vec3(from + shortened(to - from, slew * tick_s_));
  };
  Vec6 sent;
  sent.head<3>() = step(sent_.head<3>(), wanted.head<3>(), limits_.force_slew);
  sent.tail<3>() = step(sent_.tail<3>(), wanted.tail<3>(), limits_.torque_slew);
  return sent;
}

Vec6 ForceSafety::guard(const Vec6& wanted, const Health& health) {
  // what is broken is cut at once, and stays cut until all has been well for a while
  if (!is_well(wanted, health)) {
    state_ = SafetyState::latched;
    well_s_ = 0.0;
    strength_ = 0.0;
    sent_.setZero();
    return sent_;
  }
  if (health.is_simulation_stalled) {
    if (state_ != SafetyState::latched) state_ = SafetyState::stalled;
    well_s_ = 0.0;
    strength_ = 0.0;
  } else if (wants_restart()) {
    well_s_ += tick_s_;
    if (well_s_ >= limits_.recovery_s) state_ = SafetyState::ramping;
  } else {
    strength_ = std::min(1.0, strength_ + tick_s_ / limits_.ramp_s);
    state_ = strength_ < 1.0 ? SafetyState::ramping : SafetyState::running;
  }

  Vec6 bounded;
  bounded.head<3>() = strength_ * shortened(wanted.head<3>(), limits_.force);
  bounded.tail<3>() = strength_ * shortened(wanted.tail<3>(), limits_.torque);
  sent_ = slewed(bounded);
  return sent_;
}

}  // namespace stickslip
