#include "stickslip/proximity/shape_contacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "stickslip/proximity/least_place.hpp"

namespace stickslip {

namespace {

// places on the rim of a flat end that stands
constexpr int rim_places = 8;
constexpr double rim_angle = 2.0 * std::numbers::pi / rim_places;
// a flat end tilted by less has no lowest place
constexpr double level_sine = 1e-6;
// a place this far beyond the border of a triangle, in barycentric coordinates, still lies in it
constexpr double border_weight = 1e-9;
// how far beside a place on a surface that deforms the others are, as the shape turns to them
// [rad]: so near that it lies still within 6e-5 of the radius, and so far that it may turn quickly
constexpr std::array beside_angles{0.015, 0.06};
constexpr int beside_places = 4 * static_cast<int>(beside_angles.size());
// how the numbers of places are made: at the end of a shape, and on an edge of a surface
constexpr int end_places = rim_places + beside_places;
constexpr int edge_places = 5 + 2 * static_cast<int>(beside_angles.size());

bool is_near(double gap, const ContactLimits& limits) {
  return gap <= limits.alarm_distance && gap >= -limits.max_depth;
}

/// A point on an exact shape as the body's surface has points: the weights of the nearest facet
/// reach out from it, and their sum is not 1.
SurfacePoint exact_point(const ShapeBody& body, const Vec3& p) {
  const int triangle = body.tree->nearest(*body.surface, p, body.shape->radius).triangle;
  Mat3 corners;
  for (std::size_t k = 0; k < 3; ++k) {
    corners.col(static_cast<int>(k)) = body.surface->corner(std::max(0, triangle), k);
  }
  const Vec3 weight = corners.inverse() * p;
  return body.surface->in_triangle(std::max(0, triangle), {weight[0], weight[1], weight[2]});
}

/// Angle about the axis of the place on a rim that is farthest along a direction.
double rim_angle_along(const Vec3& direction) {
  if (std::hypot(direction.x(), direction.y()) < level_sine) return 0.0;
  return std::atan2(direction.y(), direction.x());
}

/// What a shape has at a place of an end, toward a direction: place 0 is farthest along it, those
/// up to `rim_places` go round a flat end, the others are beside 0. `across` is square to the
/// direction.
Vec3 support_of(const ExactShape& shape, int feature, const Vec3& direction, const Vec3& across) {
  const int end = feature / end_places;
  const int place = feature % end_places;
  const int beside = place - rim_places;
  if (beside < 0) {
    if (shape.has_round_ends) return shape.support(end, direction);
    return shape.rim(end, rim_angle_along(direction) + rim_angle * place);
  }
  const double angle = beside_angles[uz(beside / 4)] * (1 - 2 * (beside % 2));
  if (!shape.has_round_ends) return shape.rim(end, rim_angle_along(direction) + angle);
  const Vec3 aside = beside % 4 < 2 ? across : direction.cross(across);
  return shape.support(end, std::cos(angle) * direction + std::sin(angle) * aside);
}

}  // namespace

double ShapeContacts::bulge(const ExactShape& shape, const Surface& surface) {
  double most = 0.0;
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec3& p = surface.points[uz(a)];
    const Vec3& q = surface.points[uz(b)];
    const Vec3& r = surface.points[uz(c)];
    for (const Vec3& place :
         {Vec3((p + q + r) / 3.0), Vec3(0.5 * (p + q)), Vec3(0.5 * (q + r)), Vec3(0.5 * (r + p))}) {
      most = std::max(most, -shape.nearest(place).distance);
    }
  }
  return most;
}

void ShapeContacts::find(const ShapeBody& one, const ShapeBody& two, std::span<const LeafPair> near,
                         const ContactLimits& limits, std::vector<Proximity>& found) {
  const bool is_one_shape = one.shape != nullptr;
  const ShapeBody& shape = is_one_shape ? one : two;
  const ShapeBody& other = is_one_shape ? two : one;
  to_shape_ = {shape.R.transpose() * other.R,
               shape.R.transpose() * (other.position - shape.position)};
  to_other_ = to_shape_.inverse();
  touches_.clear();
  if (other.shape == nullptr) {
    // each leaf of the surface once
    leaves_.clear();
    for (const LeafPair& pair : near) leaves_.push_back(is_one_shape ? pair.b : pair.a);
    std::sort(leaves_.begin(), leaves_.end());
    leaves_.erase(std::unique(leaves_.begin(), leaves_.end()), leaves_.end());
    touch_surface(shape, other, limits);
  } else {
    const bool is_shape_ball = shape.shape->has_round_ends && shape.shape->half_length == 0.0;
    const bool is_other_ball = other.shape->has_round_ends && other.shape->half_length == 0.0;
    if (!is_shape_ball) probe(*other.shape, *shape.shape, true, limits);
    if (is_shape_ball || !is_other_ball) probe(*shape.shape, *other.shape, false, limits);
    if (!shape.shape->has_round_ends && !other.shape->has_round_ends) {
      cross_axes(*shape.shape, *other.shape, limits);
    }
    drop_doubles(1e-3 * std::min(shape.shape->radius, other.shape->radius));
  }
  add_found(shape, other, is_one_shape, found);
}

