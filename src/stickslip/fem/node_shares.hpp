#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Points of a body as sums over its nodes: (Eqs. 8, 9) the displacement of a point is the sum of
/// those of some nodes, each by its share, and (Eqs. 10, 11, 15) a force on the point is shared
/// among them the same way. A share is a weight; where a point is offset from its nodes and turns
/// with them it is a matrix, by which the displacement of the node is multiplied.
class NodeShares {
 public:
  struct Share {
    int node;
    double weight;
  };

  /// Room for so many points; beyond it, adding allocates.
  explicit NodeShares(int max_points = 0, int nodes_a_point = 3);

  void clear();

  /// A place in a triangle, shared by those of its corners whose weight is not zero.
  void add(const SurfacePoint& point);
  /// A point that is bound to any number of nodes.
  void add(std::span<const Share> shares);
  /// The same with matrices in place of the weights, which are then not looked at.
  void add(std::span<const Share> shares, std::span<const Mat3> turns);

  int count() const { return static_cast<int>(starts_.size()) - 1; }
  /// The most that there is room for.
  int max_points() const { return max_points_; }
  int nodes_a_point() const { return nodes_a_point_; }

  std::span<const Share> of(int point) const {
    return std::span(shares_).subspan(uz(starts_[uz(point)]),
                                      uz(starts_[uz(point) + 1] - starts_[uz(point)]));
  }

  /// Whether any share is a matrix; `turns` has them then, those of weights included.
  bool has_turns() const { return !turns_.empty(); }
  std::span<const Mat3> turns(int point) const {
    assert(has_turns());
    return std::span(turns_).subspan(uz(starts_[uz(point)]),
                                     uz(starts_[uz(point) + 1] - starts_[uz(point)]));
  }

 private:
  int max_points_;
  int nodes_a_point_;
  std::vector<int> starts_;  ///< of each point, in the lists of its shares
  std::vector<Share> shares_;
  std::vector<Mat3> turns_;  ///< empty where all are weights
};

}  // namespace stickslip
