#pragma once

#include "stickslip/math/rotation.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Position and orientation of something, in some axes.
struct Pose {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
};

/// The translation and the rotation vector that lead from one pose to another.
inline Vec6 displacement_between(const Pose& from, const Pose& to) {
  Vec6 displacement;
  displacement.head<3>() = to.position - from.position;
  displacement.tail<3>() = turn_between(from.orientation, to.orientation);
  return displacement;
}

/// The pose after a translation and a rotation vector.
inline Pose moved_by(const Pose& pose, const Vec6& displacement) {
  return {pose.position + displacement.head<3>(),
          (rotation_exp(displacement.tail<3>()) * pose.orientation).normalized()};
}

}  // namespace stickslip
