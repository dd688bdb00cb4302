#pragma once

#include <span>
#include <utility>
#include <vector>

namespace stickslip {

/// Which bodies may touch: not two that nothing moves, nor those that were told not to.
class TouchingPairs {
 public:
  /// What is not zero in `is_immobile` nothing moves.
  TouchingPairs(std::vector<char> is_immobile, std::span<const std::pair<int, int>> excluded);

  bool may_touch(int i, int j) const;
  bool may_touch(const std::pair<int, int>& pair) const {
    return may_touch(pair.first, pair.second);
  }

 private:
  std::vector<char> is_immobile_;
  std::vector<std::pair<int, int>> excluded_;  ///< sorted, lower index first
};

}  // namespace stickslip
