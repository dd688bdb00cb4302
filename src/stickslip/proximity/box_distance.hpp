#pragma once

#include "stickslip/proximity/surface_tree.hpp"

namespace stickslip {

/// How far the boxes of two trees are from each other, along the axes of the one and of the other:
/// what is in them is no nearer.
class BoxDistance {
 public:
  /// a_to_b leads from the axes of a to those of b. The trees must outlive this.
  BoxDistance(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b);

  double of_leaves(const LeafPair& pair) const;

  /// Of all leaves: at most reach, and up to a fifth less than it is. 0 where that is less than
  /// `least`.
  double of_all(double least, double reach) const;

 private:
  float of_nodes(int a, int b) const;

  const SurfaceTree& a_;
  const SurfaceTree& b_;
  FloatPlacement to_b_, to_a_;
  float error_;
};

}  // namespace stickslip
