#pragma once

#include <array>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The point of a triangle nearest to a given one.
struct TrianglePoint {
  Vec3 point;
  std::array<double, 3> weight;  ///< barycentric, none negative, sum 1; exactly 0 off a corner
  double squared_distance;

  /// Bit i is set where weight i is not zero: 7 inside, two bits on an edge, one at a corner.
  int corners() const {
    return (weight[0] != 0.0 ? 1 : 0) + (weight[1] != 0.0 ? 2 : 0) + (weight[2] != 0.0 ? 4 : 0);
  }
};

/// Any triangle is allowed: one without area is the longest of its sides, or a point.
TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// The share s of the way from a to b at which p is nearest, in [0, 1]; 0 if a = b.
double closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

/// The nearest points of two segments, a + s (b - a) and c + t (d - c).
struct SegmentPoints {
  double s;
  double t;
  double squared_distance;
  bool is_parallel;  ///< or one of them has no length
};

/// Segments whose directions differ by less than this sine count as parallel.
constexpr double parallel_sine = 1e-7;

/// Where parallel segments run beside each other, the middle of that stretch is taken.
SegmentPoints closest_on_segments(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace stickslip
