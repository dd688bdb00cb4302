#pragma once

#include "stickslip/haptics/device.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Bounds on what a hand may be given.
struct SafetyLimits {
  double force = 0.0;          ///< [N]
  double torque = 0.0;         ///< [N m]
  double force_slew = 0.0;     ///< [N/s]
  double torque_slew = 0.0;    ///< [N m/s]
  double ramp_s = 0.25;        ///< from nothing to full strength, after a start
  double recovery_s = 0.1;     ///< all has to be well for so long before forces come back
  double fastest = 5.0;        ///< motion of the device beyond this is no hand's [m/s]
  double fastest_turn = 60.0;  ///< [rad/s]

  /// Of a device, no stronger than the user wants; slew: its peak within 15 ms.
  static SafetyLimits of(const DeviceLimits& device, double user_force, double user_torque);
};

/// Why the hand is given less than was computed.
enum class SafetyState {
  running,
  ramping,  ///< after a start
  stalled,  ///< the simulation has not stepped for too long
  latched,  ///< a number was not finite, or the device is lost or jumped
};

/// The last stage before the device, which nothing can bypass. Every wrench is finite, within the
/// limits, and within the slew limit of the one before; only what the latch cuts goes to zero at
/// once.
class ForceSafety {
 public:
  ForceSafety(const SafetyLimits& limits, double tick_s);

  /// What may be known to go wrong at a tick.
  struct Health {
    bool is_device_there = true;
    bool is_simulation_stalled = false;
    Vec3 position = Vec3::Zero();  ///< of the device
    Quat orientation = Quat::Identity();
  };

  /// What to send at this tick in place of `wanted` (force, torque).
  Vec6 guard(const Vec6& wanted, const Health& health);

  /// While this holds, the coupling has to start anew, without a force.
  bool wants_restart() const {
    return state_ == SafetyState::latched || state_ == SafetyState::stalled;
  }
  SafetyState state() const { return state_; }
  double strength() const { return strength_; }  ///< of the ramp, 0 to 1
  const SafetyLimits& limits() const { return limits_; }

 private:
  bool is_well(const Vec6& wanted, const Health& health);
  Vec6 slewed(const Vec6& wanted) const;

  SafetyLimits limits_;
  double tick_s_;
  SafetyState state_ = SafetyState::ramping;
  double strength_ = 0.0;
  double well_s_ = 0.0;  ///< since when all is well again
  bool has_position_ = false;
  Vec3 position_ = Vec3::Zero();
  Quat orientation_ = Quat::Identity();
  Vec6 sent_ = Vec6::Zero();
};

}  // namespace stickslip
