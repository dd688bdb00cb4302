#pragma once

#include <span>
#include <vector>

#include "stickslip/proximity/surface_shape.hpp"

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

/// A vertex and the nearest place of one triangle: what may become a contact.
struct VertexHit {
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

/// The two surfaces of a search.
struct VertexSides {
  const SurfaceShape& surface;
  const SurfaceShape& vertices;
  const Mat3& turn;  ///< from the axes of the surface to those of the vertices
  const ContactLimits& limits;
};

/// Decides which of the places near a vertex are contacts.
class VertexResolution {
 public:
  void reserve();

  /// Adds the contacts among the hits, which are all those of one vertex.
  void resolve(std::span<const VertexHit> hits, const VertexSides& sides,
               std::vector<VertexContact>& contacts);

 private:
  /// The vertex at hand.
  struct Subject {
    std::span<const VertexHit> hits;
    const VertexSides& sides;
    const VertexHit* nearest;
    bool touches;
    bool may_be_inside;

    bool is_lowest(const Vec3& normal) const;
    VertexContact contact(const VertexHit& hit, const Vec3& normal) const;
  };

  /// A face on or behind which the vertex lies, and the contact it went into, or its hit.
  struct Touch {
    Vec3 place;
    Vec3 normal;
    std::size_t contact;
  };

  void add_before_faces(const Subject& subject);
  void add_before_edges(const Subject& subject);
  void add_on_faces(const Subject& subject);
  void add_behind_faces(const Subject& subject);
  void add_under_valleys(const Subject& subject);
  void add_guess(const Subject& subject);
  void give_to_owners(const SurfaceTopology& topology);

  bool is_known(const VertexContact& other, double distance) const;
  bool is_among_touching(const Vec3& normal) const;
  /// Moves a contact, of a vertex behind the faces in touching_, to where the normal leaves them.
  void leave_along(const Subject& subject, const Vec3& normal, VertexContact& contact) const;

  std::vector<Touch> touching_;
  std::vector<VertexContact> kept_;
};

}  // namespace stickslip
