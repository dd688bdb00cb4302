#include "stickslip/haptics/models/hand.hpp"

namespace stickslip {

Pose WorkspaceMap::to_world(const Pose& device) const {
  return {centre + motion_scale * (turn * device.position), turn * device.orientation};
}

Pose WorkspaceMap::to_device(const Pose& world) const {
  const Quat back = turn.conjugate();
  return {back * (world.position - centre) / motion_scale, back * world.orientation};
}

Vec6 WorkspaceMap::to_device(const Vec6& wrench) const {
  const Mat3 back = turn.conjugate().toRotationMatrix();
  Vec6 turned;
  turned.head<3>() = back * wrench.head<3>();
  turned.tail<3>() = back * wrench.tail<3>();
  return force_scale * turned;
}

Pose HandState::target_of(const Pose& hand) const {
  return {hand.position + offset, hand.orientation * turn};
}

void HandState::settle(const Pose& hand, const Pose& grip_now) {
  offset = grip_now.position - hand.position;
  turn = (hand.orientation.conjugate() * grip_now.orientation).normalized();
}

}  // namespace stickslip
