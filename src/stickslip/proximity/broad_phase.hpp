#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

struct Box {
  Vec3 low;
  Vec3 high;
};

/// The broad phase, by sweep and prune: finds the bodies whose boxes meet by sorting them along an
/// axis. The order is kept from call to call, so that a scene at rest costs one pass.
class BroadPhase {
 public:
  /// Makes room for so many bodies here and in `pairs`.
  void reserve(int bodies, std::vector<std::pair<int, int>>& pairs);

  /// Replaces `pairs` by those (i, j), i < j, whose boxes meet, in ascending order. The number of
  /// boxes is always the same.
  void find(std::span<const Box> boxes, std::vector<std::pair<int, int>>& pairs);

 private:
  std::vector<int> order_;
};

}  // namespace stickslip
