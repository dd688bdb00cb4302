#pragma once

#include <span>
#include <vector>

#include "stickslip/problem/block_matrix.hpp"

namespace stickslip {

/// Contacts that W links, directly or through others, make a group; groups do not feel each other.
/// Allocates only when the number of contacts grows.
class ContactGroups {
 public:
  void reserve(int contact_count);

  /// Groups among `chosen`, ascending, as if there were no other contacts; the smallest first.
  void find(const BlockMatrix& W, std::span<const int> chosen);

  int count() const { return static_cast<int>(order_.size()); }

  /// The contacts of a group, ascending.
  std::span<const int> group(int g) const;

 private:
  int root(int contact);

  std::vector<int> parent_;   ///< of each contact of W, -1 where it is not chosen
  std::vector<int> members_;  ///< group after group
  std::vector<int> start_;    ///< of each group in members_, and the end
  std::vector<int> order_;    ///< of the groups, by size
  std::vector<int> slot_;     ///< of each root, the group
};

}  // namespace stickslip
