#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The matrix of a cross product: skew(a) b = a x b.
inline Mat3 skew(const Vec3& a) {
  Mat3 S;
  S << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return S;
}

/// The rotation by |v| radians about v, accurate down to v = 0.
inline Quat rotation_exp(const Vec3& v) {
  const double squared_angle = v.squaredNorm();
  // sin(angle / 2) / angle, by its series where the quotient would lose digits
  const double angle = std::sqrt(squared_angle);
  const double factor =
      squared_angle < 1e-8 ? 0.5 - squared_angle / 48.0 : std::sin(0.5 * angle) / angle;
  const Vec3 imaginary = factor * v;
  return {std::cos(0.5 * angle), imaginary.x(), imaginary.y(), imaginary.z()};
}

/// How a rotation changes with its vector (the right Jacobian of the exponential map):
/// rotation_exp(v + d) = rotation_exp(v) rotation_exp(S d) for small d.
inline Mat3 rotation_slope(const Vec3& v) {
  const double squared_angle = v.squaredNorm();
  const double angle = std::sqrt(squared_angle);
  // (1 - cos) / angle^2 and (angle - sin) / angle^3, by their series where digits would be lost
  const bool is_small = squared_angle < 1e-4;
  const double once =
      is_small ? 0.5 - squared_angle / 24.0 : (1.0 - std::cos(angle)) / squared_angle;
  const double twice = is_small ? 1.0 / 6.0 - squared_angle / 120.0
                                : (angle - std::sin(angle)) / (squared_angle * angle);
  const Mat3 S = skew(v);
  return Mat3::Identity() - once * S + twice * (S * S);
}

/// The rotation vector of q, of length at most pi.
inline Vec3 rotation_log(const Quat& q) {
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  const double angle = 2.0 * std::atan2(sine, sign * q.w());
  const double factor = sine < 1e-12 ? 2.0 : angle / sine;
  return sign * factor * q.vec();
}

/// The rotation vector, in world axes, that leads from one orientation to another.
inline Vec3 turn_between(const Quat& from, const Quat& to) {
  return rotation_log(to * from.conjugate());
}

}  // namespace stickslip
