#pragma once

#include "stickslip/haptics/models/device.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Bounds on what a hand may be given.
struct SafetyLimits {
  /// A force takes so long to rise to its limit.
  static constexpr double slew_s = 0.015;

  double force = 0.0;        ///< [N]
  double torque = 0.0;       ///< [N m]
  double force_slew = 0.0;   ///< [N/s]
  double torque_slew = 0.0;  ///< [N m/s]
  double ramp_s = 0.25;      ///< from nothing to full strength, after a start
  double recovery_s = 0.1;   ///< all has to be well for so long before forces come back

  /// Of a device, no stronger than the user wants; its peak within slew_s.
  static SafetyLimits of(const DeviceLimits& device, double user_force, double user_torque);
};

/// Why the hand is given less than was computed.
enum class SafetyState {
  running,
  ramping,  ///< after a start
  stalled,  ///< the simulation has not stepped, or the loop not ticked, for too long
  latched,  ///< a number was not finite, or a reading of the device not to be believed
};

/// The last stage before the device, which nothing can bypass. Every wrench is finite, within the
/// limits, and within the slew limit of the one before by the time that has passed; only what the
/// latch cuts goes to zero at once.
class ForceSafety {
 public:
  explicit ForceSafety(const SafetyLimits& limits) : limits_(limits) {}

  /// What may be known to go wrong at a tick.
  struct Health {
    bool is_reading_good = true;
    bool is_simulation_stalled = false;
    /// The loop has paused for so long that the device has dropped its force by itself.
    bool has_paused = false;
    /// The coupling that `wanted` comes from has begun anew since something went wrong.
    bool is_coupling_new = true;
  };

  /// What to send in place of `wanted` (force, torque), so long after the last.
  Vec6 guard(const Vec6& wanted, const Health& health, double elapsed_s);

  /// Nothing is sent any more: the next wrench begins at zero, with a new coupling.
  void drop();

  /// While this holds, the coupling has to start anew, without a force.
  bool wants_restart() const {
    return state_ == SafetyState::latched || state_ == SafetyState::stalled;
  }
  SafetyState state() const { return state_; }
  double strength() const { return strength_; }  ///< of the ramp, 0 to 1
  const SafetyLimits& limits() const { return limits_; }

 private:
  void stop(SafetyState why);
  Vec6 slewed(const Vec6& wanted, double elapsed_s) const;

  SafetyLimits limits_;
  SafetyState state_ = SafetyState::ramping;
  double strength_ = 0.0;
  double well_s_ = 0.0;  ///< since when all is well again
  Vec6 sent_ = Vec6::Zero();
};

}  // namespace stickslip
