#pragma once

#include <span>
#include <vector>

#include "stickslip/fem/node_shares.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

class SurfaceAnswers;

/// A surface of its own that a body touches with, bound to the nodes of its elements: (Eqs. 8, 9)
/// what a vertex moves by is a sum over nodes, each by a weight or a matrix, and a force on it is
/// shared among them by the transpose of the same map. Contact points lie in its triangles.
class Skin {
 public:
  /// Point v of `binding` is vertex v of the surface. Nodes from contact_count on may not touch,
  /// nor does what is bound to one of them. `answers` may be null.
  Skin(Surface surface, NodeShares binding, int contact_count, const SurfaceAnswers* answers);

  const Surface& surface() const { return surface_; }
  int vertex_count() const { return surface_.point_count(); }
  bool may_touch(int vertex) const { return may_touch_[uz(vertex)] != 0; }

  /// Adds a point in one of its triangles: the nodes of the corners, each once.
  void share(const SurfacePoint& point, NodeShares& shares) const;
  /// The most nodes that a point is shared among.
  int nodes_a_point() const { return nodes_a_point_; }
  int node_count() const { return node_count_; }

  /// Displacement of a vertex, where node(i) is that of node i.
  template <class Node>
  Vec3 displacement(int vertex, Node&& node) const {
    const auto shares = binding_.of(vertex);
    Vec3 sum = Vec3::Zero();
    for (std::size_t a = 0; a < shares.size(); ++a) {
      if (binding_.has_turns()) {
        sum += binding_.turns(vertex)[a] * node(shares[a].node);
      } else {
        sum += shares[a].weight * node(shares[a].node);
      }
    }
    return sum;
  }

  /// Of each vertex that may touch, as SurfaceAnswers::softness of a node; 0 for the others. Empty
  /// without answers. [m / sqrt J]
  std::span<const float> softness() const { return softness_; }
  double most_softness() const { return most_softness_; }

 private:
  void find_softness(const SurfaceAnswers& answers);
  void find_nodes_a_point();

  Surface surface_;
  NodeShares binding_;
  std::vector<char> may_touch_;
  std::vector<float> softness_;
  double most_softness_ = 0.0;
  int nodes_a_point_ = 0;
  int node_count_ = 0;  ///< those bound to are below
};

/// Forces on points of a skin, as forces on the nodes that they are shared among.
class NodalForces {
 public:
  NodalForces() = default;
  NodalForces(const Skin& skin, int max_points);

  /// Each node once.
  void gather(const Skin& skin, std::span<const SurfacePoint> points, std::span<const Vec3> forces);

  std::span<const SurfacePoint> points() const { return points_; }
  std::span<const Vec3> forces() const { return forces_; }

 private:
  NodeShares shares_;
  std::vector<int> slot_;  ///< of each node, or -1
  std::vector<SurfacePoint> points_;
  std::vector<Vec3> forces_;
};

}  // namespace stickslip