void ShapeContacts::touch_surface(const ShapeBody& shape, const ShapeBody& other,
                                  const ContactLimits& limits) {
  for (const int leaf : leaves_) {
    for (const int vertex : other.tree->own_points(leaf)) {
      if (other.is_flat[uz(vertex)] == 0) touch_vertex(shape, other, vertex, limits);
    }
    for (const int edge : other.tree->own_edges(leaf)) {
      if (other.deforms || other.surface->edge(edge).is_convex(limits.flat_sine)) {
        touch_edge(shape, other, edge, limits);
      }
    }
    for (const int triangle : other.tree->faces(leaf)) touch_face(shape, other, triangle, limits);
  }
}

void ShapeContacts::touch_vertex(const ShapeBody& shape, const ShapeBody& other, int vertex,
                                 const ContactLimits& limits) {
  const auto nearest = shape.shape->nearest(to_shape_(other.surface->point(vertex)));
  if (!is_near(nearest.distance, limits) ||
      !other.surface->is_lowest_along(vertex, to_other_.R * nearest.normal, limits.slope)) {
    return;
  }
  touches_.push_back({nearest.point, nearest.normal, nearest.distance, vertex, 0, false,
                      other.surface->at_point(vertex), Vec3::Zero()});
}

void ShapeContacts::add_place_on_edge(const ShapeBody& other, int edge, double share, int number,
                                      const ExactShape::Nearest& nearest,
                                      const ContactLimits& limits) {
  const SurfacePoint place = other.surface->at_edge(edge, share);
  if (!is_near(nearest.distance, limits)) return;
  // the faces beside it go away from the shape; those that turn under it may slope a little
  const EdgeShape& sides = other.surface->edge(edge);
  const Vec3 n = to_other_.R * nearest.normal;
  constexpr double rounding = 1e-9;
  const double least = other.deforms ? -limits.slope : -rounding;
  if (std::min(sides.inward[0].dot(n), sides.inward[1].dot(n)) < least ||
      sides.outward.dot(n) > 0.0 ||
      std::abs(sides.along.dot(n)) > limits.slope * sides.along.norm()) {
    return;
  }
  const bool is_known = std::any_of(touches_.begin(), touches_.end(), [&](const Touch& touch) {
    return (touch.on_shape - nearest.point).norm() <= limits.touching &&
           touch.normal.dot(nearest.normal) > 1.0 - rounding;
  });
  if (is_known) return;
  const int feature = other.surface->topology().point_count() + edge_places * edge + number;
  touches_.push_back(
      {nearest.point, nearest.normal, nearest.distance, feature, 0, false, place, Vec3::Zero()});
}

void ShapeContacts::touch_edge(const ShapeBody& shape, const ShapeBody& other, int edge,
                               const ContactLimits& limits) {
  const ExactShape& exact = *shape.shape;
  const EdgeShape& sides = other.surface->edge(edge);
  const Vec3 a = to_shape_(sides.start);
  const Vec3 u = to_shape_.R * sides.along;
  const auto add = [&](double share, int number) {
    if (!(share > 0.0 && share < 1.0)) return;
    add_place_on_edge(other, edge, share, number, exact.nearest(a + share * u), limits);
  };
  const double least =
      least_place(0.0, 1.0, [&](double t) { return exact.nearest(a + t * u).normal.dot(u); });
  add(least, 0);
  for (std::size_t k = 0; other.deforms && k < beside_angles.size(); ++k) {
    const double aside = beside_angles[k] * exact.radius / u.norm();
    const int number = 5 + 2 * static_cast<int>(k);
    add(least - aside, number);
    add(least + aside, number + 1);
  }
  if (exact.half_length == 0.0) return;

  // along the axis: beside both ends
  for (int k = 0; k < 2; ++k) add(closest_on_segment(exact.end(k), a, a + u), 1 + k);

  // under a flat end: where it comes out
  if (exact.has_round_ends || std::abs(u.z()) > limits.slope * u.norm()) return;
  const Vec3 cap(0.0, 0.0, a.z() + 0.5 * u.z() < 0.0 ? -1.0 : 1.0);
  const double p = u.head<2>().squaredNorm();
  const double q = a.head<2>().dot(u.head<2>());
  const double root = q * q - p * (a.head<2>().squaredNorm() - exact.radius * exact.radius);
  if (root <= 0.0) return;
  for (int k = 0; k < 2; ++k) {
    const double share = (-q + (k == 0 ? -1.0 : 1.0) * std::sqrt(root)) / p;
    if (!(share > 0.0 && share < 1.0)) continue;
    const Vec3 place = a + share * u;
    const double gap = cap.dot(place) - exact.half_length;
    add_place_on_edge(other, edge, share, 3 + k, {place - gap * cap, cap, gap}, limits);
  }
}

