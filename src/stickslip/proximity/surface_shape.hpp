#pragma once

#include <span>

#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/proximity/surface_topology.hpp"

namespace stickslip {

/// An edge and the faces beside it.
struct EdgeShape {
  Vec3 along;                  ///< from the first end to the second, not of length 1
  std::array<Vec3, 2> normal;  ///< of the faces, of length 1
  std::array<Vec3, 2> inward;  ///< across the edge into each face, of length 1
  bool is_border;              ///< one face only; the second entries are not set
  Vec3 outward;                ///< between the normals; at a border half-way to the outside
  /// Angle between the normals, positive where the surface is convex; pi at a border. [rad]
  double angle;
};

/// A surface as deformed at this moment, in the axes of its body.
class SurfaceShape {
 public:
  SurfaceShape(const SurfaceTopology& topology, std::span<const Vec3> points)
      : topology_(&topology), points_(points) {}

  const SurfaceTopology& topology() const { return *topology_; }
  const Vec3& point(int i) const { return points_[uz(i)]; }
  const Vec3& corner(int triangle, std::size_t k) const {
    return points_[uz(topology_->triangles()[uz(triangle)][k])];
  }

  /// Of length 1; zero if the triangle has no area.
  Vec3 face_normal(int triangle) const;

  /// Normals of the faces around, weighted by their angles: what is nearest to the point lies
  /// outside exactly where its direction has a positive product with this. Not of length 1.
  Vec3 point_normal(int point) const;

  EdgeShape edge_shape(int edge) const;

  TrianglePoint closest(int triangle, const Vec3& p) const {
    return closest_on_triangle(p, corner(triangle, 0), corner(triangle, 1), corner(triangle, 2));
  }

  /// Whether the point can be nearest to something that lies in the direction -n from it:
  /// no edge from it goes down along n by more than slope (a sine), and it looks that way.
  bool is_lowest_along(int point, const Vec3& n, double slope) const;

  /// Whether p, to which this place on a triangle is the nearest of the surface, lies behind it
  /// or within slack in front of it. Behind the border of an open surface nothing lies.
  bool is_behind(int triangle, const TrianglePoint& on, const Vec3& p, double slack) const;

  /// A point, or a place on an edge, as it stands in its triangle.
  SurfacePoint at_point(int point) const;
  SurfacePoint at_edge(int edge, double share) const;
  SurfacePoint in_triangle(int triangle, const std::array<double, 3>& weight) const {
    return {topology_->triangles()[uz(triangle)], weight};
  }

 private:
  const SurfaceTopology* topology_;
  std::span<const Vec3> points_;
};

}  // namespace stickslip
