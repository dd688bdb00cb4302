#pragma once

namespace stickslip {

/// One direction of a device in a hand: m x'' + b x' + k x = force(t) - friction(x'), where dry
/// friction is a force of size `friction` against the motion, and at rest whatever keeps it at
/// rest, up to that size.
struct AxisDynamics {
  double mass = 1.0;  ///< above 0
  double damping = 0.0;
  double stiffness = 0.0;
  double friction = 0.0;
};

struct AxisState {
  double position = 0.0;
  double velocity = 0.0;  ///< exactly 0 in stick
};

/// Moves on by `duration` under force + rate t, t from 0 to duration. Right to rounding: between
/// events (velocity becomes zero, stick breaks) the motion is a power series of fixed length over
/// pieces short enough for it, and events are found on that series.
void advance(const AxisDynamics& dynamics, double force, double rate, double duration,
             AxisState& state);

}  // namespace stickslip
