#include "stickslip/fem/gathered_blocks.hpp"

#include <algorithm>
#include <cassert>

#include "stickslip/fem/compliance.hpp"

namespace stickslip {

namespace {

// more nodes than that are read from the table each time: their blocks would fill the caches
constexpr int most_gathered = 400;

Mat3 compliance_between(const Compliance& compliance, const SurfacePoint& one,
                        const SurfacePoint& two) {
  Mat3 C = Mat3::Zero();
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      const double weight = one.weight[a] * two.weight[b];
      if (weight != 0.0) C += weight * compliance.block(one.corner[a], two.corner[b]);
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
      answer_(4 * most_nodes_, 3),
      turned_(4 * most_nodes_, 3) {
  nodes_.reserve(uz(most_nodes_));
}

int GatheredBlocks::count_nodes(std::span<const SurfacePoint> points) {
  ++counts_;
  int count = 0;
  for (const SurfacePoint& point : points) {
    for (std::size_t c = 0; c < 3; ++c) {
      int& seen = seen_[uz(point.corner[c])];
      if (point.weight[c] == 0.0 || seen == counts_) continue;
      seen = counts_;
      ++count;
    }
  }
  return count;
}

void GatheredBlocks::gather(const Compliance& compliance, std::span<const SurfacePoint> points) {
  for (const SurfacePoint& point : points) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int node = point.corner[c];
      if (point.weight[c] == 0.0 || slot_[uz(node)] >= 0) continue;
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

void GatheredBlocks::add_compliance(const Compliance& compliance,
                                    std::span<const SurfacePoint> points, const Mat3& R,
                                    Eigen::Ref<MatX> W) {
  const auto add = [&](std::size_t i, std::size_t j, const Mat3& block) {
    const auto row = static_cast<int>(3 * i);
    const auto column = static_cast<int>(3 * j);
    if (i == j) {
      W.block<3, 3>(row, column) += 0.5 * (block + block.transpose());
    } else {
      W.block<3, 3>(row, column) += block;
      W.block<3, 3>(column, row) += block.transpose();
    }
  };
  if (count_nodes(points) > most_nodes_) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      for (std::size_t i = j; i < points.size(); ++i) {
        add(i, j, R * compliance_between(compliance, points[i], points[j]) * R.transpose());
      }
    }
    return;
  }

  gather(compliance, points);
  const auto rows = static_cast<int>(4 * nodes_.size());
  auto answer = answer_.topRows(rows);
  auto turned = turned_.topRows(rows);
  Eigen::Array<double, 4, 3> R4 = Eigen::Array<double, 4, 3>::Zero();
  R4.topRows<3>() = R.array();
  for (std::size_t j = 0; j < points.size(); ++j) {
    // (Eq. 16) the displacements of all these nodes under forces on point j along the turned axes
    answer.setZero();
    for (std::size_t b = 0; b < 3; ++b) {
      if (points[j].weight[b] == 0.0) continue;
      const int slot = slot_[uz(points[j].corner[b])];
      answer += points[j].weight[b] * blocks_.block(0, 3 * slot, rows, 3);
    }
    turned.noalias() = answer.lazyProduct(R.transpose());
    for (std::size_t i = j; i < points.size(); ++i) {
      // those of point i, turned as well
      Eigen::Array<double, 4, 3> C = Eigen::Array<double, 4, 3>::Zero();
      for (std::size_t a = 0; a < 3; ++a) {
        if (points[i].weight[a] == 0.0) continue;
        C +=
            points[i].weight[a] * turned_.middleRows<4>(4 * slot_[uz(points[i].corner[a])]).array();
      }
      Mat3 block;
      for (int d = 0; d < 3; ++d) {
        const Eigen::Array4d column =
            R4.col(0) * C(0, d) + R4.col(1) * C(1, d) + R4.col(2) * C(2, d);
        block.col(d) = column.head<3>().matrix();
      }
      add(i, j, block);
    }
  }
}

}  // namespace stickslip
