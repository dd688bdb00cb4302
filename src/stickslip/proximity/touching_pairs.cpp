#include "stickslip/proximity/touching_pairs.hpp"

#include <algorithm>

#include "stickslip/math/types.hpp"

namespace stickslip {

TouchingPairs::TouchingPairs(std::vector<char> is_immobile,
                             std::span<const std::pair<int, int>> excluded)
    : is_immobile_(std::move(is_immobile)) {
  for (const auto& [i, j] : excluded) excluded_.push_back(std::minmax(i, j));
  std::sort(excluded_.begin(), excluded_.end());
}

bool TouchingPairs::may_touch(int i, int j) const {
  if (i == j || (is_immobile_[uz(i)] && is_immobile_[uz(j)])) return false;
  const std::pair<int, int> pair = std::minmax(i, j);
  return !std::binary_search(excluded_.begin(), excluded_.end(), pair);
}

}  // namespace stickslip
