#include "stickslip/proximity/surface_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {

Vec3 unit_or_zero(const Vec3& v) {
  const double size = v.norm();
  return size > std::numeric_limits<double>::min() ? Vec3(v / size) : Vec3(Vec3::Zero());
}

}  // namespace

Vec3 SurfaceShape::face_normal(int triangle) const {
  const Vec3& a = corner(triangle, 0);
  return unit_or_zero((corner(triangle, 1) - a).cross(corner(triangle, 2) - a));
}

Vec3 SurfaceShape::point_normal(int point) const {
  Vec3 sum = Vec3::Zero();
  const Vec3& p = points_[uz(point)];
  for (const int t : topology_->triangles_around(point)) {
    const auto& corners = topology_->triangles()[uz(t)];
    const std::size_t k = corners[0] == point ? 0 : corners[1] == point ? 1 : 2;
    const Vec3 u = points_[uz(corners[(k + 1) % 3])] - p;
    const Vec3 v = points_[uz(corners[(k + 2) % 3])] - p;
    const Vec3 normal = u.cross(v);
    const double size = normal.norm();
    if (size > 0.0) sum += std::atan2(size, u.dot(v)) / size * normal;
  }
  if (topology_->is_on_border(point)) {
    // a border looks outward, too
    for (const int e : topology_->edges_around(point)) {
      if (topology_->edges()[uz(e)].triangle[1] >= 0) continue;
      sum -= 0.25 * std::numbers::pi * edge_shape(e).inward[0];
    }
  }
  return sum;
}

EdgeShape SurfaceShape::edge_shape(int edge) const {
  const SurfaceEdge& ends = topology_->edges()[uz(edge)];
  const Vec3& a = points_[uz(ends.point[0])];
  EdgeShape shape;
  shape.along = points_[uz(ends.point[1])] - a;
  shape.is_border = ends.triangle[1] < 0;
  for (std::size_t side = 0; side < (shape.is_border ? 1U : 2U); ++side) {
    const int t = ends.triangle[side];
    const auto& around = topology_->triangle_edges(t);
    const std::size_t k = around[0] == edge ? 0 : around[1] == edge ? 1 : 2;
    const Vec3 to_corner = corner(t, k) - a;
    shape.normal[side] = face_normal(t);
    const Vec3 across = to_corner - shape.along * (shape.along.dot(to_corner) /
                                                   std::max(shape.along.squaredNorm(),
                                                            std::numeric_limits<double>::min()));
    shape.inward[side] = unit_or_zero(across);
  }
  if (shape.is_border) {
    shape.outward = unit_or_zero(shape.normal[0] - shape.inward[0]);
    shape.angle = std::numbers::pi;
    return shape;
  }
  shape.outward = unit_or_zero(shape.normal[0] + shape.normal[1]);
  const double sine =
      -0.5 * (shape.inward[0].dot(shape.normal[1]) + shape.inward[1].dot(shape.normal[0]));
  shape.angle = std::atan2(sine, shape.normal[0].dot(shape.normal[1]));
  return shape;
}

bool SurfaceShape::is_lowest_along(int point, const Vec3& n, double slope) const {
  const Vec3& p = points_[uz(point)];
  for (const int other : topology_->neighbours(point)) {
    const Vec3 edge = points_[uz(other)] - p;
    const double rise = edge.dot(n);
    if (rise < 0.0 && rise * rise > slope * slope * edge.squaredNorm()) return false;
  }

  // whether it looks that way: plain where all faces agree
  bool has_facing = false;
  bool has_averted = false;
  for (const int t : topology_->triangles_around(point)) {
    const Vec3& a = corner(t, 0);
    const double product = (corner(t, 1) - a).cross(corner(t, 2) - a).dot(n);
    has_facing = has_facing || product < 0.0;
    has_averted = has_averted || product > 0.0;
  }
  if (has_facing != has_averted && !topology_->is_on_border(point)) return has_facing;
  return point_normal(point).dot(n) < 0.0;
}

bool SurfaceShape::is_behind(int triangle, const TrianglePoint& on, const Vec3& p,
                             double slack) const {
  if (on.squared_distance <= slack * slack) return true;
  const Vec3 offset = p - on.point;
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 1.0) continue;
    const int point = topology_->triangles()[uz(triangle)][k];
    return !topology_->is_on_border(point) && offset.dot(point_normal(point)) < 0.0;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 0.0) continue;
    const EdgeShape shape = edge_shape(topology_->triangle_edges(triangle)[k]);
    return !shape.is_border && offset.dot(shape.outward) < 0.0;
  }
  return offset.dot(face_normal(triangle)) < 0.0;
}

SurfacePoint SurfaceShape::at_point(int point) const {
  const auto& corners = topology_->triangles()[uz(topology_->triangle_of_point(point))];
  SurfacePoint place{corners, {0.0, 0.0, 0.0}};
  place.weight[corners[0] == point ? 0 : corners[1] == point ? 1 : 2] = 1.0;
  return place;
}

SurfacePoint SurfaceShape::at_edge(int edge, double share) const {
  const auto& ends = topology_->edges()[uz(edge)].point;
  const auto& corners = topology_->triangles()[uz(topology_->triangle_of_edge(edge))];
  SurfacePoint place{corners, {0.0, 0.0, 0.0}};
  for (std::size_t k = 0; k < 3; ++k) {
    if (corners[k] == ends[0]) place.weight[k] = 1.0 - share;
    if (corners[k] == ends[1]) place.weight[k] = share;
  }
  return place;
}

}  // namespace stickslip
