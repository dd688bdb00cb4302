#include "stickslip/proximity/vertex_contacts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// whether a triangle around the feature is nearer to p; the lower index wins among equals, so
// that at least one of them stays
bool has_nearer_neighbour(const SurfaceShape& surface, int triangle, const TrianglePoint& on,
                          const Vec3& p) {
  const SurfaceTopology& topology = surface.topology();
  const auto is_nearer = [&](int other) {
    if (other < 0 || other == triangle) return false;
    const double squared = surface.closest(other, p).squared_distance;
    return squared < on.squared_distance || (squared == on.squared_distance && other < triangle);
  };
  const auto& corners = topology.triangles()[uz(triangle)];
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] == 1.0) {
      const auto around = topology.triangles_around(corners[k]);
      return std::any_of(around.begin(), around.end(), is_nearer);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 0.0) continue;
    const auto& both = topology.edges()[uz(topology.triangle_edges(triangle)[k])].triangle;
    return is_nearer(both[0]) || is_nearer(both[1]);
  }
  return false;
}

// whether p lies outside a triangle only across concave edges, and behind the faces there
bool is_under_valley(const SurfaceShape& surface, int triangle, const Vec3& normal, const Vec3& p,
                     double max_depth) {
  const SurfaceTopology& topology = surface.topology();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& a = surface.corner(triangle, (k + 1) % 3);
    const Vec3& b = surface.corner(triangle, (k + 2) % 3);
    if (normal.cross(b - a).dot(p - a) >= 0.0) continue;
    const auto& both = topology.edges()[uz(topology.triangle_edges(triangle)[k])].triangle;
    const int other = both[0] == triangle ? both[1] : both[0];
    if (other < 0) return false;
    const Vec3& other_normal = surface.face_normal(other);
    const double height = other_normal.dot(p - a);
    const bool is_concave = other_normal.dot(surface.corner(triangle, k) - a) > 0.0;
    if (!is_concave || height > 0.0 || height < -max_depth) return false;
  }
  return true;
}

}  // namespace

void VertexSearch::reserve(int contacts) {
  constexpr int hits_a_contact = 32;
  hits_.reserve(uz(hits_a_contact * contacts));
  resolution_.reserve();
}

void VertexSearch::test(const SurfaceShape& surface, const SurfaceTree& tree, int leaf,
                        const LeafShape& packed, int vertex, const Vec3& p,
                        const ContactLimits& limits) {
  const SurfaceTopology& topology = surface.topology();

  // faces over or under which it lies
  const auto faces = tree.faces(leaf);
  unsigned found = faces_along_normal(packed, p, limits.alarm_distance, limits.max_depth) &
                   ((1U << faces.size()) - 1U);
  for (; found != 0; found &= found - 1) {
    test_triangle(surface, vertex, p, faces[uz(std::countr_zero(found))], limits);
  }

  // edges that are nearer than what is beside them; the nearer of two triangles stands for both
  const auto nearest_of = [&](std::span<const int> triangles) {
    int nearest = -1;
    double least = std::numeric_limits<double>::max();
    for (const int t : triangles) {
      if (t < 0) continue;
      const double squared = surface.closest(t, p).squared_distance;
      if (squared < least || (squared == least && t < nearest)) {
        least = squared;
        nearest = t;
      }
    }
    return nearest >= 0 && topology.may_touch(nearest) ? nearest : -1;
  };
  const auto edges = tree.own_edges(leaf);
  found = edges_nearest(packed, p, limits.reach(), limits.touching);
  for (; found != 0; found &= found - 1) {
    const SurfaceEdge& edge = topology.edges()[uz(edges[uz(std::countr_zero(found))])];
    const int triangle = nearest_of(edge.triangle);
    if (triangle >= 0) test_triangle(surface, vertex, p, triangle, limits);
  }

  // valleys under which it lies
  for (int i = 0; i < packed.concave_count; ++i) {
    const int e = packed.concave[uz(i)];
    const EdgeShape& shape = surface.edge(e);
    const Vec3 d = p - shape.start;
    for (std::size_t side = 0; side < 2; ++side) {
      const int triangle = topology.edges()[uz(e)].triangle[side];
      if (d.dot(shape.inward[side]) <= limits.touching && d.dot(shape.normal[1 - side]) <= 0.0 &&
          topology.may_touch(triangle)) {
        test_triangle(surface, vertex, p, triangle, limits);
      }
    }
  }

  // corners that are nearer than all around them
  const double squared_reach = limits.reach() * limits.reach();
  for (const int corner : tree.own_points(leaf)) {
    const Vec3 d = p - surface.point(corner);
    if (d.squaredNorm() > squared_reach) continue;
    const auto neighbours = topology.neighbours(corner);
    const bool is_nearest = std::all_of(neighbours.begin(), neighbours.end(), [&](int neighbour) {
      const Vec3 edge = surface.point(neighbour) - surface.point(corner);
      const double product = edge.dot(d);
      return product <= 0.0 ||
             product * product <= limits.touching * limits.touching * edge.squaredNorm();
    });
    if (!is_nearest) continue;
    const int triangle = nearest_of(topology.triangles_around(corner));
    if (triangle >= 0) test_triangle(surface, vertex, p, triangle, limits);
  }
}