void ShapeContacts::touch_face(const ShapeBody& shape, const ShapeBody& other, int triangle,
                               const ContactLimits& limits) {
  const ExactShape& exact = *shape.shape;
  const FaceShape& face = other.surface->face(triangle);
  if (face.normal.isZero(0.0)) return;
  const Vec3 n = to_shape_.R * face.normal;
  const Vec3 corner = to_shape_(face.corner);
  const Vec3 across = to_shape_.R * face.slope[0].normalized();
  const auto add = [&](int feature, const Vec3& inside) {
    const Vec3 place = support_of(exact, feature, -n, across);
    const double gap = n.dot(place - corner);
    if (!is_near(gap, limits) || n.dot(inside - corner) <= 0.0) return;
    const Vec3 from_corner = to_other_.R * (place - corner);
    const double weight_1 = face.slope[0].dot(from_corner);
    const double weight_2 = face.slope[1].dot(from_corner);
    const double weight_0 = 1.0 - weight_1 - weight_2;
    if (std::min({weight_0, weight_1, weight_2}) < -border_weight) return;
    const SurfacePoint below = other.surface->in_triangle(triangle, {weight_0, weight_1, weight_2});
    // on the border of two triangles in one plane
    const bool is_known = std::any_of(touches_.begin(), touches_.end(), [&](const Touch& touch) {
      return touch.is_named_by_shape && touch.feature == feature &&
             (touch.normal + n).norm() <= limits.flat_sine &&
             std::abs(touch.gap - gap) <= limits.touching;
    });
    if (is_known) return;
    touches_.push_back({place, -n, gap, feature, triangle, true, below, Vec3::Zero()});
  };

  const int lower = n.z() < 0.0 ? exact.end_count() - 1 : 0;
  const bool is_lying = std::abs(n.z()) <= limits.slope;
  for (int k = 0; k < exact.end_count(); ++k) {
    if (k != lower && !is_lying) continue;
    const Vec3 inside = exact.has_round_ends ? exact.end(k) : Vec3::Zero();
    const bool is_standing = !exact.has_round_ends && std::hypot(n.x(), n.y()) <= limits.slope;
    for (int place = 0; place < (is_standing ? rim_places : 1); ++place) {
      add(end_places * k + place, inside);
    }
    if (!other.deforms || is_standing) continue;
    for (int place = rim_places; place < end_places; ++place) {
      // a cylinder has neighbours about its axis only
      if (exact.has_round_ends || place % 4 < 2) add(end_places * k + place, inside);
    }
  }
}

void ShapeContacts::add_found(const ShapeBody& shape, const ShapeBody& other, bool is_shape_first,
                              std::vector<Proximity>& found) const {
  for (const Touch& touch : touches_) {
    Proximity where;
    where.body_1 = is_shape_first ? shape.number : other.number;
    where.body_2 = is_shape_first ? other.number : shape.number;
    const SurfacePoint on_shape = exact_point(shape, touch.on_shape);
    const SurfacePoint on_other =
        other.shape == nullptr ? touch.on_surface : exact_point(other, touch.on_other);
    where.P = is_shape_first ? on_shape : on_other;
    where.Q = is_shape_first ? on_other : on_shape;
    where.normal = (is_shape_first ? -1.0 : 1.0) * (shape.R * touch.normal);
    where.gap = touch.gap;
    const bool is_named_by_first = touch.is_named_by_shape == is_shape_first;
    where.kind = is_named_by_first ? FeatureKind::exact_1 : FeatureKind::exact_2;
    where.feature_1 = is_named_by_first ? touch.feature : touch.other_feature;
    where.feature_2 = is_named_by_first ? touch.other_feature : touch.feature;
    found.push_back(where);
  }
}

double ShapeContacts::gap_of(const Proximity& where, const ShapeBody& one, const ShapeBody& two,
                             double linear) {
  const bool is_first = where.kind == FeatureKind::exact_1;
  const ShapeBody& named = is_first ? one : two;
  const ShapeBody& other = is_first ? two : one;
  const int feature = is_first ? where.feature_1 : where.feature_2;
  const SurfacePoint& point = is_first ? where.P : where.Q;
  const Placement to_other{other.R.transpose() * named.R,
                           other.R.transpose() * (named.position - other.position)};
  // on the far side it has gone through
  const auto is_turned = [&](const Vec3& normal) {
    return (other.R * normal).dot(where.normal) * (is_first ? 1.0 : -1.0) < 0.0;
  };
  if (named.shape == nullptr) {
    // a vertex or a place on an edge
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      place += point.weight[k] * named.surface->point(point.corner[k]);
    }
    const auto nearest = other.shape->nearest(to_other(place));
    if (is_turned(nearest.normal)) return linear;
    return nearest.distance;
  }
  if (other.shape == nullptr) {
    const FaceShape& face = other.surface->face(is_first ? where.feature_2 : where.feature_1);
    const Mat3 to_named = to_other.R.transpose();
    const Vec3 place = support_of(*named.shape, feature, -(to_named * face.normal),
                                  to_named * face.slope[0].normalized());
    return face.normal.dot(to_other(place) - face.corner);
  }
  if (named.shape->has_round_ends && feature < named.shape->end_count()) {
    const auto nearest = other.shape->nearest(to_other(named.shape->end(feature)));
    return is_turned(nearest.normal) ? linear : nearest.distance - named.shape->radius;
  }
  return linear;
}

}  // namespace stickslip
