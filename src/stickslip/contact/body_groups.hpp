#pragma once

#include <span>
#include <vector>

#include "stickslip/contact/contact_space.hpp"

namespace stickslip {

/// Splits contacts into groups that feel each other (islands): bodies linked by contacts form one
/// (paper, section 3.4). A body that nothing moves links nobody.
class BodyGroups {
 public:
  void reserve(int body_count, int contact_count);

  /// Takes the contacts that are marked. The largest groups come first, those of one size in the
  /// order of their first contact; contacts keep theirs within a group. So group k has at most 1 /
  /// (k + 1) of all contacts.
  void build(std::span<const Contact> contacts, std::span<const char> is_taken,
             std::span<const MovingBody> bodies);

  int count() const { return static_cast<int>(starts_.size()) - 1; }

  /// In all groups.
  std::size_t contact_count() const { return contacts_.size(); }

  /// Of a body that yields, -1 where no contact that was taken touches it.
  int group_of(int body) const;

  /// Contacts of group k.
  std::span<const int> contacts(int k) const {
    return std::span(contacts_).subspan(uz(starts_[uz(k)]),
                                        uz(starts_[uz(k) + 1] - starts_[uz(k)]));
  }

 private:
  int root(int body);

  std::vector<int> parent_;         ///< of each body, towards the one that stands for its group
  std::vector<int> group_of_root_;  ///< -1 where none yet
  std::vector<int> size_;           ///< of each group, numbered by its first contact
  std::vector<int> by_size_;        ///< those numbers
  std::vector<int> place_;          ///< among them, of each
  std::vector<int> group_;          ///< of each contact, -1 where it is not taken
  std::vector<int> starts_{0};
  std::vector<int> contacts_;
};

/// Whether forces can move the body: its frame is free, or it deforms.
bool yields(const Body& body);

}  // namespace stickslip
