#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stickslip/proximity/least_place.hpp"
#include "stickslip/proximity/shape_contacts.hpp"

// Contacts of two exact shapes.

namespace stickslip {

namespace {

// how contacts between shapes are numbered: the ends, then
constexpr int axis_feature = 2;
constexpr int crossing_feature = 3;
constexpr int rim_feature = 4;
// places at which a rim is looked at first
constexpr int rim_samples = 16;

}  // namespace

void ShapeContacts::add_probe(const Vec3& centre, double radius, int feature, const ExactShape& two,
                              bool is_two_first, const ContactLimits& limits) {
  // is_two_first: `two` is the shape of to_shape_, whose axes touches have
  const Placement& to_two = is_two_first ? to_shape_ : to_other_;
  const auto nearest = two.nearest(to_two(centre));
  const double gap = nearest.distance - radius;
  if (gap > limits.alarm_distance || gap < -limits.max_depth) return;
  const Placement& to_one = is_two_first ? to_other_ : to_shape_;
  const Vec3 on_one = centre - radius * (to_one.R * nearest.normal);
  if (is_two_first) {
    touches_.push_back({nearest.point, nearest.normal, gap, feature, 0, false, {}, on_one});
  } else {
    touches_.push_back(
        {on_one, -(to_one.R * nearest.normal), gap, feature, 0, true, {}, nearest.point});
  }
}

void ShapeContacts::probe(const ExactShape& one, const ExactShape& two, bool is_two_first,
                          const ContactLimits& limits) {
  if (!one.has_round_ends) {
    for (int k = 0; k < 2; ++k) probe_rim(k, one, two, is_two_first, limits);
    return;
  }
  // of two ends the farther counts where the axis slopes little
  const Placement& to_two = is_two_first ? to_shape_ : to_other_;
  std::array<double, 2> distance{};
  for (int k = 0; k < 2; ++k) distance[uz(k)] = two.nearest(to_two(one.end(k))).distance;
  const double allowed = std::min(distance[0], distance[1]) + limits.slope * 2.0 * one.half_length;
  for (int k = 0; k < one.end_count(); ++k) {
    if (distance[uz(k)] <= allowed) {
      add_probe(one.end(k), one.radius, k, two, is_two_first, limits);
    }
  }
  if (one.half_length > 0.0) probe_axis(one, two, is_two_first, limits);
}

void ShapeContacts::probe_axis(const ExactShape& one, const ExactShape& two, bool is_two_first,
                               const ContactLimits& limits) {
  const Placement& to_two = is_two_first ? to_shape_ : to_other_;
  const Vec3 a = to_two(one.end(0));
  const Vec3 u = to_two(one.end(1)) - a;
  const double share =
      least_place(0.0, 1.0, [&](double t) { return two.nearest(a + t * u).normal.dot(u); });
  if (share < 0.0) return;
  add_probe(one.end(0) + share * (one.end(1) - one.end(0)), one.radius, axis_feature, two,
            is_two_first, limits);
}

void ShapeContacts::probe_rim(int k, const ExactShape& one, const ExactShape& two,
                              bool is_two_first, const ContactLimits& limits) {
  const Placement& to_two = is_two_first ? to_shape_ : to_other_;
  const auto at = [&](double angle) { return two.nearest(to_two(one.rim(k, angle))); };
  const auto slope = [&](double angle) {
    const Vec3 along(-std::sin(angle), std::cos(angle), 0.0);
    return at(angle).normal.dot(to_two.R * along);
  };
  constexpr double step = 2.0 * std::numbers::pi / rim_samples;
  std::array<double, rim_samples> distance{};
  for (int j = 0; j < rim_samples; ++j) distance[uz(j)] = at(step * j).distance;
  const auto [least, most] = std::minmax_element(distance.begin(), distance.end());
  if (*least > limits.alarm_distance + one.radius) return;

  int number = rim_feature + 2 * rim_samples * k;
  double lowest = 0.0;
  double height = at(lowest).distance;
  constexpr double level = 1e-6;
  if (*most - *least > level * one.radius) {
    for (int j = 0; j < rim_samples; ++j) {
      const double angle = least_place(step * (j - 1), step * (j + 1), slope);
      if (angle < step * (j - 1)) continue;
      add_probe(one.rim(k, angle), 0.0, number++, two, is_two_first, limits);
      if (at(angle).distance < height) {
        lowest = angle;
        height = at(angle).distance;
      }
    }
  }

  // what is level around the lowest place
  const Vec3 normal = at(lowest).normal;
  number = rim_feature + 2 * rim_samples * k + rim_samples;
  for (int j = 0; j < rim_samples; j += 2) {
    const auto nearest = at(lowest + step * j);
    const double chord = 2.0 * one.radius * std::sin(0.5 * step * j);
    if (nearest.distance - height > limits.slope * chord ||
        nearest.normal.cross(normal).norm() > limits.slope) {
      continue;
    }
    add_probe(one.rim(k, lowest + step * j), 0.0, number + j, two, is_two_first, limits);
  }
}

void ShapeContacts::cross_axes(const ExactShape& shape, const ExactShape& other,
                               const ContactLimits& limits) {
  const Vec3 c = to_shape_(other.end(0));
  const Vec3 d = to_shape_(other.end(1));
  const SegmentPoints places = closest_on_segments(shape.end(0), shape.end(1), c, d);
  const auto is_between = [](double share) { return share > 0.0 && share < 1.0; };
  if (places.is_parallel || !is_between(places.s) || !is_between(places.t)) return;
  const Vec3 on_axis = shape.end(0) + places.s * (shape.end(1) - shape.end(0));
  const Vec3 on_other_axis = c + places.t * (d - c);
  const double distance = std::sqrt(places.squared_distance);
  const double gap = distance - shape.radius - other.radius;
  if (gap > limits.alarm_distance || gap < -limits.max_depth || distance == 0.0) return;
  const Vec3 normal = (on_other_axis - on_axis) / distance;
  touches_.push_back({on_axis + shape.radius * normal,
                      normal,
                      gap,
                      crossing_feature,
                      0,
                      true,
                      {},
                      to_other_(on_other_axis - other.radius * normal)});
}

void ShapeContacts::drop_doubles(double distance) {
  constexpr double same_normal = 0.985;
  std::size_t kept = 0;
  for (const Touch& touch : touches_) {
    const auto known =
        std::find_if(touches_.begin(), touches_.begin() + static_cast<std::ptrdiff_t>(kept),
                     [&](const Touch& other) {
                       return (other.on_shape - touch.on_shape).norm() <= distance &&
                              other.normal.dot(touch.normal) > same_normal;
                     });
    if (known == touches_.begin() + static_cast<std::ptrdiff_t>(kept)) {
      touches_[kept++] = touch;
    } else if (touch.gap < known->gap - 1e-6 * distance) {
      *known = touch;
    }
  }
  touches_.resize(kept);
}

}  // namespace stickslip
