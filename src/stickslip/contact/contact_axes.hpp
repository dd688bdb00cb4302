#pragma once

#include <cmath>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The axes of a contact as rows: n, t1, t2, right-handed. Multiplied by a world vector it gives
/// its components along them. t1 is that of the same contact before, laid into the new tangent
/// plane, so that axes turn no more than n does; zero for a new contact, whose t1 is chosen here.
inline Mat3 contact_axes(const Vec3& n, const Vec3& previous_t1 = Vec3::Zero()) {
  Vec3 t1 = previous_t1 - previous_t1.dot(n) * n;
  if (t1.squaredNorm() < 1e-4) {
    // the axis least along n
    int axis = 0;
    n.cwiseAbs().minCoeff(&axis);
    t1 = Vec3::Unit(axis) - n[axis] * n;
  }
  t1.normalize();
  Mat3 frame;
  frame.row(0) = n.transpose();
  frame.row(1) = t1.transpose();
  frame.row(2) = n.cross(t1).transpose();
  return frame;
}

}  // namespace stickslip
