#pragma once

#include <span>
#include <vector>

#include "stickslip/mesh/exact_shape.hpp"
#include "stickslip/proximity/proximity.hpp"
#include "stickslip/proximity/vertex_contacts.hpp"

namespace stickslip {

/// A body of a pair of which at least one is an exact shape.
struct ShapeBody {
  int number;
  const ExactShape* shape;        ///< null where its triangles are what there is
  const SurfaceShape* surface;    ///< those triangles, or the ones that stand for the shape
  const SurfaceTree* tree;        ///< over them
  std::span<const char> is_flat;  ///< points in the middle of what is flat and stays so
  bool deforms;
  Mat3 R;
  Vec3 position;
};

/// Contacts of exact shapes, with surfaces and with each other: gap and normal are those of the
/// shapes, none of their facets takes part. A point on a shape is named by the facet below: the
/// weights of its corners reach out from it, and their sum is not 1.
///
/// Two convex things are nearest where the signed distance function of the one is least over the
/// other. With a surface these places are
///
/// - vertices and convex edges of it, by the distance function of the shape,
/// - faces of it, by what the shape has farthest along their normals (support mapping): a place on
///   each round end, or on the rim of each flat one, so that what lies has a contact at either end;
///   a flat end that stands has eight places on its rim.
///
/// A face that deforms turns under its contact, and where it is touched goes the other way: with
/// one contact it would turn to and fro from step to step. It has others a little beside, as edges
/// that deform have; among them it finds its rest.
///
/// Between shapes: the ends, axis and rims of each by the distance function of the other.
class ShapeContacts {
 public:
  void reserve(std::size_t contacts, std::size_t leaf_pairs) {
    touches_.reserve(contacts);
    leaves_.reserve(leaf_pairs);
  }

  /// Adds the contacts of a pair. `near` has the leaves of both that are within reach.
  void find(const ShapeBody& one, const ShapeBody& two, std::span<const LeafPair> near,
            const ContactLimits& limits, std::vector<Proximity>& found);

  /// How far a shape is outside of the triangles that stand for it, at most. [m]
  static double bulge(const ExactShape& shape, const Surface& surface);

  /// The gap that a contact found here has where its bodies are now, between the same features.
  /// `linear` is what is left for contacts of axes and rims of two shapes, and for what has gone
  /// through. [m]
  static double gap_of(const Proximity& where, const ShapeBody& one, const ShapeBody& two,
                       double linear);

 private:
  /// A contact of a shape in its axes.
  struct Touch {
    Vec3 on_shape;
    Vec3 normal;  ///< out of the shape
    double gap;
    int feature;  ///< of what names it
    int other_feature;
    bool is_named_by_shape;
    // on the other body: on its triangles, or where it is exact too, in its own axes
    SurfacePoint on_surface;
    Vec3 on_other;
  };

  void touch_surface(const ShapeBody& shape, const ShapeBody& other, const ContactLimits& limits);
  void touch_vertex(const ShapeBody& shape, const ShapeBody& other, int vertex,
                    const ContactLimits& limits);
  void touch_edge(const ShapeBody& shape, const ShapeBody& other, int edge,
                  const ContactLimits& limits);
  void touch_face(const ShapeBody& shape, const ShapeBody& other, int triangle,
                  const ContactLimits& limits);
  void add_place_on_edge(const ShapeBody& other, int edge, double share, int number,
                         const ExactShape::Nearest& nearest, const ContactLimits& limits);

  /// Ends, axis and rims of one against the distance function of another.
  void probe(const ExactShape& one, const ExactShape& two, bool is_two_first,
             const ContactLimits& limits);
  void probe_axis(const ExactShape& one, const ExactShape& two, bool is_two_first,
                  const ContactLimits& limits);
  /// The least places of a rim, and others around it where it is level.
  void probe_rim(int k, const ExactShape& one, const ExactShape& two, bool is_two_first,
                 const ContactLimits& limits);
  void add_probe(const Vec3& centre, double radius, int feature, const ExactShape& two,
                 bool is_two_first, const ContactLimits& limits);
  void cross_axes(const ExactShape& one, const ExactShape& two, const ContactLimits& limits);
  void drop_doubles(double distance);
  void add_found(const ShapeBody& shape, const ShapeBody& other, bool is_shape_first,
                 std::vector<Proximity>& found) const;

  Placement to_shape_;  ///< from the axes of the other body
  Placement to_other_;
  std::vector<int> leaves_;
  std::vector<Touch> touches_;
};

}  // namespace stickslip
