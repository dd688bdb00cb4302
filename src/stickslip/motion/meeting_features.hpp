#pragma once

#include <array>
#include <optional>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// A point that moves evenly from one place to another.
struct MovingPoint {
  Vec3 from;
  Vec3 to;

  Vec3 at(double time) const { return (1.0 - time) * from + time * to; }
};

/// When, as a share of the motion, two features meet, and where.
struct FeatureMeeting {
  double time;
  /// Unit vector from the second feature to the first, just before.
  Vec3 normal;
  /// Barycentric on the face; for edges the shares of the way along the first and the second.
  std::array<double, 3> weight;
};

/// The first time at which a point comes from the front of a triangle to its back through its
/// inside or border.
std::optional<FeatureMeeting> point_meets_triangle(const MovingPoint& point,
                                                   const std::array<MovingPoint, 3>& triangle);

/// The first time at which two segments cross. Parallel ones do not.
std::optional<FeatureMeeting> segments_meet(const std::array<MovingPoint, 2>& one,
                                            const std::array<MovingPoint, 2>& two);

}  // namespace stickslip
