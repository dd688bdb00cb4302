#include "stickslip/motion/passed_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/proximity/feature_distance.hpp"

namespace stickslip {

namespace {

// cosine of the angle to its normal at which what is near counts as beside, not in front
constexpr double beside_cosine = 0.5;

/// A surface at the end of a step.
struct EndSurface {
  const SurfaceTopology& topology;
  const Body& body;
  const BodyState& state;

  Vec3 point(int i) const { return body.position(state, topology.at_point(i)); }
  Vec3 normal(int triangle) const {
    const auto& corners = topology.triangles()[uz(triangle)];
    const Vec3 a = point(corners[0]);
    return (point(corners[1]) - a).cross(point(corners[2]) - a).normalized();
  }
  TrianglePoint closest(int triangle, const Vec3& p) const {
    const auto& corners = topology.triangles()[uz(triangle)];
    return closest_on_triangle(p, point(corners[0]), point(corners[1]), point(corners[2]));
  }
};

struct EndPlace {
  Vec3 point;
  int triangle;
};

/// The nearest place of a surface, where it may touch, that one comes to from a triangle.
EndPlace nearest_from(const EndSurface& surface, int triangle, const Vec3& p) {
  TrianglePoint nearest = surface.closest(triangle, p);
  constexpr int most_triangles = 100;
  for (int k = 0; k < most_triangles; ++k) {
    const int before = triangle;
    const auto corners = surface.topology.triangles()[uz(before)];
    const TrianglePoint from = nearest;
    for (std::size_t c = 0; c < 3; ++c) {
      if (from.weight[c] == 0.0) continue;
      for (const int other : surface.topology.triangles_around(corners[c])) {
        if (!surface.topology.may_touch(other)) continue;
        const TrianglePoint candidate = surface.closest(other, p);
        if (candidate.squared_distance < nearest.squared_distance) {
          nearest = candidate;
          triangle = other;
        }
      }
    }
    if (triangle == before) break;
  }
  return {nearest.point, triangle};
}

bool is_beside(const Vec3& apart, const Vec3& normal, double least) {
  const double distance = apart.norm();
  return distance > least && std::abs(apart.dot(normal)) < beside_cosine * distance;
}

/// How deep a point is, at the deepest, behind both the plane that it met and the one in front of
/// which it ends; infinite where it ends behind the surface, or round a sharp corner.
double cut_of(const Meeting& hit, const EndSurface& surface, int triangle, const Vec3& met_normal,
              const Vec3& end, const Vec3& way, double least) {
  const EndPlace nearest = nearest_from(surface, triangle, end);
  const Vec3 normal = surface.normal(nearest.triangle);
  const double in_front = (end - nearest.point).dot(normal);
  if (in_front < -least || normal.dot(met_normal) < beside_cosine) {
    return std::numeric_limits<double>::infinity();
  }
  const double left = 1.0 - hit.time;
  const double leaves = left * way.dot(normal);
  const double behind_at_meeting = leaves - in_front;
  if (behind_at_meeting <= 0.0) return 0.0;
  return hit.depth * behind_at_meeting / (hit.depth + leaves);
}

}  // namespace

bool goes_round_bend(const Meeting& hit, std::span<const MovingBody> moving,
                     std::span<const BodyState> next, const SurfaceTopology& topology_1,
                     const SurfaceTopology& topology_2, double most, double least) {
  const Proximity& where = hit.where;
  const auto b1 = uz(where.body_1);
  const auto b2 = uz(where.body_2);
  const EndSurface one{topology_1, *moving[b1].body, next[b1]};
  const EndSurface two{topology_2, *moving[b2].body, next[b2]};
  const Vec3 P = one.body.position(one.state, where.P);
  const Vec3 Q = two.body.position(two.state, where.Q);
  const Vec3 way = P - one.body.position(*moving[b1].state, where.P) - Q +
                   two.body.position(*moving[b2].state, where.Q);
  const bool is_edge = where.kind == FeatureKind::edge_edge;
  if (where.kind == FeatureKind::supplied || is_exact(where.kind)) return false;
  if (where.kind == FeatureKind::vertex_face || is_edge) {
    const int from = is_edge ? topology_2.triangle_of_edge(where.feature_2) : where.feature_2;
    if (cut_of(hit, two, from, where.normal, P, way, least) > most) return false;
  }
  if (where.kind == FeatureKind::face_vertex || is_edge) {
    const int from = is_edge ? topology_1.triangle_of_edge(where.feature_1) : where.feature_1;
    if (cut_of(hit, one, from, -where.normal, Q, -way, least) > most) return false;
  }
  return true;
}

bool has_passed(const Contact& contact, std::span<const MovingBody> moving,
                std::span<const BodyState> next, const SurfaceTopology& topology_1,
                const SurfaceTopology& topology_2, double least) {
  const Proximity& where = contact.where;
  const Vec3 normal = contact.axes.row(0);
  const auto b1 = uz(where.body_1);
  const auto b2 = uz(where.body_2);
  const EndSurface one{topology_1, *moving[b1].body, next[b1]};
  const EndSurface two{topology_2, *moving[b2].body, next[b2]};
  switch (where.kind) {
    case FeatureKind::vertex_face: {
      const Vec3 p = one.point(where.feature_1);
      return is_beside(p - nearest_from(two, where.feature_2, p).point, normal, least);
    }
    case FeatureKind::face_vertex: {
      const Vec3 p = two.point(where.feature_2);
      return is_beside(nearest_from(one, where.feature_1, p).point - p, normal, least);
    }
    case FeatureKind::edge_edge: {
      // where the lines cross
      const auto& ends_1 = topology_1.edges()[uz(where.feature_1)].point;
      const auto& ends_2 = topology_2.edges()[uz(where.feature_2)].point;
      const Vec3 start_1 = one.point(ends_1[0]);
      const Vec3 start_2 = two.point(ends_2[0]);
      const Vec3 u = one.point(ends_1[1]) - start_1;
      const Vec3 v = two.point(ends_2[1]) - start_2;
      const Vec3 across = u.cross(v);
      const double squared = across.squaredNorm();
      const double share_1 = v.cross(start_1 - start_2).dot(across) / squared;
      const double share_2 = u.cross(start_1 - start_2).dot(across) / squared;
      const bool is_on_1 = share_1 >= 0.0 && share_1 <= 1.0;
      const bool is_on_2 = share_2 >= 0.0 && share_2 <= 1.0;
      if (is_on_1 && is_on_2) return false;

      // past the end of one another may go on where it led
      if (is_on_2) {
        const Vec3 p = start_2 + share_2 * v;
        const Vec3 q = nearest_from(one, topology_1.triangle_of_edge(where.feature_1), p).point;
        return is_beside(q - p, normal, least);
      }
      const Vec3 p = start_1 + std::clamp(share_1, 0.0, 1.0) * u;
      const Vec3 q = nearest_from(two, topology_2.triangle_of_edge(where.feature_2), p).point;
      return is_beside(p - q, normal, least);
    }
    default:
      return false;
  }
}

}  // namespace stickslip
