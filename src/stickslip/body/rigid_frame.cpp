#include "stickslip/body/rigid_frame.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cassert>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

Mat3 turned(const Mat3& tensor, const Quat& orientation) {
  const Mat3 R = orientation.toRotationMatrix();
  return R * tensor * R.transpose();
}

/// The pose after a displacement (translation, rotation vector).
void move(const FrameState& from, const Vec6& displacement, FrameState& to) {
  to.position = from.position + displacement.head<3>();
  to.orientation = (rotation_exp(displacement.tail<3>()) * from.orientation).normalized();
}

}  // namespace

RigidFrame::RigidFrame(double mass, const Mat3& inertia) : mass_(mass), inertia_(inertia) {
  if (!(mass > 0.0)) {
    throw InputError(fmt::format("mass = {}: must be a positive number of kilograms", mass));
  }
  if (inertia.llt().info() != Eigen::Success) {
    throw InputError("inertia: must be a symmetric positive definite matrix in kg m^2");
  }
  inertia_inverse_ = inertia.inverse();
}

void RigidFrame::compute_free_motion(const FrameState& state, const FrameLoad& load, double dt,
                                     FrameStep& step) const {
  step.dt = dt;
  if (is_held()) {
    step.displacement << dt * state.velocity, dt * state.angular_velocity;
    step.free = state;
    move(state, step.displacement, step.free);
    return;
  }

  // inertia half a step ahead, by the rotation that the present momentum brings about
  const Vec3 momentum = angular_momentum(state);
  Vec3 rotation = dt * state.angular_velocity;
  Quat halfway;
  constexpr int fixed_point_iterations = 4;
  for (int i = 0; i < fixed_point_iterations; ++i) {
    halfway = rotation_exp(0.5 * rotation) * state.orientation;
    rotation = dt * (turned(inertia_inverse_, halfway) * momentum);
  }
  step.inertia.setZero();
  step.inertia.topLeftCorner<3, 3>().diagonal().setConstant(mass_);
  step.inertia.bottomRightCorner<3, 3>() = turned(inertia_, halfway);

  // springs and dampers enter implicitly: (A/dt^2 + B_c/dt + K_c) dq = A q'/dt + wrenches
  const Mat6 A_eff = step.inertia / (dt * dt) + load.B_c / dt + load.K_c;
  step.compliance = A_eff.partialPivLu().inverse();
  Vec6 drive = load.wrench + load.spring_wrench;
  drive.head<3>() += mass_ * (load.gravity + state.velocity / dt);
  drive.tail<3>() += momentum / dt;
  step.displacement = step.compliance * drive;
  move(state, step.displacement, step.free);
}

void RigidFrame::correct(const FrameStep& step, const Vec6& contact_wrench,
                         FrameState& state) const {
  if (is_held()) {
    move(state, step.displacement, state);
    return;
  }
  const Vec6 displacement = step.displacement + step.compliance * contact_wrench;
  move(state, displacement, state);
  state.velocity = displacement.head<3>() / step.dt;
  const Vec3 momentum = step.inertia.bottomRightCorner<3, 3>() * displacement.tail<3>() / step.dt;
  state.angular_velocity = turned(inertia_inverse_, state.orientation) * momentum;
}

double RigidFrame::kinetic_energy(const FrameState& state) const {
  return 0.5 * mass_ * state.velocity.squaredNorm() +
         0.5 * state.angular_velocity.dot(angular_momentum(state));
}

Vec3 RigidFrame::angular_momentum(const FrameState& state) const {
  return turned(inertia_, state.orientation) * state.angular_velocity;
}

}  // namespace stickslip
