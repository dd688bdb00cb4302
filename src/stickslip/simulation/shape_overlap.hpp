#pragma once

#include <array>

#include "stickslip/math/pose.hpp"
#include "stickslip/mesh/exact_shape.hpp"

namespace stickslip {

/// What of something is deepest in a shape: how deep, and the shortest way out, in the shape's
/// axes.
struct DepthInShape {
  double depth = 0.0;  ///< 0 or below: nothing is inside [m]
  Vec3 normal = Vec3::UnitX();
};

/// Of a triangle, whose corners are given in the shape's axes.
DepthInShape depth_in_shape(const ExactShape& shape, const std::array<Vec3, 3>& triangle);

/// Of another shape, placed in the first one's axes.
DepthInShape depth_in_shape(const ExactShape& shape, const ExactShape& other, const Pose& placed);

}  // namespace stickslip
