#include "stickslip/proximity/surface_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace stickslip {

namespace {

Vec3 unit_or_zero(const Vec3& v) {
  const double size = v.norm();
  return size > std::numeric_limits<double>::min() ? Vec3(v / size) : Vec3(Vec3::Zero());
}

}  // namespace

SurfaceShape::SurfaceShape(SurfaceTopology topology, std::span<const Vec3> rest_points)
    : topology_(std::move(topology)), rest_(rest_points.begin(), rest_points.end()) {
  faces_.resize(topology_.triangles().size());
  face_times_.resize(topology_.triangles().size(), 0);
  edges_.resize(topology_.edges().size());
  edge_times_.resize(topology_.edges().size(), 0);
  placed_ = rest_;
  point_times_.resize(rest_.size(), 0);
}

void SurfaceShape::start_shape() {
  if (++time_ != 0) return;
  // once in four thousand million shapes
  std::fill(face_times_.begin(), face_times_.end(), 0);
  std::fill(edge_times_.begin(), edge_times_.end(), 0);
  std::fill(point_times_.begin(), point_times_.end(), 0);
  time_ = 1;
}

void SurfaceShape::reshape(std::span<const Vec3> points) {
  displacement_ = nullptr;
  points_ = points;
  start_shape();
}

void SurfaceShape::reshape(const Displacement& displacement) {
  displacement_ = &displacement;
  points_ = placed_;
  start_shape();
}

std::span<const Vec3> SurfaceShape::points() const {
  for (int i = 0; displacement_ != nullptr && i < topology_.point_count(); ++i) {
    static_cast<void>(point(i));
  }
  return points_;
}

void SurfaceShape::compute_face(int triangle) const {
  const Vec3& a = corner(triangle, 0);
  const Vec3 ab = corner(triangle, 1) - a;
  const Vec3 ac = corner(triangle, 2) - a;
  const Vec3 normal = ab.cross(ac);
  const double squared = normal.squaredNorm();
  FaceShape& face = faces_[uz(triangle)];
  face.corner = a;
  face_times_[uz(triangle)] = time_;
  if (squared < std::numeric_limits<double>::min()) {
    face.normal.setZero();
    face.slope.fill(Vec3::Zero());
    return;
  }
  face.normal = normal / std::sqrt(squared);
  face.slope = {ac.cross(normal) / squared, normal.cross(ab) / squared};
}

Vec3 SurfaceShape::point_normal(int point) const {
  Vec3 sum = Vec3::Zero();
  const Vec3& p = this->point(point);
  for (const int t : topology_.triangles_around(point)) {
    const auto& corners = topology_.triangles()[uz(t)];
    const std::size_t k = corners[0] == point ? 0 : corners[1] == point ? 1 : 2;
    const Vec3 u = this->point(corners[(k + 1) % 3]) - p;
    const Vec3 v = this->point(corners[(k + 2) % 3]) - p;
    const Vec3 normal = u.cross(v);
    const double size = normal.norm();
    if (size > 0.0) sum += std::atan2(size, u.dot(v)) / size * normal;
  }
  if (topology_.is_on_border(point)) {
    // a border looks outward, too
    for (const int e : topology_.edges_around(point)) {
      if (topology_.edges()[uz(e)].triangle[1] >= 0) continue;
      sum -= 0.25 * std::numbers::pi * this->edge(e).inward[0];
    }
  }
  return sum;
}

