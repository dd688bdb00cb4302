#include "stickslip/fem/node_gram.hpp"

namespace stickslip {

NodeGram::NodeGram(int node_count, int max_points)
    : slot_(uz(node_count), -1),
      alone_(max_points, 1),
      columns_(max_points),
      gram_(3 * max_points, 3 * max_points),
      answer_(3 * max_points, 3) {
  nodes_.reserve(uz(3 * max_points));
}

/// Whether the points lie on no more nodes than there are points.
bool NodeGram::find_nodes(const NodeShares& points) {
  if (points.has_turns()) return false;
  const auto each = [&](const auto& visit) {
    for (int i = 0; i < points.count(); ++i) {
      for (const NodeShares::Share& share : points.of(i)) visit(share.node);
    }
  };
  bool are_known = known_ > 0;
  each([&](int node) { are_known &= slot_[uz(node)] >= 0; });
  if (are_known) return true;
  for (const int node : nodes_) slot_[uz(node)] = -1;
  nodes_.clear();
  known_ = 0;
  each([&](int node) {
    const bool has_room = static_cast<int>(nodes_.size()) <= points.count();
    if (slot_[uz(node)] >= 0 || !has_room) return;
    slot_[uz(node)] = static_cast<int>(nodes_.size());
    nodes_.push_back(node);
  });
  return static_cast<int>(nodes_.size()) <= points.count();
}

void NodeGram::compute(const SparseCholesky& factor, std::span<const int> active,
                       const NodeShares& points, SparseCholesky::Workspace& workspace,
                       Eigen::Ref<MatX> C) {
  if (!find_nodes(points)) {
    C.setZero();
    factor.add_gram(columns_.fill(points, active), workspace, C);
    known_ = 0;
    return;
  }
  if (known_ == 0) {
    alone_.clear();
    for (const int node : nodes_) {
      const NodeShares::Share whole{node, 1.0};
      alone_.add(std::span(&whole, 1));
    }
    known_ = static_cast<int>(nodes_.size());
    auto gram = gram_.topLeftCorner(3 * known_, 3 * known_);
    gram.setZero();
    factor.add_gram(columns_.fill(alone_, active), workspace, gram);
  }
  combine(points, C);
}

void NodeGram::combine(const NodeShares& points, Eigen::Ref<MatX> C) {
  auto answer = answer_.topRows(3 * known_);
  for (int j = 0; j < points.count(); ++j) {
    answer.setZero();
    for (const NodeShares::Share& share : points.of(j)) {
      answer += share.weight * gram_.block(0, 3 * slot_[uz(share.node)], 3 * known_, 3);
    }
    for (int i = j; i < points.count(); ++i) {
      auto block = C.block<3, 3>(3 * i, 3 * j);
      block.setZero();
      for (const NodeShares::Share& share : points.of(i)) {
        block += share.weight * answer.middleRows<3>(3 * slot_[uz(share.node)]);
      }
    }
  }
}

}  // namespace stickslip
