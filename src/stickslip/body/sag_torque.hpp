#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// Masses that have moved within a frame, in the field of gravity, over a turn of the frame.
struct Sag {
  Vec3 moment = Vec3::Zero();   ///< sum of each mass times how far it has moved, world axes [kg m]
  Vec3 gravity = Vec3::Zero();  ///< [m/s^2]

  bool is_weightless() const { return moment.isZero(0.0) || gravity.isZero(0.0); }

  /// What gravity does over a turn from the start, a rotation vector. [J]
  double work(const Vec3& turn) const;

  /// The mean torque of gravity over a turn, such that torque . turn = work exactly, however far
  /// it turns. [N m]
  Vec3 mean_torque(const Vec3& turn) const;

  /// How the mean torque changes with the turn.
  Mat3 torque_slope(const Vec3& turn) const;
};

/// Solves turn = without + answer mean_torque(turn) by Newton's method, where `without` is the turn
/// that there would be without sag and `answer` (symmetric, positive definite) how the frame
/// answers a torque over the step. There always is a solution, since the torque is bounded; where
/// none is found, in some of a thousand cases that would turn by radians in a step, the answer is
/// zero.
Vec3 find_sag_torque(const Sag& sag, const Mat3& answer, const Vec3& without);

}  // namespace stickslip
