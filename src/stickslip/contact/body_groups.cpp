#include "stickslip/contact/body_groups.hpp"

#include <algorithm>
#include <numeric>

namespace stickslip {

bool yields(const Body& body) {
  return !body.frame().is_held() || body.deformation() != nullptr;
}

void BodyGroups::reserve(int body_count, int contact_count) {
  parent_.reserve(uz(body_count));
  group_of_root_.reserve(uz(body_count));
  for (std::vector<int>* list : {&group_, &size_, &by_size_, &place_}) {
    list->reserve(uz(contact_count));
  }
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

int BodyGroups::group_of(int body) const {
  while (parent_[uz(body)] != body) body = parent_[uz(body)];
  const int group = group_of_root_[uz(body)];
  return group < 0 ? -1 : place_[uz(group)];
}

void BodyGroups::build(std::span<const Contact> contacts, std::span<const char> is_taken,
                       std::span<const MovingBody> bodies) {
  // join the bodies that contacts link
  parent_.resize(bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!is_taken[c]) continue;
    const int one = contacts[c].where.body_1;
    const int two = contacts[c].where.body_2;
    if (yields(*bodies[uz(one)].body) && yields(*bodies[uz(two)].body)) {
      parent_[uz(root(one))] = root(two);
    }
  }

  // number the groups by their first contact and count
  group_of_root_.assign(bodies.size(), -1);
  group_.assign(contacts.size(), -1);
  size_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!is_taken[c]) continue;
    const Proximity& where = contacts[c].where;
    const bool first_yields = yields(*bodies[uz(where.body_1)].body);
    int& group = group_of_root_[uz(root(first_yields ? where.body_1 : where.body_2))];
    if (group < 0) {
      group = static_cast<int>(size_.size());
      size_.push_back(0);
    }
    group_[c] = group;
    ++size_[uz(group)];
  }

  // order them by size
  by_size_.resize(size_.size());
  std::iota(by_size_.begin(), by_size_.end(), 0);
  std::sort(by_size_.begin(), by_size_.end(), [&](int a, int b) {
    return size_[uz(a)] != size_[uz(b)] ? size_[uz(a)] > size_[uz(b)] : a < b;
  });
  place_.resize(size_.size());
  starts_.assign(1, 0);
  for (std::size_t k = 0; k < by_size_.size(); ++k) {
    place_[uz(by_size_[k])] = static_cast<int>(k);
    starts_.push_back(starts_.back() + size_[uz(by_size_[k])]);
  }

  // sort the contacts into them
  contacts_.resize(uz(starts_.back()));
  for (std::size_t c = contacts.size(); c-- > 0;) {
    if (group_[c] < 0) continue;
    const auto k = uz(place_[uz(group_[c])]);
    contacts_[uz(starts_[k] + --size_[uz(group_[c])])] = static_cast<int>(c);
  }
}

}  // namespace stickslip
