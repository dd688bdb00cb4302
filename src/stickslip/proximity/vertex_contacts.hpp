#pragma once

#include <vector>

#include "stickslip/proximity/leaf_shape.hpp"
#include "stickslip/proximity/vertex_resolution.hpp"

namespace stickslip {

/// Finds the contacts of the vertices of one body with the surface of another.
///
/// The distance from a vertex to the surface has local minima inside faces, on convex edges and
/// at convex corners. Those in front of the surface count where the vertex is lowest along the
/// direction. A vertex behind the surface has come through the nearest face that it faces.
/// Under a concave edge it violates the faces on both sides, and both are reported.
class VertexSearch {
 public:
  void reserve(int contacts);

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

  std::vector<VertexHit> hits_;
  VertexResolution resolution_;
};

}  // namespace stickslip
