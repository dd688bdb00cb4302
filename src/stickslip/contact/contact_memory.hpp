#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/proximity/proximity.hpp"

namespace stickslip {

/// What a contact leaves to the next step (persistent contacts, warm start).
struct RememberedContact {
  Proximity where;  ///< which it was, with the normal it had
  // its axes and force
  Vec3 t1 = Vec3::Zero();
  Vec3 force = Vec3::Zero();  ///< on body 1, world axes [N]
  // where it sticks: the points that met, and how far apart they were along the tangents then
  bool sticks = false;
  SurfacePoint anchor_P = {};
  SurfacePoint anchor_Q = {};
  Vec3 anchor_offset = Vec3::Zero();  ///< world axes [m]
  // what explicit laws go by
  Vec3 velocity = Vec3::Zero();  ///< of P against Q over the step, world axes [m/s]
  Vec3 viscous_friction =
      Vec3::Zero();  ///< the part of the friction that is no spring's, world axes [N]
};

/// Whether b is where a was, perhaps slid on along one of its features: a vertex that has moved to
/// another face is the same contact.
bool is_same_contact(const Proximity& a, const Proximity& b);

/// What names a contact from step to step, in a form that is quick to compare.
struct ContactKey {
  explicit ContactKey(const Proximity& contact);
  auto operator<=>(const ContactKey&) const = default;

  /// Whether the other may be this one, slid on.
  bool has_place_of(const ContactKey& other) const {
    return bodies == other.bodies && feature == other.feature;
  }

  std::uint64_t bodies;
  std::uint64_t feature;     ///< what makes it what it is, with its kind
  std::uint32_t slid_along;  ///< the other feature
};

/// Contacts by what they are.
class ContactIndex {
 public:
  void reserve(int count) { entries_.reserve(uz(count)); }
  void clear() { entries_.clear(); }
  /// To be called for number 0, 1, ... in turn, then `sort`.
  void add(const Proximity& contact);
  void sort();

  /// The lowest number of one with the same features, else of one that has slid on; -1: none.
  int find(const Proximity& contact) const;

 private:
  struct Entry {
    ContactKey key;
    int number;
  };
  std::vector<Entry> entries_;
};

/// The contacts of the last step, to be found again. One with all of its features the same is
/// preferred to one that has slid on.
class ContactMemory {
 public:
  /// Room for so many; beyond it, remembering allocates.
  void reserve(int count);

  void clear();
  void remember(const RememberedContact& contact);

  /// To be called once all are remembered, unless they came in their order.
  void sort();

  /// The contact that was this one, or null.
  const RememberedContact* find(const Proximity& proximity) const;

  std::span<const RememberedContact> contacts() const { return contacts_; }

 private:
  std::vector<RememberedContact> contacts_;  ///< in the order of their keys
  std::vector<ContactKey> keys_;
  // as they came, while they are sorted
  struct Arrival {
    ContactKey key;
    int number;
  };
  std::vector<Arrival> arrivals_;
  std::vector<RememberedContact> unsorted_;
};

}  // namespace stickslip
