#pragma once

#include "stickslip/body/rigid_frame.hpp"
#include "stickslip/math/pose.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Spring and damper between a hand and what it holds, in translation and in rotation.
struct CouplingGains {
  double stiffness = 0.0;             ///< [N/m]
  double damping = 0.0;               ///< [N s/m]
  double rotational_stiffness = 0.0;  ///< [N m/rad]
  double rotational_damping = 0.0;    ///< [N m s/rad]
};

/// Where a hand holds a body: a point and axes that move with its frame.
struct Grip {
  Vec3 point = Vec3::Zero();  ///< from the centre of mass, frame axes [m]
  Quat orientation = Quat::Identity();
};

/// Where the grip is.
Pose grip_pose(const FrameState& frame, const Grip& grip);

/// The grip of a frame that stands at that pose.
Grip grip_at(const FrameState& frame, const Pose& pose);

/// What a spring and a damper of these gains exert where they are stretched by a translation and a
/// rotation vector, at a velocity.
Vec6 wrench_of(const CouplingGains& gains, const Vec6& stretch, const Vec6& velocity);

/// The virtual coupling over one step (paper, section 7.1), linear in the motion of the frame. It
/// enters the step implicitly, A_eff = A/dt^2 + B_c/dt + K_c, which keeps a stiff one stable.
/// Wrenches are about the centre of mass unless a name says otherwise.
struct Coupling {
  Mat6 K_c = Mat6::Zero();
  Mat6 B_c = Mat6::Zero();
  Vec6 wrench_at_rest = Vec6::Zero();  ///< K_c (target - pose) + B_c target's velocity
  Vec3 arm = Vec3::Zero();             ///< from the centre of mass to the grip, world axes [m]

  /// Of a hand that leads the grip from one target to the next within dt.
  Coupling(const CouplingGains& gains, const FrameState& frame, const Grip& grip,
           const Pose& target_before, const Pose& target, double dt);
  Coupling() = default;

  void add_to(FrameLoad& load) const;

  /// What it exerts on the frame once that has moved by a translation and a rotation vector.
  Vec6 wrench(const Vec6& displacement, double dt) const;

  /// The same wrench about the grip instead of the centre of mass.
  Vec6 at_grip(const Vec6& wrench) const;

  /// How far the grip is displaced by a displacement of the frame.
  Vec6 grip_displacement(const Vec6& displacement) const;

  /// The wrench about the centre of mass of one that acts at the grip.
  Vec6 from_grip(const Vec6& wrench_at_grip) const;
};

}  // namespace stickslip
