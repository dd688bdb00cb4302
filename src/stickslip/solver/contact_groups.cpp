#include "stickslip/solver/contact_groups.hpp"

#include <algorithm>
#include <numeric>

namespace stickslip {

int ContactGroups::root(int contact) {
  while (parent_[uz(contact)] != contact) {
    parent_[uz(contact)] = parent_[uz(parent_[uz(contact)])];
    contact = parent_[uz(contact)];
  }
  return contact;
}

void ContactGroups::reserve(int contact_count) {
  for (std::vector<int>* list : {&members_, &order_, &slot_, &parent_}) {
    list->reserve(uz(contact_count));
  }
  start_.reserve(uz(contact_count) + 1);
}

void ContactGroups::find(const BlockMatrix& W, std::span<const int> chosen) {
  const std::size_t m = uz(W.contact_count());
  reserve(W.contact_count());
  order_.clear();
  start_.clear();
  if (W.is_dense()) {
    // all of it: a dense matrix is dense because all is linked
    members_.assign(chosen.begin(), chosen.end());
    start_.push_back(0);
    if (chosen.empty()) return;
    start_.push_back(static_cast<int>(chosen.size()));
    order_.push_back(0);
    return;
  }

  // join what is linked; the lowest contact is the root
  parent_.assign(m, -1);
  for (const int j : chosen) parent_[uz(j)] = j;
  for (const int j : chosen) {
    for (const int i : W.column(j).rows) {
      if (parent_[uz(i)] < 0) continue;
      const int a = root(i);
      const int b = root(j);
      if (a != b) parent_[uz(std::max(a, b))] = std::min(a, b);
    }
  }

  // count, then list
  slot_.assign(m, -1);
  int groups = 0;
  for (const int j : chosen) {
    const int r = root(j);
    if (slot_[uz(r)] < 0) {
      slot_[uz(r)] = groups++;
      start_.push_back(0);
    }
    ++start_[uz(slot_[uz(r)])];
  }
  order_.resize(uz(groups));
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const int size_a = start_[uz(a)];
    const int size_b = start_[uz(b)];
    return size_a != size_b ? size_a < size_b : a < b;
  });
  int first = 0;
  for (int& begin : start_) {
    const int size = begin;
    begin = first;
    first += size;
  }
  start_.push_back(first);
  members_.resize(chosen.size());
  // each start is moved past its members, then back
  for (const int j : chosen) members_[uz(start_[uz(slot_[uz(root(j))])]++)] = j;
  for (std::size_t g = uz(groups); g > 0; --g) start_[g] = start_[g - 1];
  start_[0] = 0;
}

std::span<const int> ContactGroups::group(int g) const {
  const int which = order_[uz(g)];
  const int first = start_[uz(which)];
  return {members_.data() + first, uz(start_[uz(which) + 1] - first)};
}

}  // namespace stickslip
