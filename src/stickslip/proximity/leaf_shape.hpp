#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stickslip/proximity/lanes.hpp"
#include "stickslip/proximity/surface_tree.hpp"

namespace stickslip {

/// Features of a leaf side by side, to look at four in one go. What they let pass is looked at
/// again by the exact tests.
struct LeafShape {
  static constexpr std::size_t max_faces = 4;
  static constexpr std::size_t max_edges = 3 * max_faces;

  struct Edges {
    Lanes3 start, along, inward_1, inward_2;
    Lanes inverse_squared_length;
  };

  Lanes3 corner, normal, slope_1, slope_2;
  std::array<Edges, max_edges / 4> edges;
  std::array<int, max_edges> concave;
  unsigned convex;  ///< bit k: own edge k is
  int edge_count;
  int concave_count;
};

/// The leaves of one body, each packed at its first use after a change of shape.
class LeafShapes {
 public:
  explicit LeafShapes(int leaf_count) : leaves_(uz(leaf_count)), times_(uz(leaf_count), 0) {}

  /// Convex is what is bent by more than flat_sine.
  const LeafShape& get(const SurfaceShape& shape, const SurfaceTree& tree, int leaf,
                       double flat_sine) {
    if (times_[uz(leaf)] != shape.time()) pack(shape, tree, leaf, flat_sine);
    return leaves_[uz(leaf)];
  }
  /// Own edges that may be convex, by bits: those that are, where that is known.
  unsigned may_be_convex(const SurfaceShape& shape, const SurfaceTree& tree, int leaf) const {
    return times_[uz(leaf)] == shape.time() ? leaves_[uz(leaf)].convex
                                            : (1U << tree.own_edges(leaf).size()) - 1U;
  }

 private:
  void pack(const SurfaceShape& shape, const SurfaceTree& tree, int leaf, double flat_sine);

  std::vector<LeafShape> leaves_;
  std::vector<std::uint32_t> times_;
};

/// Faces of a leaf over or under which p lies, give or take a little, not higher than `above` nor
/// deeper than `below`: bit k for face k.
unsigned faces_along_normal(const LeafShape& leaf, const Vec3& p, double above, double below);

/// Edges of a leaf that are nearer to p than the faces beside them, give or take `slack`, and not
/// farther than reach: bit k for own edge k.
unsigned edges_nearest(const LeafShape& leaf, const Vec3& p, double reach, double slack);

}  // namespace stickslip