void VertexSearch::test_triangle(const SurfaceShape& surface, int vertex, const Vec3& p,
                                 int triangle, const ContactLimits& limits) {
  const FaceShape& face = surface.face(triangle);
  VertexHit hit{vertex, triangle, {}, Vec3::Zero(), 0.0, face.normal, 0.0, false, false, false};

  // well inside the face, or else to be looked at closely
  const Vec3 d = p - face.corner;
  const double weight_1 = d.dot(face.slope[0]);
  const double weight_2 = d.dot(face.slope[1]);
  const double weight_0 = 1.0 - weight_1 - weight_2;
  if (std::min({weight_0, weight_1, weight_2}) > 1e-6) {
    hit.height = d.dot(face.normal);
    hit.offset = hit.height * face.normal;
    hit.distance = std::abs(hit.height);
    hit.on = {p - hit.offset, {weight_0, weight_1, weight_2}, hit.height * hit.height};
    hit.is_above = hit.is_minimum = true;
    if (hit.distance <= limits.reach()) hits_.push_back(hit);
    return;
  }
  hit.on = surface.closest(triangle, p);
  if (hit.on.squared_distance > limits.reach() * limits.reach()) return;
  const int corners = hit.on.corners();
  hit.offset = p - hit.on.point;
  hit.distance = std::sqrt(hit.on.squared_distance);
  hit.height = hit.offset.dot(hit.normal);
  const double beside_squared = (hit.offset - hit.height * hit.normal).squaredNorm();
  const bool has_area = !hit.normal.isZero(0.0);
  hit.is_above = has_area && (corners == 7 || beside_squared <= limits.touching * limits.touching);
  hit.is_minimum = corners == 7 || !has_nearer_neighbour(surface, triangle, hit.on, p);
  if (!hit.is_above && has_area) {
    hit.is_under_valley = is_under_valley(surface, triangle, hit.normal, p, limits.max_depth);
  }
  if (hit.is_minimum || hit.is_above || hit.is_under_valley) hits_.push_back(hit);
}

void VertexSearch::finish(const SurfaceShape& surface, const SurfaceShape& vertices,
                          const Mat3& turn, const ContactLimits& limits,
                          std::vector<VertexContact>& contacts) {
  // each once, in order
  std::sort(hits_.begin(), hits_.end(), [](const VertexHit& a, const VertexHit& b) {
    return std::pair(a.vertex, a.triangle) < std::pair(b.vertex, b.triangle);
  });
  hits_.erase(std::unique(hits_.begin(), hits_.end(),
                          [](const VertexHit& a, const VertexHit& b) {
                            return a.vertex == b.vertex && a.triangle == b.triangle;
                          }),
              hits_.end());

  // vertex by vertex
  const VertexSides sides{surface, vertices, turn, limits};
  for (std::size_t first = 0; first < hits_.size();) {
    std::size_t end = first + 1;
    while (end < hits_.size() && hits_[end].vertex == hits_[first].vertex) ++end;
    resolution_.resolve(std::span(hits_).subspan(first, end - first), sides, contacts);
    first = end;
  }
}

}  // namespace stickslip
