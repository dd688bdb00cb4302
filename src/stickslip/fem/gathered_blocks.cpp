#include "stickslip/fem/gathered_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "stickslip/fem/compliance.hpp"

namespace stickslip {

namespace {

// more nodes than that are read from the table each time: their blocks would fill the caches
constexpr int most_gathered = 400;

// tables of so few nodes are read themselves: they take 65 KB, a small part of the second cache
constexpr int most_in_small_table = 30;

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

GatheredBlocks::GatheredBlocks(const Compliance& compliance, int max_points)
    : slot_(uz(compliance.contact_count()), -1), seen_(slot_.size(), 0) {
  const int contact_nodes = compliance.contact_count();
  const bool reads_table =
      contact_nodes <= most_in_small_table && compliance.symmetric_table() != nullptr;
  most_nodes_ =
      reads_table ? contact_nodes : std::min({contact_nodes, 4 * max_points, most_gathered});
  answer_.resize(4 * most_nodes_, 3);
  needed_.reserve(uz(most_nodes_));
  if (reads_table) {
    std::iota(slot_.begin(), slot_.end(), 0);
  } else {
    blocks_.setZero(4 * most_nodes_, 3 * most_nodes_);
    nodes_.reserve(uz(most_nodes_));
  }
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

GatheredBlocks::Answer GatheredBlocks::blocks(const Compliance& compliance) const {
  if (blocks_.size() > 0) return {blocks_.data(), blocks_.rows(), 4};
  return {compliance.symmetric_table(), 3 * static_cast<Eigen::Index>(slot_.size()), 3};
}

GatheredBlocks::Answer GatheredBlocks::answer_to(const Answer& blocks, const NodeShares& points,
                                                 int j) {
  // (Eq. 16) the displacements of the needed nodes under forces on point j
  const auto shares = points.of(j);
  const auto columns_of = [&](int node) {
    return blocks.first + 3 * slot_[uz(node)] * blocks.next_column;
  };
  if (shares.size() == 1 && shares[0].weight == 1.0 && !points.has_turns()) {
    return {columns_of(shares[0].node), blocks.next_column, blocks.next_node};
  }
  for (const int slot : needed_) {
    Block sum = Block::Zero();
    for (std::size_t b = 0; b < shares.size(); ++b) {
      const ConstBlockAt block(columns_of(shares[b].node) + blocks.next_node * slot,
                               Stride(blocks.next_column));
      if (points.has_turns()) {
        sum.matrix() += block.matrix().lazyProduct(points.turns(j)[b].transpose());
      } else {
        sum += shares[b].weight * block;
      }
    }
    answer_.block<4, 3>(4 * slot, 0) = sum.matrix();
  }
  return {answer_.data(), answer_.rows(), 4};
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
  const Answer blocks = this->blocks(compliance);
  ++counts_;
  needed_.clear();
  for (int j = points.count() - 1; j >= 0; --j) {
    // the nodes of this point and of those after it
    for (const auto& [node, weight] : points.of(j)) {
      if (seen_[uz(node)] == counts_) continue;
      seen_[uz(node)] = counts_;
      needed_.push_back(slot_[uz(node)]);
    }
    const Answer answer = answer_to(blocks, points, j);
    for (int i = j; i < points.count(); ++i) {
      // those of point i
      const auto shares = points.of(i);
      Block sum = Block::Zero();
      for (std::size_t a = 0; a < shares.size(); ++a) {
        const ConstBlockAt moved(answer.first + answer.next_node * slot_[uz(shares[a].node)],
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
