#pragma once

#include <cmath>
#include <limits>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The forces a contact can carry: |f_t| <= mu f_n, in the order normal, tangent 1, tangent 2.
struct FrictionCone {
  double mu = 0.0;  ///< not negative

  /// Inside or on it, up to rounding.
  bool contains(const Vec3& f) const {
    constexpr double rounding = 1.0 + 4.0 * std::numeric_limits<double>::epsilon();
    return f[0] >= 0.0 && std::hypot(f[1], f[2]) <= mu * f[0] * rounding;
  }

  /// The nearest force of the cone.
  Vec3 project(const Vec3& f) const {
    const double tangential = std::hypot(f[1], f[2]);
    // in this order: without friction the cone is a half-line, and what pulls along it is outside
    if (mu * tangential <= -f[0]) return Vec3::Zero();
    if (tangential <= mu * f[0]) return f;
    const double normal = (mu * tangential + f[0]) / (1.0 + mu * mu);
    const double shrink = mu * normal / tangential;
    return {normal, shrink * f[1], shrink * f[2]};
  }

  /// The nearest tangential force to f_t that a normal force f_n >= 0 allows.
  Vec3 limit_friction(const Vec3& f) const {
    const double limit = mu * f[0];
    const double tangential = std::hypot(f[1], f[2]);
    if (tangential <= limit) return f;
    const double shrink = limit / tangential;
    return {f[0], shrink * f[1], shrink * f[2]};
  }
};

}  // namespace stickslip
