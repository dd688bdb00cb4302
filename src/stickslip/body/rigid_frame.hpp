#pragma once

#include "stickslip/body/sag_torque.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Where the frame of a body is and how it moves. Its origin is the centre of mass.
struct FrameState {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();

  Vec3 to_world(const Vec3& local) const { return position + orientation * local; }
};

/// What acts on a frame over a step. Wrenches are a force, then a torque about the centre of
/// mass.
struct FrameLoad {
  Vec3 gravity = Vec3::Zero();        ///< [m/s^2]
  Vec6 wrench = Vec6::Zero();         ///< external [N, N m]
  Mat6 K_c = Mat6::Zero();            ///< stiffness of springs that hold the frame (a coupling)
  Mat6 B_c = Mat6::Zero();            ///< damping of the same
  Vec6 spring_wrench = Vec6::Zero();  ///< what they would exert if the frame stayed where it is,
                                      ///< at rest: K_c (target - pose) + B_c target's velocity
  Vec3 sag_moment = Vec3::Zero();     ///< of masses that have moved within the frame, world axes:
                                      ///< sum of each mass times how far it has [kg m]
};

/// One step of a frame, written by RigidFrame::compute_free_motion.
struct FrameStep {
  double dt = 0.0;
  Mat6 inertia = Mat6::Zero();                ///< A, world axes, at the beginning
  Mat6 compliance = Mat6::Zero();             ///< A_eff^-1, A_eff = A/dt^2 + B_c/dt + K_c
  Vec6 inertial_displacement = Vec6::Zero();  ///< by the present momentum alone
  double spin_reserve = 0.0;  ///< energy of the spin beyond that of its mean over the step [J]
  Vec3 gravity = Vec3::Zero();
  Vec3 sag_torque = Vec3::Zero();    ///< of gravity on masses moved within it, over the step [N m]
  Vec6 displacement = Vec6::Zero();  ///< of the free motion: translation, rotation vector
  FrameState free;                   ///< pose at its end
};

/// The rigid part of a body (Eq. 28): A q'' + b = Gamma_external + Gamma_constraint.
///
/// Deviations from the paper: the equation is integrated in momentum form, d(A q')/dt = Gamma,
/// in which the centrifugal and gyroscopic terms b are contained. A frame that nothing acts on
/// turns by dt times the mean of its angular velocities, in its own axes, at both ends of the step:
/// that keeps angular momentum and energy exactly, is accurate to second order, and exact about an
/// axis of inertia. What acts on it adds dt^2 A^-1 Gamma, with A of the beginning, where arms and
/// directions of contacts are taken as well; so the energy cannot grow by more than the work done.
/// Gravity on masses that have moved within the frame turns it by a torque whose work over the free
/// motion is exactly what they fall.
class RigidFrame {
 public:
  /// A frame that nothing moves but its own prescribed velocity.
  RigidFrame() = default;

  /// A free frame. Mass in kg, inertia about the centre of mass in the frame's axes.
  RigidFrame(double mass, const Mat3& inertia);

  bool is_held() const { return mass_ == 0.0; }
  double mass() const { return mass_; }
  const Mat3& inertia() const { return inertia_; }

  void compute_free_motion(const FrameState& state, const FrameLoad& load, double dt,
                           FrameStep& step) const;

  /// The state at the end of the step under the resultant of the contact forces. Angular momentum
  /// changes by their torque, as far as the energy grows by no more than the work done: where a
  /// slender frame is turned by another way than its own, the rest of its spin is lost. `sag` is
  /// what FrameLoad::sag_moment has become, in the frame's axes.
  void correct(const FrameStep& step, const Vec6& contact_wrench, FrameState& state,
               const Vec3& sag = Vec3::Zero()) const;

  /// Kinetic energy. [J]
  double kinetic_energy(const FrameState& state) const;

  /// Angular momentum about the centre of mass, world axes. [kg m^2/s]
  Vec3 angular_momentum(const FrameState& state) const;

 private:
  Vec3 angular_velocity_at_end(const FrameStep& step, const Vec3& momentum, const Vec3& rotation,
                               const Quat& orientation, double unaccounted) const;
  /// Columns: the principal axes of inertia, world axes.
  Mat3 axes_of_inertia(const Quat& orientation) const;

  double mass_ = 0.0;
  Mat3 inertia_ = Mat3::Zero();
  Vec3 moments_ = Vec3::Zero();   ///< of inertia, principal
  Quat axes_ = Quat::Identity();  ///< of inertia, in the frame's
};

}  // namespace stickslip
