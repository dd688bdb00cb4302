#include "stickslip/mesh/exact_shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

ExactShape::Nearest ExactShape::nearest(const Vec3& p) const {
  const double beyond = std::abs(p.z()) - half_length;
  if (has_round_ends) {
    const Vec3 axis(0.0, 0.0, std::clamp(p.z(), -half_length, half_length));
    const double distance = (p - axis).norm();
    const Vec3 normal = distance > 0.0 ? Vec3((p - axis) / distance) : Vec3(Vec3::UnitX());
    return {axis + radius * normal, normal, distance - radius};
  }

  const double from_axis = std::hypot(p.x(), p.y());
  const Vec3 radial =
      from_axis > 0.0 ? Vec3(p.x() / from_axis, p.y() / from_axis, 0.0) : Vec3(Vec3::UnitX());
  const Vec3 up(0.0, 0.0, p.z() < 0.0 ? -1.0 : 1.0);
  const double outside = from_axis - radius;
  if (outside > 0.0 && beyond > 0.0) {
    const Vec3 offset = outside * radial + beyond * up;
    const double distance = offset.norm();
    return {p - offset, offset / distance, distance};
  }
  if (outside > beyond) return {p - outside * radial, radial, outside};
  return {p - beyond * up, up, beyond};
}

Vec3 ExactShape::rim(int k, double angle) const {
  return end(k) + radius * Vec3(std::cos(angle), std::sin(angle), 0.0);
}

Vec3 ExactShape::support(int k, const Vec3& direction) const {
  if (has_round_ends) return end(k) + radius * direction;
  const double across = std::hypot(direction.x(), direction.y());
  if (across == 0.0) return rim(k, 0.0);
  return end(k) + radius / across * Vec3(direction.x(), direction.y(), 0.0);
}

MassProperties mass_properties(const ExactShape& shape, double density) {
  const double r = shape.radius;
  const double h = shape.half_length;
  const double straight = density * std::numbers::pi * r * r * 2.0 * h;
  double along = 0.5 * straight * r * r;
  double across = straight * (r * r / 4.0 + h * h / 3.0);
  double round = 0.0;
  if (shape.has_round_ends) {
    // two half balls, their centres of mass 3/8 r beyond the straight part
    round = density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    along += 0.4 * round * r * r;
    across += round * (0.4 * r * r + h * h + 0.75 * h * r);
  }
  MassProperties mass;
  mass.mass = straight + round;
  mass.inertia = Vec3(across, across, along).asDiagonal();
  return mass;
}

}  // namespace stickslip
