#include "stickslip/proximity/box_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

/// The squared distance of a box, moved to the axes of another one, from that.
float squared_distance(const FloatPlacement& move, const FloatLanes& low, const FloatLanes& high,
                       const FloatLanes& other_low, const FloatLanes& other_high) {
  const FloatLanes centre = 0.5F * (low + high);
  const FloatLanes half = 0.5F * (high - low);
  const FloatLanes moved = move.shift + move.column[0] * centre[0] + move.column[1] * centre[1] +
                           move.column[2] * centre[2];
  const FloatLanes size = move.column[0].abs() * half[0] + move.column[1].abs() * half[1] +
                          move.column[2].abs() * half[2];
  const FloatLanes off = (other_low - moved).max(moved - other_high) - size;
  return off.max(0.0F).square().head<3>().sum();
}

}  // namespace

BoxDistance::BoxDistance(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b)
    : a_(a),
      b_(b),
      to_b_(a_to_b),
      to_a_(a_to_b.inverse()),
      error_(static_cast<float>(rounding_of_boxes(a, b, a_to_b))) {}

float BoxDistance::of_nodes(int a, int b) const {
  const SurfaceTree::Node& one = a_.nodes_[uz(a)];
  const SurfaceTree::Node& two = b_.nodes_[uz(b)];
  const float squared = std::max(squared_distance(to_b_, one.low, one.high, two.low, two.high),
                                 squared_distance(to_a_, two.low, two.high, one.low, one.high));
  return std::max(0.0F, std::sqrt(squared) * (1.0F - 1e-6F) - error_);
}

double BoxDistance::of_leaves(const LeafPair& pair) const {
  return static_cast<double>(of_nodes(a_.leaves_[uz(pair.a)].node, b_.leaves_[uz(pair.b)].node));
}

double BoxDistance::of_all(double least, double reach) const {
  if (a_.is_empty() || b_.is_empty()) return reach;
  // boxes that are nearly as far as the nearest leaves are not opened
  constexpr float opened_share = 0.8F;
  float nearest = static_cast<float>(reach);
  float result = nearest;
  struct Opened {
    int a, b;
    float apart;
  };
  const auto look_at = [&](int a, int b) { return Opened{a, b, of_nodes(a, b)}; };
  std::array<Opened, 128> stack{};
  std::size_t depth = 0;
  stack[depth++] = look_at(0, 0);
  while (depth > 0) {
    const Opened pair = stack[--depth];
    if (pair.apart >= opened_share * nearest) {
      result = std::min(result, pair.apart);
      continue;
    }
    const SurfaceTree::Node& one = a_.nodes_[uz(pair.a)];
    const SurfaceTree::Node& two = b_.nodes_[uz(pair.b)];
    if (one.right == 0 && two.right == 0) {
      if (static_cast<double>(pair.apart) < least) return 0.0;
      nearest = pair.apart;
      continue;
    }
    // the larger of the two is opened, and its nearer half first
    const bool opens_a = two.right == 0 || (one.right != 0 && (one.high - one.low).sum() >=
                                                                  (two.high - two.low).sum());
    Opened first = opens_a ? look_at(pair.a + 1, pair.b) : look_at(pair.a, pair.b + 1);
    Opened second = opens_a ? look_at(one.right, pair.b) : look_at(pair.a, two.right);
    if (first.apart > second.apart) std::swap(first, second);
    stack[depth++] = second;
    stack[depth++] = first;
  }
  return static_cast<double>(std::min(result, nearest));
}

}  // namespace stickslip
