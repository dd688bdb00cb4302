#include "stickslip/body/rigid_frame.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// The pose after a displacement (translation, rotation vector).
void move(const FrameState& from, const Vec6& displacement, FrameState& to) {
  to.position = from.position + displacement.head<3>();
  to.orientation = (rotation_exp(displacement.tail<3>()) * from.orientation).normalized();
}

/// Solves rotation = dt (w + w_end) / 2 by Newton's method, in the axes of inertia, where w_end is
/// the angular velocity of the same momentum after the rotation. Whether it did.
bool find_mean_turn(const Vec3& moments, const Vec3& momentum, double dt, Vec3& rotation) {
  const Vec3 w = momentum.cwiseQuotient(moments);
  const auto miss = [&](const Vec3& turn) -> Vec3 {
    const Vec3 momentum_after = rotation_exp(-turn) * momentum;
    return turn - 0.5 * dt * (w + momentum_after.cwiseQuotient(moments));
  };
  rotation = dt * w;
  Vec3 error = miss(rotation);

  // eight rounds are enough for half a radian of any box; until rounding is all that is left
  constexpr int most_rounds = 20;
  constexpr double almost = 1e-9;
  for (int round = 0; round < most_rounds; ++round) {
    const Mat3 momentum_slope =
        rotation_exp(-rotation).toRotationMatrix() * skew(momentum) * rotation_slope(-rotation);
    const Mat3 slope =
        Mat3::Identity() - 0.5 * dt * moments.cwiseInverse().asDiagonal() * momentum_slope;
    const Vec3 next = rotation - slope.partialPivLu().solve(error);
    const Vec3 next_error = miss(next);
    const bool is_near = error.norm() <= almost * rotation.norm();
    if (is_near && !(next_error.norm() < error.norm())) return true;
    rotation = next;
    error = next_error;
  }
  return false;
}

/// The rotation vector, in the axes of inertia, by which a body turns over a step under its angular
/// momentum alone. Energy stays exactly: w_end - w is square, by the inertia, to the turn between
/// them. What turns too far for a step to follow does so about its momentum, by which angular
/// velocities in the body's axes do not change at all, with the energy that it has.
Vec3 free_turn(const Vec3& moments, const Vec3& momentum, double dt) {
  if (momentum.isZero(0.0)) return Vec3::Zero();
  Vec3 rotation;
  if (find_mean_turn(moments, momentum, dt, rotation)) return rotation;
  const double energy = momentum.dot(momentum.cwiseQuotient(moments));
  return dt * std::sqrt(energy / momentum.dot(momentum.cwiseProduct(moments))) * momentum;
}

/// The angular velocity of a momentum in the axes of inertia, which are given with their moments.
Vec3 spin_of(const Vec3& momentum, const Mat3& axes, const Vec3& moments) {
  const auto divided = [&](const Vec3& L) -> Vec3 {
    return (axes.transpose() * L).cwiseQuotient(moments);
  };
  // what rounding took, which for a needle is much, is given back
  const Vec3 spin = divided(momentum);
  return spin + divided(momentum - axes * (axes.transpose() * (axes * spin)).cwiseProduct(moments));
}

}  // namespace

RigidFrame::RigidFrame(double mass, const Mat3& inertia) : mass_(mass), inertia_(inertia) {
  if (!(mass > 0.0)) {
    throw InputError(fmt::format("mass = {}: must be a positive number of kilograms", mass));
  }
  if (inertia.llt().info() != Eigen::Success) {
    throw InputError("inertia: must be a symmetric positive definite matrix in kg m^2");
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(inertia);
  Mat3 axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) = -axes.col(0);
  moments_ = principal.eigenvalues();
  axes_ = Quat(axes).normalized();
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

  // by the present momentum alone
  const Mat3 axes = axes_of_inertia(state.orientation);
  const Vec3 w = axes.transpose() * state.angular_velocity;
  const Vec3 turn = free_turn(moments_, w.cwiseProduct(moments_), dt);
  step.inertial_displacement << dt * state.velocity, axes * turn;
  const double mean_energy = 0.5 * turn.cwiseAbs2().dot(moments_) / (dt * dt);
  step.spin_reserve = std::max(0.0, 0.5 * w.cwiseAbs2().dot(moments_) - mean_energy);
  step.inertia.setZero();
  step.inertia.topLeftCorner<3, 3>().diagonal().setConstant(mass_);
  step.inertia.bottomRightCorner<3, 3>() = axes * moments_.asDiagonal() * axes.transpose();

  // springs and dampers enter implicitly: (A/dt^2 + B_c/dt + K_c) dq = A dq_inertial/dt^2 +
  // wrenches
  const Mat6 springs = load.B_c / dt + load.K_c;
  const Mat6 A_eff = step.inertia / (dt * dt) + springs;
  step.compliance = A_eff.partialPivLu().inverse();
  Vec6 drive = load.wrench + load.spring_wrench - springs * step.inertial_displacement;
  drive.head<3>() += mass_ * load.gravity;
  step.displacement = step.inertial_displacement + step.compliance * drive;
  step.gravity = load.gravity;
  step.sag_torque =
      find_sag_torque({load.sag_moment, load.gravity}, step.compliance.bottomRightCorner<3, 3>(),
                      step.displacement.tail<3>());
  step.displacement += step.compliance.rightCols<3>() * step.sag_torque;
  move(state, step.displacement, step.free);
}

