#include "stickslip/contact/contact_memory.hpp"

#include <algorithm>
#include <tuple>

namespace stickslip {

namespace {

/// The feature that makes a contact what it is, then the one it may slide along.
std::pair<int, int> features(const Proximity& contact) {
  if (contact.kind == FeatureKind::face_vertex || contact.kind == FeatureKind::exact_2) {
    return {contact.feature_2, contact.feature_1};
  }
  return {contact.feature_1, contact.feature_2};
}

/// In the order of the integers.
std::uint32_t ordered(int number) {
  return static_cast<std::uint32_t>(number) ^ 0x80000000U;
}

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

ContactKey::ContactKey(const Proximity& contact)
    : bodies(joined(ordered(contact.body_1), ordered(contact.body_2))),
      feature(joined(static_cast<std::uint32_t>(contact.kind), ordered(features(contact).first))),
      slid_along(ordered(features(contact).second)) {}

bool is_same_contact(const Proximity& a, const Proximity& b) {
  const ContactKey key_a(a);
  const ContactKey key_b(b);
  return a.kind == FeatureKind::supplied ? key_a == key_b : key_a.has_place_of(key_b);
}

void ContactIndex::add(const Proximity& contact) {
  entries_.push_back({ContactKey(contact), static_cast<int>(entries_.size())});
}

void ContactIndex::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.key.bodies, a.key.feature, a.number) <
           std::tie(b.key.bodies, b.key.feature, b.number);
  });
}

int ContactIndex::find(const Proximity& contact) const {
  const ContactKey key(contact);
  auto entry = std::lower_bound(
      entries_.begin(), entries_.end(), key, [](const Entry& a, const ContactKey& b) {
        return std::tie(a.key.bodies, a.key.feature) < std::tie(b.bodies, b.feature);
      });
  for (; entry != entries_.end() && entry->key.has_place_of(key); ++entry) {
    if (contact.kind != FeatureKind::supplied || entry->key.slid_along == key.slid_along) {
      return entry->number;
    }
  }
  return -1;
}

void ContactMemory::reserve(int count) {
  contacts_.reserve(uz(count));
  keys_.reserve(uz(count));
  arrivals_.reserve(uz(count));
  unsorted_.reserve(uz(count));
}

void ContactMemory::clear() {
  contacts_.clear();
  keys_.clear();
}

void ContactMemory::remember(const RememberedContact& contact) {
  contacts_.push_back(contact);
  keys_.emplace_back(contact.where);
}

void ContactMemory::sort() {
  // the keys, then the contacts by them
  arrivals_.clear();
  for (const ContactKey& key : keys_) {
    arrivals_.push_back({key, static_cast<int>(arrivals_.size())});
  }
  std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
    return std::tie(a.key, a.number) < std::tie(b.key, b.number);
  });
  unsorted_.swap(contacts_);
  clear();
  for (const Arrival& arrival : arrivals_) {
    keys_.push_back(arrival.key);
    contacts_.push_back(unsorted_[uz(arrival.number)]);
  }
  unsorted_.clear();
}

const RememberedContact* ContactMemory::find(const Proximity& proximity) const {
  const ContactKey key(proximity);
  ContactKey first = key;
  first.slid_along = 0;
  const RememberedContact* found = nullptr;
  for (auto other = std::lower_bound(keys_.begin(), keys_.end(), first);
       other != keys_.end() && other->has_place_of(key); ++other) {
    const RememberedContact* contact = &contacts_[uz(other - keys_.begin())];
    if (*other == key) return contact;
    if (found == nullptr && proximity.kind != FeatureKind::supplied) found = contact;
  }
  return found;
}

}  // namespace stickslip
