#pragma once

#include "stickslip/mesh/mass_properties.hpp"

namespace stickslip {

/// A sphere, capsule or cylinder around the origin, its axis along z: what a body that keeps its
/// shape touches with, exactly, whatever triangles stand for it elsewhere. Lengths in metres.
struct ExactShape {
  double radius = 0.0;
  double half_length = 0.0;  ///< of the straight part; 0 for a sphere
  bool has_round_ends = true;

  /// What is nearest to a point p (the signed distance function).
  struct Nearest {
    Vec3 point;       ///< on the shape
    Vec3 normal;      ///< out of it, of length 1
    double distance;  ///< of p, negative inside [m]
  };
  Nearest nearest(const Vec3& p) const;

  /// The centre of an end, 0 below and 1 above.
  Vec3 end(int k) const { return {0.0, 0.0, k == 0 ? -half_length : half_length}; }
  /// How many ends differ.
  int end_count() const { return half_length > 0.0 ? 2 : 1; }
  /// The place of a flat end's rim at an angle about the axis.
  Vec3 rim(int k, double angle) const;

  /// Of all that it has at a round end, or on the rim of a flat one, what is farthest along a
  /// direction of length 1 (the support mapping).
  Vec3 support(int k, const Vec3& direction) const;
};

/// Of the homogeneous solid.
MassProperties mass_properties(const ExactShape& shape, double density);

}  // namespace stickslip
