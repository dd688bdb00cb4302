#include "stickslip/simulation/start_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/scene/scene_surfaces.hpp"
#include "stickslip/simulation/shape_overlap.hpp"

namespace stickslip {

namespace {

using Edge = std::pair<int, int>;

/// A surface where it stands at the start.
struct Placed {
  std::vector<Vec3> points;
  const std::vector<std::array<int, 3>>* triangles;
  std::vector<Edge> edges;
  bool is_closed = true;
  Eigen::AlignedBox3d box;
  double edge_length = 0.0;           ///< mean
  const ExactShape* shape = nullptr;  ///< that the triangles stand for
  Pose pose;                          ///< of the shape

  Vec3 to_world(const Vec3& p) const { return pose.position + pose.orientation * p; }
  Vec3 to_shape(const Vec3& p) const { return pose.orientation.conjugate() * (p - pose.position); }
  const Vec3& corner(const std::array<int, 3>& triangle, std::size_t k) const {
    return points[uz(triangle[k])];
  }
};

/// All but the points, which move.
Placed outline(const Surface& surface) {
  Placed placed;
  placed.triangles = &surface.triangles;
  std::map<Edge, int> uses;
  for (const auto& [a, b, c] : surface.triangles) {
    for (const Edge edge : {std::minmax(a, b), std::minmax(b, c), std::minmax(c, a)}) {
      ++uses[edge];
    }
  }
  for (const auto& [edge, count] : uses) {
    placed.edges.push_back(edge);
    placed.is_closed &= count % 2 == 0;
    placed.edge_length += (surface.points[uz(edge.first)] - surface.points[uz(edge.second)]).norm();
  }
  placed.edge_length /= static_cast<double>(std::max<std::size_t>(1, uses.size()));
  return placed;
}

void place(const SceneBody& body, Placed& placed) {
  const BodyState state = body.body.initial_state(body.position, body.orientation);
  placed.points.resize(body.body.surface().points.size());
  body.body.surface_positions(state, placed.points);
  placed.box.setEmpty();
  for (const Vec3& point : placed.points) placed.box.extend(point);
  if (!body.exact) return;
  placed.shape = &*body.exact;
  placed.pose = {state.frame.position, state.frame.orientation};
  for (int k = 0; k < placed.shape->end_count(); ++k) {
    for (int i = 0; i < 3; ++i) {
      const Vec3 local = placed.pose.orientation.conjugate() * Vec3::Unit(i);
      placed.box.extend(placed.to_world(placed.shape->support(k, local)));
      placed.box.extend(placed.to_world(placed.shape->support(k, -local)));
    }
  }
}

/// How often the surface goes around a point: 1 inside, 0 outside.
double winding_number(const Placed& surface, const Vec3& point) {
  double sum = 0.0;
  for (const auto& triangle : *surface.triangles) {
    const Vec3 a = surface.corner(triangle, 0) - point;
    const Vec3 b = surface.corner(triangle, 1) - point;
    const Vec3 c = surface.corner(triangle, 2) - point;
    const double la = a.norm();
    const double lb = b.norm();
    const double lc = c.norm();
    // solid angle of a triangle (van Oosterom and Strackee)
    sum +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (2.0 * std::numbers::pi);
}

/// Whether a ray along x leaves a surface more often than it enters. A quick guess: wrong where the
/// ray just grazes something.
bool seems_inside(const Placed& surface, const Vec3& point) {
  // off the lines that regular meshes have
  const double off = 1e-7 * surface.box.diagonal().norm();
  const double y = point.y() + 0.618 * off;
  const double z = point.z() + 0.271 * off;
  bool is_inside = false;
  for (const auto& triangle : *surface.triangles) {
    const Vec3& a = surface.corner(triangle, 0);
    const Vec3& b = surface.corner(triangle, 1);
    const Vec3& c = surface.corner(triangle, 2);
    // twice the areas that the ray's foot spans with the sides, seen along x
    const double ab = (a.y() - y) * (b.z() - z) - (b.y() - y) * (a.z() - z);
    const double bc = (b.y() - y) * (c.z() - z) - (c.y() - y) * (b.z() - z);
    const double ca = (c.y() - y) * (a.z() - z) - (a.y() - y) * (c.z() - z);
    const bool is_hit = (ab > 0.0) == (bc > 0.0) && (bc > 0.0) == (ca > 0.0);
    if (!is_hit) continue;
    const double x = (bc * a.x() + ca * b.x() + ab * c.x()) / (ab + bc + ca);
    if (x > point.x()) is_inside = !is_inside;
  }
  return is_inside;
}

/// The nearest place on a surface.
struct Foot {
  Vec3 way = Vec3::Zero();  ///< from the point to it
  double distance = std::numeric_limits<double>::infinity();
  double height = 0.0;  ///< of the point over the face there
};

Foot foot_of(const Placed& surface, const Vec3& point) {
  Foot foot;
  for (const auto& triangle : *surface.triangles) {
    const Vec3& a = surface.corner(triangle, 0);
    const Vec3& b = surface.corner(triangle, 1);
    const Vec3& c = surface.corner(triangle, 2);
    const TrianglePoint found = closest_on_triangle(point, a, b, c);
    const double distance = std::sqrt(found.squared_distance);
    if (distance >= foot.distance) continue;
    const Vec3 normal = (b - a).cross(c - a).stableNormalized();
    foot = {found.point - point, distance, normal.dot(point - a)};
  }
  return foot;
}

bool crosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double side_p = tet_volume(a, b, c, p);
  const double side_q = tet_volume(a, b, c, q);
  if (side_p * side_q >= 0.0) return false;
  const double ab = tet_volume(p, q, a, b);
  const double bc = tet_volume(p, q, b, c);
  const double ca = tet_volume(p, q, c, a);
  return (ab >= 0.0 && bc >= 0.0 && ca >= 0.0) || (ab <= 0.0 && bc <= 0.0 && ca <= 0.0);
}

/// Whether an edge of one surface goes through a triangle of the other.
bool goes_through(const Placed& one, const Placed& surface) {
  return std::any_of(one.edges.begin(), one.edges.end(), [&](const Edge& edge) {
    const Vec3& p = one.points[uz(edge.first)];
    const Vec3& q = one.points[uz(edge.second)];
    Eigen::AlignedBox3d box(p.cwiseMin(q), p.cwiseMax(q));
    if (!box.intersects(surface.box)) return false;
    return std::any_of(surface.triangles->begin(), surface.triangles->end(),
                       [&](const auto& triangle) {
                         return crosses(p, q, surface.corner(triangle, 0),
                                        surface.corner(triangle, 1), surface.corner(triangle, 2));
                       });
  });
}

void take_deeper(double depth, const Vec3& normal, StartOverlap& overlap) {
  if (depth <= overlap.depth) return;
  overlap.depth = depth;
  overlap.normal = normal;
}

/// The deepest of a surface inside a shape; the normal is its way out.
void look_into_shape(const Placed& surface, const Placed& shape, double sign,
                     StartOverlap& overlap) {
  for (const auto& triangle : *surface.triangles) {
    const DepthInShape found =
        depth_in_shape(*shape.shape, {shape.to_shape(surface.corner(triangle, 0)),
                                      shape.to_shape(surface.corner(triangle, 1)),
                                      shape.to_shape(surface.corner(triangle, 2))});
    take_deeper(found.depth, sign * (shape.pose.orientation * found.normal), overlap);
  }
}

/// The deepest of one shape inside another.
void look_at_shapes(const Placed& one, const Placed& other, double sign, StartOverlap& overlap) {
  const Pose placed{other.to_shape(one.pose.position),
                    other.pose.orientation.conjugate() * one.pose.orientation};
  const DepthInShape found = depth_in_shape(*other.shape, *one.shape, placed);
  take_deeper(found.depth, sign * (other.pose.orientation * found.normal), overlap);
}

/// Looks at what a shape has farthest below each face that it is over.
template <class Look>
void look_below_faces(const Placed& shape, const Placed& surface, const Look& look) {
  for (const auto& triangle : *surface.triangles) {
    const Vec3& a = surface.corner(triangle, 0);
    const Vec3& b = surface.corner(triangle, 1);
    const Vec3& c = surface.corner(triangle, 2);
    const Vec3 normal = (b - a).cross(c - a).stableNormalized();
    for (int k = 0; k < shape.shape->end_count(); ++k) {
      const Vec3 lowest = shape.to_world(
          shape.shape->support(k, shape.pose.orientation.conjugate() * Vec3(-normal)));
      const double height = normal.dot(lowest - a);
      const double squared_distance = closest_on_triangle(lowest, a, b, c).squared_distance;
      if (height < 0.0 && squared_distance <= (1.0 + 1e-9) * height * height) look(lowest);
    }
  }
}

/// The deepest of the points of one body inside another; the normal is its way out.
void look_for_deepest(const Placed& one, const Placed& other, double sign, StartOverlap& overlap) {
  // what a shape goes through is inside of it
  const auto goes_in = [&] {
    return one.shape != nullptr ? overlap.depth > 0.0 : goes_through(one, other);
  };
  if (!other.is_closed && !goes_in()) return;
  const auto look = [&](const Vec3& point) {
    if (other.is_closed) {
      if (!other.box.contains(point) || !seems_inside(other, point)) return;
      if (std::abs(winding_number(other, point)) < 0.5) return;
    }
    const Foot foot = foot_of(other, point);
    if (!other.is_closed && foot.height >= 0.0) return;
    take_deeper(foot.distance, sign * foot.way / foot.distance, overlap);
  };
  for (const Vec3& point : one.points) look(point);
  if (one.shape != nullptr) return look_below_faces(one, other, look);

  // long edges may pass through what no corner is in
  constexpr int pieces = 8;
  for (const auto& [a, b] : one.edges) {
    const Vec3& from = one.points[uz(a)];
    const Vec3& to = one.points[uz(b)];
    if ((to - from).norm() < other.edge_length) continue;
    for (int k = 1; k < pieces; ++k) look(from + (to - from) * k / pieces);
  }
}

StartOverlap overlap_of(const std::vector<Placed>& surfaces, std::size_t i, std::size_t j) {
  StartOverlap overlap{.body_1 = static_cast<int>(i), .body_2 = static_cast<int>(j)};
  const Placed& one = surfaces[i];
  const Placed& two = surfaces[j];
  if (!one.box.intersects(two.box)) return overlap;
  if (one.shape != nullptr && two.shape != nullptr) {
    look_at_shapes(one, two, 1.0, overlap);
    look_at_shapes(two, one, -1.0, overlap);
    return overlap;
  }
  if (two.shape != nullptr) look_into_shape(one, two, 1.0, overlap);
  if (one.shape != nullptr) look_into_shape(two, one, -1.0, overlap);
  if (two.shape == nullptr) look_for_deepest(one, two, 1.0, overlap);
  if (one.shape == nullptr) look_for_deepest(two, one, -1.0, overlap);
  return overlap;
}

/// All surfaces where they stand.
std::vector<Placed> place_all(const Scene& scene) {
  std::vector<Placed> surfaces;
  for (const SceneBody& body : scene.bodies) {
    surfaces.push_back(outline(body.body.surface()));
    place(body, surfaces.back());
  }
  return surfaces;
}

bool can_move(const SceneBody& body) {
  return !body.body.frame().is_held();
}

}  // namespace

std::vector<StartOverlap> find_start_overlaps(const Scene& scene) {
  const TouchingPairs pairs = touching_pairs(scene);
  const std::vector<Placed> surfaces = place_all(scene);
  std::vector<StartOverlap> overlaps;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    for (std::size_t j = i + 1; j < surfaces.size(); ++j) {
      if (!pairs.may_touch(static_cast<int>(i), static_cast<int>(j))) continue;
      const StartOverlap overlap = overlap_of(surfaces, i, j);
      if (overlap.depth > 0.0) overlaps.push_back(overlap);
    }
  }
  return overlaps;
}

bool resolve_start_overlaps(Scene& scene, double tolerance) {
  const TouchingPairs pairs = touching_pairs(scene);
  std::vector<Placed> surfaces = place_all(scene);
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    bool is_clear = true;
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
      for (std::size_t j = i + 1; j < surfaces.size(); ++j) {
        // each goes half of the way, or one goes all of it
        const double first_share = can_move(scene.bodies[i]) ? 1.0 : 0.0;
        const double second_share = can_move(scene.bodies[j]) ? 1.0 : 0.0;
        if (first_share + second_share == 0.0 ||
            !pairs.may_touch(static_cast<int>(i), static_cast<int>(j))) {
          continue;
        }
        const StartOverlap overlap = overlap_of(surfaces, i, j);
        if (overlap.depth <= tolerance) continue;
        is_clear = false;
        const Vec3 way = overlap.depth / (first_share + second_share) * overlap.normal;
        scene.bodies[i].position += first_share * way;
        scene.bodies[j].position -= second_share * way;
        place(scene.bodies[i], surfaces[i]);
        place(scene.bodies[j], surfaces[j]);
      }
    }
    if (is_clear) return true;
  }
  return false;
}

}  // namespace stickslip
