#pragma once

#include <vector>

#include "stickslip/proximity/leaf_shape.hpp"

namespace stickslip {

/// How near is near, in the scale of the two surfaces.
struct ContactLimits {
  double alarm_distance;  ///< [m]
  double max_depth;       ///< of what counts as overlap [m]
  double touching;        ///< below this two places are one [m]
  double slope;           ///< sine of the angle by which a cone of normals is widened
  double flat_sine;       ///< edges bent by less than that are flat

  double reach() const { return alarm_distance > max_depth ? alarm_distance : max_depth; }
};

/// A vertex of one body and a place on the surface of another, in the axes of the latter.
struct VertexContact {
  int vertex;
  int triangle;
  std::array<double, 3> weight;
  Vec3 normal;  ///< out of the surface, toward the vertex
  double gap;
  Vec3 place;       ///< on the surface
  Vec3 offset;      ///< from there to the vertex
  int corner = -1;  ///< the point or edge of the surface it lies on, if it does
  int edge = -1;
  double bulge = 0.0;       ///< of the curved surface over the place; the gap is from there
  bool is_guessed = false;  ///< nothing but the position says where the normal goes
};

/// Finds the contacts of the vertices of one body with the surface of another.
///
/// The distance from a vertex to the surface has local minima inside faces, on convex edges and
/// at convex corners. Those in front of the surface count where the vertex is lowest along the
/// direction. A vertex behind the surface has come through the nearest face that it faces.
/// Under a concave edge it violates the faces on both sides, and both are reported.
class VertexSearch {
 public:
  /// Forgets the candidates of the last pair of bodies.
  void start() { hits_.clear(); }

  /// Looks at one vertex, at p in the axes of the surface, and one leaf of the surface's tree.
  void test(const SurfaceShape& surface, const SurfaceTree& tree, int leaf, const LeafShape& packed,
            int vertex, const Vec3& p, const ContactLimits& limits);

  /// Adds the contacts among the candidates; `turn` leads from the axes of the surface to those
  /// of the vertices.
  void finish(const SurfaceShape& surface, const SurfaceShape& vertices, const Mat3& turn,
              const ContactLimits& limits, std::vector<VertexContact>& contacts);

 private:
  void test_triangle(const SurfaceShape& surface, int vertex, const Vec3& p, int triangle,
                     const ContactLimits& limits);

  struct Hit {
    int vertex;
    int triangle;
    TrianglePoint on;
    Vec3 offset;      ///< from the place to the vertex
    double distance;  ///< its length
    Vec3 normal;      ///< of the face
    double height;    ///< over the plane of the face
    bool is_minimum;  ///< no triangle around is nearer
    bool is_above;    ///< the vertex projects into the face
    bool is_under_valley;
  };

  void resolve(std::span<const Hit> hits, const SurfaceShape& surface, const SurfaceShape& vertices,
               const Mat3& turn, const ContactLimits& limits, std::vector<VertexContact>& contacts);

  /// A face on or behind which the vertex lies, and the contact it went into, or its hit.
  struct Touch {
    Vec3 place;
    Vec3 normal;
    std::size_t contact;
  };

  /// Moves a contact, of a vertex behind the faces in touching_, to where the normal leaves them.
  void leave_along(const SurfaceShape& surface, std::span<const Hit> hits, const Vec3& normal,
                   VertexContact& contact) const;

  std::vector<Hit> hits_;
  std::vector<Touch> touching_;
  std::vector<VertexContact> kept_;
};

}  // namespace stickslip
