#pragma once

#include "stickslip/studies/haptic_signals.hpp"
#include "stickslip/studies/haptic_trial.hpp"

namespace stickslip {

/// Energy at the port of the device.
struct PortEnergy {
  double least = 0.0;           ///< by the device's own motion [J]
  double least_observed = 0.0;  ///< as the observer of the loop counts it [J]
  double removed = 0.0;         ///< by the controller, over all [J]
  double acting = 0.0;          ///< share of the ticks in which it acts
  std::int64_t ticks = 0;

  void add(const TrialTick& tick);

 private:
  std::int64_t acting_ticks_ = 0;
};

struct ExerciseResult {
  ForceSteps steps;
  PortEnergy energy;
};

/// Three taps, a press of 3 N, strokes across the floor that turn back, and a lift; hand "none"
/// does no more than its weight, a tap and a hold. With a stall of 500 ms in the first stroke
/// where `with_stall` says so.
ExerciseResult exercise(const TrialSetup& setup, bool with_stall);

/// How true and how quick a rendering is, in a clamped hand on the setup's device.
struct Fidelity {
  double drag = 0.0;          ///< mean force along a motion of 0.1 m/s in free space [N]
  double force_error = 0.0;   ///< of a press of 3 N, relative to stiffness times depth
  double torque_error = 0.0;  ///< of a tilt under that press, relative to stiffness times angle
  /// From the first reading beyond the surface, at 0.3 m/s, to a twentieth of the final force;
  /// 0: within that tick. -1: it never came.
  int onset_ticks = -1;
};

/// The hand of the setup is not looked at.
Fidelity measure_fidelity(TrialSetup setup);

}  // namespace stickslip
