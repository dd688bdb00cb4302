#include "stickslip/simulation/shape_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

/// Where a function with one valley is least between two places: they close in by the golden
/// section.
template <class Function>
double least_between(double from, double to, const Function& value) {
  constexpr int rounds = 48;
  constexpr double section = 0.6180339887498949;
  double low = to - section * (to - from);
  double high = from + section * (to - from);
  double at_low = value(low);
  double at_high = value(high);
  for (int round = 0; round < rounds; ++round) {
    if (at_low <= at_high) {
      to = high;
      high = low;
      at_high = at_low;
      low = to - section * (to - from);
      at_low = value(low);
    } else {
      from = low;
      low = high;
      at_low = at_high;
      high = from + section * (to - from);
      at_high = value(high);
    }
  }
  return 0.5 * (from + to);
}

/// The signed distance of a convex shape is convex, so that it has one valley on a segment.
Vec3 least_on_segment(const ExactShape& shape, const Vec3& a, const Vec3& b) {
  const auto at = [&](double s) -> Vec3 { return a + s * (b - a); };
  const double s =
      least_between(0.0, 1.0, [&](double share) { return shape.nearest(at(share)).distance; });
  // an end that is as good is exact
  const Vec3 between = at(s);
  const Vec3& end = s < 0.5 ? a : b;
  return shape.nearest(end).distance <= shape.nearest(between).distance ? end : between;
}

void take_deeper(const ExactShape::Nearest& nearest, double thickness, DepthInShape& deepest) {
  const double depth = thickness - nearest.distance;
  if (depth > deepest.depth) deepest = {depth, nearest.normal};
}

/// The least place of a rim, from the best of places all around.
Vec3 least_on_rim(const ExactShape& shape, const ExactShape& other, const Pose& placed, int end) {
  constexpr int places = 96;
  constexpr double apart = 2.0 * std::numbers::pi / places;
  const auto at = [&](double angle) -> Vec3 {
    return placed.position + placed.orientation * other.rim(end, angle);
  };
  const auto distance = [&](double angle) { return shape.nearest(at(angle)).distance; };
  double best = 0.0;
  for (int k = 1; k < places; ++k) {
    if (distance(k * apart) < distance(best)) best = k * apart;
  }
  return at(least_between(best - apart, best + apart, distance));
}

}  // namespace

DepthInShape depth_in_shape(const ExactShape& shape, const std::array<Vec3, 3>& triangle) {
  const Vec3& a = triangle[0];
  const Vec3& b = triangle[1];
  const Vec3& c = triangle[2];
  DepthInShape deepest;
  for (const Vec3& corner : triangle) take_deeper(shape.nearest(corner), 0.0, deepest);

  // nothing of it is nearer to the shape's inside than its middle by more than its size
  const Vec3 middle = (a + b + c) / 3.0;
  const double size = std::sqrt(std::max(
      {(a - middle).squaredNorm(), (b - middle).squaredNorm(), (c - middle).squaredNorm()}));
  if (shape.nearest(middle).distance - size >= -deepest.depth) return deepest;
  const auto least_across = [&](double share) {
    return least_on_segment(shape, a + share * (b - a), a + share * (c - a));
  };
  const double share =
      least_between(0.0, 1.0, [&](double s) { return shape.nearest(least_across(s)).distance; });
  take_deeper(shape.nearest(least_across(share)), 0.0, deepest);
  take_deeper(shape.nearest(least_on_segment(shape, b, c)), 0.0, deepest);
  return deepest;
}

DepthInShape depth_in_shape(const ExactShape& shape, const ExactShape& other, const Pose& placed) {
  const auto at = [&](const Vec3& p) -> Vec3 { return placed.position + placed.orientation * p; };
  const Vec3 on_axis = least_on_segment(shape, at(other.end(0)), at(other.end(1)));
  const ExactShape::Nearest nearest = shape.nearest(on_axis);
  DepthInShape deepest;
  if (other.has_round_ends) {
    take_deeper(nearest, other.radius, deepest);
    return deepest;
  }

  // a cylinder: its axis, its side below that, its rims
  take_deeper(nearest, 0.0, deepest);
  const Vec3 along = placed.orientation * Vec3::UnitZ();
  const Vec3 across = nearest.normal - nearest.normal.dot(along) * along;
  take_deeper(shape.nearest(on_axis - other.radius * across.stableNormalized()), 0.0, deepest);
  for (int end = 0; end < 2; ++end) {
    take_deeper(shape.nearest(least_on_rim(shape, other, placed, end)), 0.0, deepest);
  }
  return deepest;
}

}  // namespace stickslip