void SurfaceShape::compute_edge(int edge) const {
  const SurfaceEdge& ends = topology_.edges()[uz(edge)];
  EdgeShape& shape = edges_[uz(edge)];
  edge_times_[uz(edge)] = time_;
  shape.start = point(ends.point[0]);
  shape.along = point(ends.point[1]) - shape.start;
  shape.is_border = ends.triangle[1] < 0;
  const double length = shape.along.norm();
  const double scale = length > std::numeric_limits<double>::min() ? 1.0 / length : 0.0;

  // a face lies on the left of its own sides
  for (std::size_t side = 0; side < (shape.is_border ? 1U : 2U); ++side) {
    const int t = ends.triangle[side];
    const auto& corners = topology_.triangles()[uz(t)];
    const auto& around = topology_.triangle_edges(t);
    const std::size_t k = around[0] == edge ? 0 : around[1] == edge ? 1 : 2;
    const double sign = corners[(k + 1) % 3] == ends.point[0] ? scale : -scale;
    shape.normal[side] = face_normal(t);
    shape.inward[side] = sign * shape.normal[side].cross(shape.along);
  }
  if (shape.is_border) {
    shape.inward[1].setZero();
    shape.normal[1].setZero();
    shape.outward = unit_or_zero(shape.normal[0] - shape.inward[0]);
    shape.sine = 0.0;
    shape.cosine = -1.0;
    return;
  }
  shape.outward = unit_or_zero(shape.normal[0] + shape.normal[1]);
  shape.sine = -0.5 * (shape.inward[0].dot(shape.normal[1]) + shape.inward[1].dot(shape.normal[0]));
  shape.cosine = shape.normal[0].dot(shape.normal[1]);
}

SurfaceShape::CurvedPlace SurfaceShape::curved(int triangle, const std::array<double, 3>& weight,
                                               double crease) const {
  const Vec3 own = face_normal(triangle);
  const auto& corners = topology_.triangles()[uz(triangle)];
  Vec3 place = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c) place += weight[c] * point(corners[c]);
  Vec3 normal = Vec3::Zero();
  double bulge = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    if (weight[c] == 0.0) continue;
    const Vec3& p = point(corners[c]);
    // weighted so that the normals of a sphere are exact whatever its triangles
    Vec3 sum = Vec3::Zero();
    for (const int t : topology_.triangles_around(corners[c])) {
      if (face_normal(t).dot(own) < crease) continue;
      const auto& around = topology_.triangles()[uz(t)];
      const std::size_t k = around[0] == corners[c] ? 0 : around[1] == corners[c] ? 1 : 2;
      const Vec3 u = point(around[(k + 1) % 3]) - p;
      const Vec3 v = point(around[(k + 2) % 3]) - p;
      const double size = u.squaredNorm() * v.squaredNorm();
      if (size > 0.0) sum += u.cross(v) / size;
    }
    const Vec3 corner_normal = unit_or_zero(sum);
    normal += weight[c] * corner_normal;
    // half of how far the plane that touches the corner is above the place
    bulge += 0.5 * weight[c] * corner_normal.dot(p - place);
  }
  const double size = normal.norm();
  if (size <= 0.1) return {own};
  return {normal / size, bulge};
}

bool SurfaceShape::is_corner(int point, double crease) const {
  const auto edges = topology_.edges_around(point);
  return std::any_of(edges.begin(), edges.end(), [&](int e) { return is_crease(e, crease); });
}

bool SurfaceShape::is_lowest_along(int point, const Vec3& n, double slope) const {
  const Vec3& p = this->point(point);
  for (const int other : topology_.neighbours(point)) {
    const Vec3 edge = this->point(other) - p;
    const double rise = edge.dot(n);
    if (rise < 0.0 && rise * rise > slope * slope * edge.squaredNorm()) return false;
  }

  // whether it looks that way: plain where all faces agree
  bool has_facing = false;
  bool has_averted = false;
  for (const int t : topology_.triangles_around(point)) {
    const Vec3& a = corner(t, 0);
    const double product = (corner(t, 1) - a).cross(corner(t, 2) - a).dot(n);
    has_facing = has_facing || product < 0.0;
    has_averted = has_averted || product > 0.0;
  }
  if (has_facing != has_averted && !topology_.is_on_border(point)) return has_facing;
  return point_normal(point).dot(n) < 0.0;
}

bool SurfaceShape::is_behind(int triangle, const TrianglePoint& on, const Vec3& p,
                             double slack) const {
  if (on.squared_distance <= slack * slack) return true;
  const Vec3 offset = p - on.point;
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 1.0) continue;
    const int point = topology_.triangles()[uz(triangle)][k];
    return !topology_.is_on_border(point) && offset.dot(point_normal(point)) < 0.0;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 0.0) continue;
    const EdgeShape& shape = edge(topology_.triangle_edges(triangle)[k]);
    return !shape.is_border && offset.dot(shape.outward) < 0.0;
  }
  return offset.dot(face_normal(triangle)) < 0.0;
}

}  // namespace stickslip
