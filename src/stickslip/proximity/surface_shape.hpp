#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/body/displacement.hpp"
#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/proximity/surface_topology.hpp"

namespace stickslip {

/// An edge and the faces beside it.
struct EdgeShape {
  Vec3 start;
  Vec3 along;                  ///< from the first end to the second, not of length 1
  std::array<Vec3, 2> normal;  ///< of the faces, of length 1
  std::array<Vec3, 2> inward;  ///< across the edge into each face, of length 1
  bool is_border;              ///< one face only; of the second only `inward` is set, to zero
  Vec3 outward;                ///< between the normals; at a border half-way to the outside
  /// Of the angle between the normals, positive where the surface is convex; a border is taken
  /// for a fold by half a turn.
  double sine;
  double cosine;

  /// Whether it is convex by more than an angle below a right one, given by its sine.
  bool is_convex(double least_sine) const {
    return sine > least_sine || (cosine < 0.0 && sine >= 0.0);
  }
};

/// A face: where a point p projects, and how high above.
struct FaceShape {
  Vec3 corner;  ///< the first
  Vec3 normal;  ///< of length 1; zero if the triangle has no area
  /// Weights 1 and 2 of the projection are the products with p - corner.
  std::array<Vec3, 2> slope;
};

/// A surface as deformed at this moment, in the axes of its body. What is asked of points, faces
/// and edges is computed once for each shape.
class SurfaceShape {
 public:
  SurfaceShape(SurfaceTopology topology, std::span<const Vec3> rest_points);

  /// Takes on a new shape. The points must stay where they are.
  void reshape(std::span<const Vec3> points);
  /// The shape at rest, displaced; what is displaced must stay where it is. Points that nobody asks
  /// for are not placed.
  void reshape(const Displacement& displacement);
  /// The same shape, kept elsewhere.
  void move_points(std::span<const Vec3> points) { points_ = points; }
  void move_displacement(const Displacement& displacement) { displacement_ = &displacement; }

  /// All points.
  std::span<const Vec3> points() const;

  /// Another number for each shape.
  std::uint32_t time() const { return time_; }

  const SurfaceTopology& topology() const { return topology_; }
  const Vec3& point(int i) const {
    if (displacement_ != nullptr && point_times_[uz(i)] != time_) place(i);
    return points_[uz(i)];
  }
  /// Places points together, which takes less than one by one.
  void ask(std::span<const int> points) const {
    if (displacement_ != nullptr) displacement_->ask_points(points);
  }
  const Vec3& corner(int triangle, std::size_t k) const {
    return point(topology_.triangles()[uz(triangle)][k]);
  }

  const FaceShape& face(int triangle) const {
    if (face_times_[uz(triangle)] != time_) compute_face(triangle);
    return faces_[uz(triangle)];
  }
  const Vec3& face_normal(int triangle) const { return face(triangle).normal; }
  const EdgeShape& edge(int edge) const {
    if (edge_times_[uz(edge)] != time_) compute_edge(edge);
    return edges_[uz(edge)];
  }

  /// Normals of the faces around, weighted by their angles: what is nearest to the point lies
  /// outside exactly where its direction has a positive product with this. Not of length 1.
  Vec3 point_normal(int point) const;

  /// The curved surface that the faces stand for, at a place in a triangle.
  struct CurvedPlace {
    Vec3 normal;         ///< of length 1
    double bulge = 0.0;  ///< by which it is outside of the face there; negative where it is inside
  };
  /// Its normal is interpolated between those at the corners, which are means over the faces around
  /// that are turned against this one by less than an angle, given by its cosine. It bulges so that
  /// its slope is that of the normals: a parabola over each edge.
  CurvedPlace curved(int triangle, const std::array<double, 3>& weight, double crease) const;
  /// Whether the surface is bent by more than that angle, or ends, at an edge or around a point.
  bool is_crease(int edge, double crease) const { return this->edge(edge).cosine < crease; }
  bool is_corner(int point, double crease) const;

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
  SurfacePoint at_point(int point) const { return topology_.at_point(point); }
  SurfacePoint at_edge(int edge, double share) const { return topology_.at_edge(edge, share); }
  SurfacePoint in_triangle(int triangle, const std::array<double, 3>& weight) const {
    return {topology_.triangles()[uz(triangle)], weight};
  }

 private:
  void start_shape();
  void place(int point) const {
    point_times_[uz(point)] = time_;
    placed_[uz(point)] = rest_[uz(point)] + (*displacement_)[point];
  }
  void compute_face(int triangle) const;
  void compute_edge(int edge) const;

  SurfaceTopology topology_;
  std::span<const Vec3> points_;
  // what is known of this shape has its time
  std::uint32_t time_ = 0;
  mutable std::vector<FaceShape> faces_;
  mutable std::vector<EdgeShape> edges_;
  mutable std::vector<std::uint32_t> face_times_, edge_times_;
  // of a shape that is displaced where it is asked for
  const Displacement* displacement_ = nullptr;
  std::vector<Vec3> rest_;
  mutable std::vector<Vec3> placed_;
  mutable std::vector<std::uint32_t> point_times_;
};

}  // namespace stickslip
