#include "stickslip/haptics/models/coupling.hpp"

#include "stickslip/math/rotation.hpp"

namespace stickslip {

Pose grip_pose(const FrameState& frame, const Grip& grip) {
  return {frame.to_world(grip.point), frame.orientation * grip.orientation};
}

Grip grip_at(const FrameState& frame, const Pose& pose) {
  const Quat to_frame = frame.orientation.conjugate();
  return {to_frame * (pose.position - frame.position), to_frame * pose.orientation};
}

Vec6 wrench_of(const CouplingGains& gains, const Vec6& stretch, const Vec6& velocity) {
  Vec6 wrench;
  wrench << gains.stiffness * stretch.head<3>() + gains.damping * velocity.head<3>(),
      gains.rotational_stiffness * stretch.tail<3>() +
          gains.rotational_damping * velocity.tail<3>();
  return wrench;
}

Coupling::Coupling(const CouplingGains& gains, const FrameState& frame, const Grip& grip,
                   const Pose& target_before, const Pose& target, double dt)
    : arm(frame.orientation * grip.point) {
  // displacements of the frame to those of the grip
  Mat6 to_grip = Mat6::Identity();
  to_grip.topRightCorner<3, 3>() = -skew(arm);
  Vec6 stiffness;
  Vec6 damping;
  stiffness << Vec3::Constant(gains.stiffness), Vec3::Constant(gains.rotational_stiffness);
  damping << Vec3::Constant(gains.damping), Vec3::Constant(gains.rotational_damping);
  K_c = to_grip.transpose() * stiffness.asDiagonal() * to_grip;
  B_c = to_grip.transpose() * damping.asDiagonal() * to_grip;
  const Vec6 stretch = displacement_between(grip_pose(frame, grip), target);
  const Vec6 velocity = displacement_between(target_before, target) / dt;
  wrench_at_rest = to_grip.transpose() * wrench_of(gains, stretch, velocity);
}

void Coupling::add_to(FrameLoad& load) const {
  load.K_c += K_c;
  load.B_c += B_c;
  load.spring_wrench += wrench_at_rest;
}

Vec6 Coupling::wrench(const Vec6& displacement, double dt) const {
  return wrench_at_rest - K_c * displacement - B_c * displacement / dt;
}

Vec6 Coupling::at_grip(const Vec6& wrench) const {
  Vec6 moved = wrench;
  moved.tail<3>() -= arm.cross(Vec3(wrench.head<3>()));
  return moved;
}

Vec6 Coupling::from_grip(const Vec6& wrench_at_grip) const {
  Vec6 moved = wrench_at_grip;
  moved.tail<3>() += arm.cross(Vec3(wrench_at_grip.head<3>()));
  return moved;
}

Vec6 Coupling::grip_displacement(const Vec6& displacement) const {
  Vec6 moved = displacement;
  moved.head<3>() += Vec3(displacement.tail<3>()).cross(arm);
  return moved;
}

}  // namespace stickslip
