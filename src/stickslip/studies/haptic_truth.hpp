#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stickslip/studies/haptic_trial.hpp"

namespace stickslip {

// What a hand is given, held against what the scene computes: a tool over a block, each of them
// rigid or elastic, led by a hand that is not moved by the force.

enum class ToolShape {
  cube,  ///< of 16 mm, its faces flat
  ball,  ///< of the same width, its facets of some 15 degrees
};

/// A tool over a block, and how it is stepped and rendered. Young's moduli: infinite is rigid. [Pa]
struct TouchSetup {
  ToolShape shape = ToolShape::cube;
  double floor_young = std::numeric_limits<double>::infinity();
  double tool_young = std::numeric_limits<double>::infinity();
  int ticks_per_step = 1;
  int passes = 1;  ///< of a step
  RenderingMode mode = RenderingMode::resolved;
  CouplingGains gains = bench_gains(1000.0);
};

/// "rigid", or the modulus.
std::string young_name(double young);

/// The block under z = 0 and the tool at rest over it, in reach of one hand, at its centre of mass.
Scene make_touch_scene(const TouchSetup& setup);

/// A press that is held: what the hand is given over the resultant of the contact forces.
struct StillTouch {
  double felt_over_contact = 0.0;  ///< of the force, along the resultant
  double force_error = 0.0;        ///< length of the difference over that of the resultant
  double torque_error = 0.0;       ///< the same of the torque
  double ripple = 0.0;             ///< of the force from tick to tick, from its mean [N]
  double torque_ripple = 0.0;      ///< [N m]
  double contact_force = 0.0;      ///< [N]
};

/// Pressed, slid a little, tilted and held still.
StillTouch measure_still_touch(const TouchSetup& setup);

/// What the hand is given along a motion, against the wrench of the same scene stepped at every
/// tick with the hand at the same poses.
struct FollowedTouch {
  double peak = 0.0;     ///< of that force [N]
  double rms = 0.0;      ///< of the difference, over the peak
  double largest = 0.0;  ///< the same
  /// Or the peak of the force at handle_lever, where that is more. [N m]
  double torque_peak = 0.0;
  double torque_rms = 0.0;
  double torque_largest = 0.0;
};

/// Poses of a handle, a row a tick.
using RecordedMotion = std::vector<Intention::Row>;

/// Those of a phantom in a medium hand that presses, strokes to and fro at up to 50 mm/s, tilts and
/// lifts, with a rigid cube on a block of 1e5 Pa.
RecordedMotion record_touch();

/// Wrenches on the hand, a row a tick, of the scene of the setup stepped at every tick, by one
/// pass.
std::vector<Vec6> stepped_wrenches(const TouchSetup& setup, const RecordedMotion& motion);

/// `stepped` is that of the same bodies and motion.
FollowedTouch measure_followed_touch(const TouchSetup& setup, const RecordedMotion& motion,
                                     std::span<const Vec6> stepped);

/// A hand comes down fast, from beyond what detection sees; the worst of four moments of a step.
struct FirstTouch {
  double delay_s = 0.0;     ///< of a tenth of the peak, after the scene stepped at every tick
  double peak_ratio = 0.0;  ///< largest force over that of the scene stepped at every tick
};
FirstTouch measure_first_touch(const TouchSetup& setup, double speed);

}  // namespace stickslip
