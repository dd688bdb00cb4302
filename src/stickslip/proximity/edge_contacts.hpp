#pragma once

#include <vector>

#include "stickslip/proximity/vertex_contacts.hpp"

namespace stickslip {

/// Two edges that cross at a distance, in the axes of body 2.
struct EdgeContact {
  int edge_1;
  int edge_2;
  double share_1;  ///< of the way along each edge
  double share_2;
  Vec3 normal;  ///< out of body 2, into body 1
  double gap;
  Vec3 place;   ///< on body 2
  Vec3 offset;  ///< from there to the place on body 1
};

/// The contact of edge_1, from a to a + u in the axes of body 2, with edge_2: the
/// common perpendicular meets both and lies between the normals of the faces beside each of
/// them. Flat, concave and parallel edges have none. `turn` leads from the axes of body 2 to
/// those of body 1. Whether overlapping edges are really inside each other is not checked.
bool find_edge_contact(const SurfaceShape& body_1, int edge_1, const Vec3& a, const Vec3& u,
                       const SurfaceShape& body_2, int edge_2, const Mat3& turn,
                       const ContactLimits& limits, EdgeContact& contact);

}  // namespace stickslip
