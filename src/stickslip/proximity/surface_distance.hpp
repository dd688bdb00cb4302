#pragma once

#include <span>
#include <vector>

#include "stickslip/proximity/surface_tree.hpp"

namespace stickslip {

/// A surface with the tree that was fitted to its points.
struct FittedSurface {
  const SurfaceTopology& topology;
  const SurfaceTree& tree;
  std::span<const Vec3> points;
};

/// How far two surfaces are from each other. Planes beside parts of them often tell enough.
class SurfaceDistance {
 public:
  /// Makes room for surfaces with so many leaves.
  void reserve(int leaves_1, int leaves_2) { reserve_leaf_pairs(leaves_1, leaves_2, leaves_); }

  /// The distance where that is less than `wanted`, else anything between the two: at most reach,
  /// and 0 where the surfaces cut each other. to_2 leads from the axes of the first to those of the
  /// second.
  double measure(const FittedSurface& one, const FittedSurface& two, const Placement& to_2,
                 double wanted, double reach);

 private:
  std::vector<LeafPair> leaves_;
};

}  // namespace stickslip
