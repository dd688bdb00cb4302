#include "stickslip/fem/node_shares.hpp"

#include <array>

namespace stickslip {

NodeShares::NodeShares(int max_points, int nodes_a_point)
    : max_points_(max_points), nodes_a_point_(nodes_a_point), starts_{0} {
  starts_.reserve(uz(max_points) + 1);
  shares_.reserve(uz(max_points) * uz(nodes_a_point));
  turns_.reserve(uz(max_points) * uz(nodes_a_point));
}

void NodeShares::clear() {
  starts_.assign(1, 0);
  shares_.clear();
  turns_.clear();
}

void NodeShares::add(const SurfacePoint& point) {
  std::array<Share, 3> shares;
  std::size_t count = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    if (point.weight[c] != 0.0) shares[count++] = {point.corner[c], point.weight[c]};
  }
  add(std::span(shares).first(count));
}

void NodeShares::add(std::span<const Share> shares) {
  shares_.insert(shares_.end(), shares.begin(), shares.end());
  starts_.push_back(static_cast<int>(shares_.size()));
  if (!has_turns()) return;
  for (const Share& share : shares) turns_.emplace_back(share.weight * Mat3::Identity());
}

void NodeShares::add(std::span<const Share> shares, std::span<const Mat3> turns) {
  assert(shares.size() == turns.size());
  if (!has_turns()) {
    for (const Share& share : shares_) turns_.emplace_back(share.weight * Mat3::Identity());
  }
  shares_.insert(shares_.end(), shares.begin(), shares.end());
  starts_.push_back(static_cast<int>(shares_.size()));
  turns_.insert(turns_.end(), turns.begin(), turns.end());
}

}  // namespace stickslip
