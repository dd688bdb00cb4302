#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// Position and orientation of something, in some axes.
struct Pose {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
};

}  // namespace stickslip
