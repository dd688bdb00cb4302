#include "stickslip/proximity/edge_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// whether n lies between the normals of the faces beside an edge; it is perpendicular to the edge
bool is_between_normals(const EdgeShape& edge, const Vec3& n, const ContactLimits& limits) {
  if (n.dot(edge.outward) <= 0.0) return false;
  const double half_sine = std::sqrt(std::max(0.0, 0.5 * (1.0 - edge.cosine)));
  const double slack = std::min(limits.slope, half_sine);
  if (edge.is_border) return n.dot(edge.inward[0]) <= slack && n.dot(edge.normal[0]) >= -1e-9;
  return n.dot(edge.inward[0]) <= slack && n.dot(edge.inward[1]) <= slack;
}

}  // namespace

bool find_edge_contact(const SurfaceShape& body_1, int edge_1, const Vec3& a, const Vec3& u,
                       const SurfaceShape& body_2, int edge_2, const Mat3& turn,
                       const ContactLimits& limits, EdgeContact& contact) {
  // where the common perpendicular meets the lines
  const EdgeShape& shape_2 = body_2.edge(edge_2);
  const Vec3& c = shape_2.start;
  const Vec3& v = shape_2.along;
  const Vec3 across = u.cross(v);
  const double squared = across.squaredNorm();
  if (squared <= parallel_sine * parallel_sine * u.squaredNorm() * v.squaredNorm()) return false;
  const Vec3 ca = a - c;
  const double distance = ca.dot(across) / std::sqrt(squared);
  if (std::abs(distance) > limits.reach()) return false;
  const double s = v.cross(ca).dot(across);
  const double t = u.cross(ca).dot(across);
  if (s <= 0.0 || s >= squared || t <= 0.0 || t >= squared) return false;

  // at its end an edge is left to the vertex
  const double share_1 = s / squared;
  const double share_2 = t / squared;
  const double ends = limits.touching * limits.touching;
  const double margin_1 = std::min(share_1, 1.0 - share_1);
  const double margin_2 = std::min(share_2, 1.0 - share_2);
  if (margin_1 * margin_1 * u.squaredNorm() <= ends ||
      margin_2 * margin_2 * v.squaredNorm() <= ends) {
    return false;
  }

  // both edges look at each other along it
  if (!shape_2.is_convex(limits.flat_sine)) return false;
  Vec3 normal = across / std::sqrt(squared);
  if (normal.dot(shape_2.outward) < 0.0) normal = -normal;
  const double gap = ca.dot(normal);
  if (gap > limits.alarm_distance || gap < -limits.max_depth) return false;
  if (!is_between_normals(shape_2, normal, limits)) return false;
  const EdgeShape& shape_1 = body_1.edge(edge_1);
  if (!shape_1.is_convex(limits.flat_sine)) return false;
  if (!is_between_normals(shape_1, -(turn * normal), limits)) return false;

  contact = {edge_1, edge_2, share_1, share_2, normal, gap, c + share_2 * v, gap * normal};
  return true;
}

}  // namespace stickslip