void RigidFrame::correct(const FrameStep& step, const Vec6& contact_wrench, FrameState& state,
                         const Vec3& sag) const {
  if (is_held()) {
    move(state, step.displacement, state);
    return;
  }
  const Vec6 answer = step.compliance * contact_wrench;
  const Vec6 displacement = step.displacement + answer;
  const Vec3 momentum = angular_momentum(state);
  move(state, displacement, state);
  state.velocity = displacement.head<3>() / step.dt;

  // what masses within it fell because contacts turned it, less what the torque did for that
  const Vec3 turned_sag = state.orientation * sag - step.free.orientation * sag;
  const double unaccounted = step.gravity.dot(turned_sag) - step.sag_torque.dot(answer.tail<3>());
  state.angular_velocity = angular_velocity_at_end(step, momentum, displacement.tail<3>(),
                                                   state.orientation, unaccounted);
}

Vec3 RigidFrame::angular_velocity_at_end(const FrameStep& step, const Vec3& momentum,
                                         const Vec3& rotation, const Quat& orientation,
                                         double unaccounted) const {
  // what torques added to the turn, and to the momentum
  const Vec3 added = rotation - step.inertial_displacement.tail<3>();
  const Vec3 impulse = step.inertia.bottomRightCorner<3, 3>() * added / step.dt;
  const Mat3 axes = axes_of_inertia(orientation);
  const Vec3 kept = spin_of(momentum + impulse, axes, moments_);
  if (added.isZero(0.0)) return axes * kept;

  // the mean spin has less than the energy at the beginning and the work of the torques, by
  const double spare = step.spin_reserve + 0.5 * added.dot(impulse) / step.dt + unaccounted;
  const Vec3 mean = axes.transpose() * rotation / step.dt;

  if (spare < 0.0) {
    // or more: then the spin is slowed down
    const double energy = 0.5 * kept.cwiseAbs2().dot(moments_);
    const double left = std::max(0.0, 0.5 * mean.cwiseAbs2().dot(moments_) + spare);
    return axes * (energy > left ? Vec3(std::sqrt(left / energy) * kept) : kept);
  }

  // so far from it, toward the spin that keeps the momentum: linear s + square s^2 <= spare
  const Vec3 beyond = kept - mean;
  const double linear = mean.dot(beyond.cwiseProduct(moments_));
  const double square = 0.5 * beyond.cwiseAbs2().dot(moments_);
  if (linear + square <= spare) return axes * kept;
  const double root = std::sqrt(linear * linear + 4.0 * square * spare);
  const double share =
      linear > 0.0 ? 2.0 * spare / (linear + root) : 0.5 * (root - linear) / square;
  return axes * (mean + share * beyond);
}

double RigidFrame::kinetic_energy(const FrameState& state) const {
  return 0.5 * mass_ * state.velocity.squaredNorm() +
         0.5 * state.angular_velocity.dot(angular_momentum(state));
}

Vec3 RigidFrame::angular_momentum(const FrameState& state) const {
  if (is_held()) return Vec3::Zero();
  const Mat3 axes = axes_of_inertia(state.orientation);
  return axes * moments_.cwiseProduct(axes.transpose() * state.angular_velocity);
}

Mat3 RigidFrame::axes_of_inertia(const Quat& orientation) const {
  return (orientation * axes_).normalized().toRotationMatrix();
}

}  // namespace stickslip
