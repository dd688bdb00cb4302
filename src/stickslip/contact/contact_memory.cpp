#include "stickslip/contact/contact_memory.hpp"

#include <algorithm>
#include <tuple>

namespace stickslip {

namespace {

const Proximity& proximity_of(const Proximity& proximity) {
  return proximity;
}
const Proximity& proximity_of(const RememberedContact& contact) {
  return contact.where;
}

/// The feature that makes a contact what it is, then the one it may slide along.
std::pair<int, int> features(const Proximity& contact) {
  if (contact.kind == FeatureKind::face_vertex || contact.kind == FeatureKind::exact_2) {
    return {contact.feature_2, contact.feature_1};
  }
  return {contact.feature_1, contact.feature_2};
}

/// What stays as it slides.
template <class Contact>
auto place(const Contact& contact) {
  const Proximity& where = proximity_of(contact);
  return std::tuple(where.body_1, where.body_2, where.kind, features(where).first);
}

template <class Contact>
auto full_key(const Contact& contact) {
  return std::tuple_cat(place(contact), std::tuple(features(proximity_of(contact)).second));
}

}  // namespace

bool is_same_contact(const Proximity& a, const Proximity& b) {
  if (a.kind == FeatureKind::supplied) return full_key(a) == full_key(b);
  return place(a) == place(b);
}

void ContactIndex::add(const Proximity& contact) {
  const auto [feature, slid_along] = features(contact);
  entries_.push_back({{contact.body_1, contact.body_2, static_cast<int>(contact.kind), feature},
                      slid_along,
                      static_cast<int>(entries_.size())});
}

void ContactIndex::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.place, a.number) < std::tie(b.place, b.number);
  });
}

int ContactIndex::find(const Proximity& contact) const {
  const auto [feature, slid_along] = features(contact);
  const std::array<int, 4> place{contact.body_1, contact.body_2, static_cast<int>(contact.kind),
                                 feature};
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), place,
                                [](const Entry& a, const auto& b) { return a.place < b; });
  for (; entry != entries_.end() && entry->place == place; ++entry) {
    if (contact.kind != FeatureKind::supplied || entry->slid_along == slid_along) {
      return entry->number;
    }
  }
  return -1;
}

void ContactMemory::reserve(int count) {
  contacts_.reserve(uz(count));
}

void ContactMemory::sort() {
  std::sort(contacts_.begin(), contacts_.end(),
            [](const auto& a, const auto& b) { return full_key(a) < full_key(b); });
}

const RememberedContact* ContactMemory::find(const Proximity& proximity) const {
  const auto first = std::lower_bound(
      contacts_.begin(), contacts_.end(), proximity,
      [](const RememberedContact& a, const Proximity& b) { return place(a) < place(b); });
  const RememberedContact* found = nullptr;
  for (auto contact = first; contact != contacts_.end() && place(*contact) == place(proximity);
       ++contact) {
    if (full_key(*contact) == full_key(proximity)) return &*contact;
    if (found == nullptr && proximity.kind != FeatureKind::supplied) found = &*contact;
  }
  return found;
}

}  // namespace stickslip
