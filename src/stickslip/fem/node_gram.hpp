#pragma once

#include <span>
#include <vector>

#include "stickslip/fem/node_shares.hpp"
#include "stickslip/fem/point_forces.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"

namespace stickslip {

/// How points yield to forces on each other, H A^-1 H^T, by a factorisation that changes from step
/// to step. Many points often lie on a few nodes, as those of a round shape on one face do: then
/// the half solves L^-1 are made for the nodes, once as long as the factorisation and the nodes
/// stay.
class NodeGram {
 public:
  NodeGram() = default;
  NodeGram(int node_count, int max_points);

  /// The factorisation has changed.
  void forget() { known_ = 0; }

  /// C(3i.., 3j..) for i >= j. `active` maps each unknown to one of the factorisation, or to -1
  /// where it is held.
  void compute(const SparseCholesky& factor, std::span<const int> active, const NodeShares& points,
               SparseCholesky::Workspace& workspace, Eigen::Ref<MatX> C);

 private:
  bool find_nodes(const NodeShares& points);
  void combine(const NodeShares& points, Eigen::Ref<MatX> C);

  std::vector<int> slot_;   ///< of each node: its place in nodes_, or -1
  std::vector<int> nodes_;  ///< those that the points lie on
  int known_ = 0;           ///< so many of them are in gram_
  NodeShares alone_;        ///< the nodes as points
  PointColumns columns_;
  MatX gram_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> answer_;  ///< of all nodes to forces on one point
};

}  // namespace stickslip
