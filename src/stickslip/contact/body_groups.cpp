#include "stickslip/contact/body_groups.hpp"

#include <numeric>

namespace stickslip {

bool yields(const Body& body) {
  return !body.frame().is_held() || body.deformation() != nullptr;
}

void BodyGroups::reserve(int body_count, int contact_count) {
  parent_.reserve(uz(body_count));
  group_of_root_.reserve(uz(body_count));
  group_.reserve(uz(contact_count));
  starts_.reserve(uz(contact_count) + 2);
  contacts_.reserve(uz(contact_count));
}

int BodyGroups::root(int body) {
  while (parent_[uz(body)] != body) {
    parent_[uz(body)] = parent_[uz(parent_[uz(body)])];
    body = parent_[uz(body)];
  }
  return body;
}

void BodyGroups::build(std::span<const Contact> contacts, std::span<const MovingBody> bodies) {
  // join the bodies that contacts link
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Contact& contact : contacts) {
    const int one = contact.where.body_1;
    const int two = contact.where.body_2;
    if (yields(*bodies[uz(one)].body) && yields(*bodies[uz(two)].body)) {
      parent_[uz(root(one))] = root(two);
    }
  }

  // number the groups by their first contact and count
  group_of_root_.assign(bodies.size(), -1);
  group_.resize(contacts.size());
  starts_.assign(1, 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    const bool first_yields = yields(*bodies[uz(where.body_1)].body);
    int& group = group_of_root_[uz(root(first_yields ? where.body_1 : where.body_2))];
    if (group < 0) {
      group = static_cast<int>(starts_.size()) - 1;
      starts_.push_back(0);
    }
    group_[c] = group;
    ++starts_[uz(group) + 1];
  }

  // sort the contacts into them
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  contacts_.resize(contacts.size());
  for (std::size_t c = contacts.size(); c-- > 0;) {
    contacts_[uz(--starts_[uz(group_[c]) + 1])] = static_cast<int>(c);
  }
  // filling from the end moved each start of a group into the place before it
  starts_.erase(starts_.begin());
  starts_.push_back(static_cast<int>(contacts.size()));
}

}  // namespace stickslip
