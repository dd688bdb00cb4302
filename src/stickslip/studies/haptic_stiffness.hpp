#pragma once

#include "stickslip/studies/haptic_trial.hpp"

namespace stickslip {

inline constexpr double bench_press = 3.0;  ///< with which the bench presses [N]

/// A hand that can press: nobody's device hangs on threads, a weight pulls it and something keeps
/// it upright.
HandModel pressing_hand(const HandModel& hand);

/// How far the aim of such a hand has to go to press the tool with bench_press, by way of the
/// hand and the coupling. [m]
double press_way(const HandModel& hand, double stiffness);

/// What an operator does while a hold is watched.
enum class HoldKind {
  still,
  /// The simulation stood still for 500 ms in a first hold; a second one is watched. Not for hand
  /// "none", whose weight would fall meanwhile.
  after_stall,
  /// The force sways by a third, once a second.
  swaying,
};

/// A tap and a hold of 3 N, at one stiffness.
struct HoldResult {
  bool is_stable = false;
  double ripple = 0.0;     ///< largest rendered force above 20 Hz during the hold [N]
  double amplitude = 0.0;  ///< of the device's motion during the hold, half of peak to peak [m]
  double force = 0.0;      ///< mean of the hold [N]
};

/// The hand comes down from 5 mm within 0.15 s and presses with 3 N; the hold is watched for one
/// second, from 0.95 s after that on, when the tap has died out. Unstable: the rendered force
/// above 20 Hz exceeds 0.15 N in it, the motion above 20 Hz grows within it, or the device is let
/// go. Hand "none" presses by a weight.
HoldResult tap_and_hold(const TrialSetup& setup, HoldKind kind);

inline constexpr double largest_bench_stiffness = 50e3;  ///< [N/m]

/// The largest stiffness that is stable, to 3 %, with all those tried below it: by raising it
/// until it is not, then by halving. No more than largest_bench_stiffness. The setup's own is not
/// looked at. [N/m]
double find_stable_stiffness(TrialSetup setup, HoldKind kind);

/// A spring rendered without friction and rounding, B = 0: the largest stable stiffness.
struct SpringOracle {
  double simulated = 0.0;   ///< of the simulated device, by whether its swing grows [N/m]
  double eigenvalue = 0.0;  ///< by largest_stable_stiffness() [N/m]
  double difference() const;
};

/// `hand` is not clamped.
SpringOracle compare_with_spring(const DeviceModel& device, const HandModel& hand);

}  // namespace stickslip
