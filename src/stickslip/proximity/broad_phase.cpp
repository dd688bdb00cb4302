#include "stickslip/proximity/broad_phase.hpp"

#include <algorithm>

namespace stickslip {

void BroadPhase::reserve(int bodies, std::vector<std::pair<int, int>>& pairs) {
  constexpr int pairs_a_body = 64;
  order_.reserve(uz(bodies));
  pairs.reserve(uz(bodies) * uz(std::min(bodies, 2 * pairs_a_body)) / 2);
}

void BroadPhase::find(std::span<const Box> boxes, std::vector<std::pair<int, int>>& pairs) {
  if (order_.size() != boxes.size()) {
    order_.resize(boxes.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<int>(i);
  }

  // insertion sort of an order that hardly changes
  const auto starts_before = [&](int a, int b) {
    return boxes[uz(a)].low.x() < boxes[uz(b)].low.x();
  };
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const int moved = order_[i];
    std::size_t place = i;
    for (; place > 0 && starts_before(moved, order_[place - 1]); --place) {
      order_[place] = order_[place - 1];
    }
    order_[place] = moved;
  }

  // neighbours along x that meet along y and z, too
  pairs.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Box& a = boxes[uz(order_[i])];
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      const Box& b = boxes[uz(order_[j])];
      if (b.low.x() > a.high.x()) break;
      if (b.low.y() > a.high.y() || a.low.y() > b.high.y() || b.low.z() > a.high.z() ||
          a.low.z() > b.high.z()) {
        continue;
      }
      pairs.push_back(std::minmax(order_[i], order_[j]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace stickslip
