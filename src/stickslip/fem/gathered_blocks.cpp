#include "stickslip/fem/gathered_blocks.hpp"

#include <algorithm>
#include <cassert>

#include "stickslip/fem/compliance.hpp"

namespace stickslip {

namespace {

// more nodes than that are read from the table each time: their blocks would fill the caches
constexpr int most_gathered = 400;

// the columns of a 3 x 3 block, each with a fourth row that does not count
using Block = Eigen::Array<double, 4, 3>;
using Stride = Eigen::OuterStride<>;
using ConstBlockAt = Eigen::Map<const Block, 0, Stride>;

/// Sum of D_a C_ab D_b^T over the nodes of two points, straight from the table.
Mat3 compliance_between(const Compliance& compliance, const NodeShares& points, int i, int j) {
  const auto shares_i = points.of(i);
  const auto shares_j = points.of(j);
  Mat3 C = Mat3::Zero();
  for (std::size_t a = 0; a < shares_i.size(); ++a) {
    for (std::size_t b = 0; b < shares_j.size(); ++b) {
      const Mat3 block = compliance.block(shares_i[a].node, shares_j[b].node);
      if (points.has_turns()) {
        C += points.turns(i)[a] * block * points.turns(j)[b].transpose();
      } else {
        C += shares_i[a].weight * shares_j[b].weight * block;
      }
    }
  }
  return C;
}

}  // namespace

GatheredBlocks::GatheredBlocks(int contact_nodes, int max_points)
    : slot_(uz(contact_nodes), -1),
      seen_(uz(contact_nodes), 0),
      most_nodes_(std::min({contact_nodes, 4 * max_points, most_gathered})),
      blocks_(MatX::Zero(4 * most_nodes_, 3 * most_nodes_)),
      answer_(4 * most_nodes_, 3) {
  nodes_.reserve(uz(most_nodes_));
  needed_.reserve(uz(most_nodes_));
}

int GatheredBlocks::count_nodes(const NodeShares& points) {
  ++counts_;
  int count = 0;
  for (int i = 0; i < points.count(); ++i) {
    for (const NodeShares::Share& share : points.of(i)) {
      int& seen = seen_[uz(share.node)];
      if (seen == counts_) continue;
      seen = counts_;
      ++count;
    }
  }
  return count;
}

void GatheredBlocks::gather(const Compliance& compliance, const NodeShares& points) {
  for (int i = 0; i < points.count(); ++i) {
    for (const auto& [node, weight] : points.of(i)) {
      if (slot_[uz(node)] >= 0) continue;
      if (static_cast<int>(nodes_.size()) == most_nodes_) {
        // forget the nodes of contacts that are gone, and start again
        for (const int old : nodes_) slot_[uz(old)] = -1;
        nodes_.clear();
        gather(compliance, points);
        return;
      }
      // its row and column among those already there
      const int slot = static_cast<int>(nodes_.size());
      slot_[uz(node)] = slot;
      nodes_.push_back(node);
      for (int other = 0; other <= slot; ++other) {
        // the same numbers whichever of the two came first
        const auto [low, high] = std::minmax(node, nodes_[uz(other)]);
        Mat3 block = compliance.block(high, low);
        if (node == low) block.transposeInPlace();
        blocks_.block<3, 3>(4 * slot, 3 * other) = block;
        blocks_.block<3, 3>(4 * other, 3 * slot) = block.transpose();
      }
    }
  }
}

GatheredBlocks::Answer GatheredBlocks::answer_to(const NodeShares& points, int j) {
  // (Eq. 16) the displacements of the needed nodes under forces on point j
  const auto shares = points.of(j);
  if (shares.size() == 1 && shares[0].weight == 1.0 && !points.has_turns()) {
    return {&blocks_(0, 3 * slot_[uz(shares[0].node)]), blocks_.rows()};
  }
  for (const int slot : needed_) {
    Block sum = Block::Zero();
    for (std::size_t b = 0; b < shares.size(); ++b) {
      const ConstBlockAt block(&blocks_(4 * slot, 3 * slot_[uz(shares[b].node)]),
                               Stride(blocks_.rows()));
      if (points.has_turns()) {
        sum.matrix() += block.matrix().lazyProduct(points.turns(j)[b].transpose());
      } else {
        sum += shares[b].weight * block;
      }
    }
    answer_.block<4, 3>(4 * slot, 0) = sum.matrix();
  }
  return {answer_.data(), answer_.rows()};
}

void GatheredBlocks::compute(const Compliance& compliance, const NodeShares& points,
                             Eigen::Ref<MatX> C) {
  if (count_nodes(points) > most_nodes_) {
    for (int j = 0; j < points.count(); ++j) {
      for (int i = j; i < points.count(); ++i) {
        C.block<3, 3>(3 * i, 3 * j) = compliance_between(compliance, points, i, j);
      }
    }
    return;
  }

  gather(compliance, points);
  ++counts_;
  needed_.clear();
  for (int j = points.count() - 1; j >= 0; --j) {
    // the nodes of this point and of those after it
    for (const auto& [node, weight] : points.of(j)) {
      if (seen_[uz(node)] == counts_) continue;
      seen_[uz(node)] = counts_;
      needed_.push_back(slot_[uz(node)]);
    }
    const Answer answer = answer_to(points, j);
    for (int i = j; i < points.count(); ++i) {
      // those of point i
      const auto shares = points.of(i);
      Block sum = Block::Zero();
      for (std::size_t a = 0; a < shares.size(); ++a) {
        const ConstBlockAt moved(answer.first + 4 * slot_[uz(shares[a].node)],
                                 Stride(answer.next_column));
        if (points.has_turns()) {
          sum.topRows<3>().matrix() += points.turns(i)[a].lazyProduct(moved.topRows<3>().matrix());
        } else {
          sum += shares[a].weight * moved;
        }
      }
      C.block<3, 3>(3 * i, 3 * j) = sum.topRows<3>().matrix();
    }
  }
}

}  // namespace stickslip
