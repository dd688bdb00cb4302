#include "stickslip/simulation/state_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace stickslip {

namespace {

/// Appends what it meets.
class Writing {
 public:
  explicit Writing(std::vector<double>& numbers) : numbers_(numbers) {}

  void number(double value) { numbers_.push_back(value); }
  template <class Integer>
  void integer(const Integer& value) {
    numbers_.push_back(static_cast<double>(value));
  }
  void word(std::uint64_t value) { numbers_.push_back(std::bit_cast<double>(value)); }
  template <class Vector>
  void vector(const Vector& values) {
    numbers_.insert(numbers_.end(), values.data(), values.data() + values.size());
  }
  void displacement(const Displacement& u) { vector(u.all()); }

 private:
  std::vector<double>& numbers_;
};

/// Replaces what it meets; zeros come where the row has ended.
class Reading {
 public:
  explicit Reading(std::span<const double> numbers) : left_(numbers) {}

  bool is_sound() const { return is_sound_; }
  std::size_t left() const { return left_.size(); }

  void number(double& value) {
    is_sound_ &= !left_.empty();
    value = left_.empty() ? 0.0 : left_.front();
    left_ = left_.subspan(left_.empty() ? 0 : 1);
  }
  template <class Integer>
  void integer(Integer& value) {
    double as_number = 0.0;
    number(as_number);
    is_sound_ &= std::abs(as_number) < 2147483648.0;
    value = static_cast<Integer>(is_sound_ ? static_cast<int>(as_number) : 0);
  }
  void word(std::uint64_t& value) {
    double as_number = 0.0;
    number(as_number);
    value = std::bit_cast<std::uint64_t>(as_number);
  }
  template <class Vector>
  void vector(Vector& values) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(values.size()); ++i) {
      number(values.data()[i]);
    }
  }
  void displacement(Displacement& u) { vector(u.own()); }

 private:
  std::span<const double> left_;
  bool is_sound_ = true;
};

#ifdef __x86_64__
// a new member has to be visited below, told in docs/recordings.md, and makes a new format; but
// bend and turning of a Proximity, which are zero between steps, what a ContactMemory has beside
// its contacts to find them by, and the loads and the skin of a Displacement, from which the same
// numbers come
static_assert(sizeof(State) == 224 && sizeof(BodyState) == 352 && sizeof(HandState) == 256 &&
              sizeof(RememberedContact) == 360);
#endif

template <class Visitor, class Point>
void visit_point(Visitor& visitor, Point& point) {
  for (auto& corner : point.corner) visitor.integer(corner);
  visitor.vector(point.weight);
}

template <class Visitor, class Contact>
void visit_contact(Visitor& visitor, Contact& contact) {
  auto& where = contact.where;
  visitor.integer(where.body_1);
  visitor.integer(where.body_2);
  visit_point(visitor, where.P);
  visit_point(visitor, where.Q);
  visitor.vector(where.normal);
  visitor.number(where.gap);
  visitor.integer(where.kind);
  visitor.integer(where.feature_1);
  visitor.integer(where.feature_2);
  visitor.vector(contact.t1);
  visitor.vector(contact.force);
  visitor.integer(contact.sticks);
  visit_point(visitor, contact.anchor_P);
  visit_point(visitor, contact.anchor_Q);
  visitor.vector(contact.anchor_offset);
  visitor.vector(contact.velocity);
  visitor.vector(contact.viscous_friction);
}

template <class Visitor, class AnyPose>
void visit_pose(Visitor& visitor, AnyPose& pose) {
  visitor.vector(pose.position);
  visitor.vector(pose.orientation.coeffs());
}

template <class Visitor, class AnyHand>
void visit_hand(Visitor& visitor, AnyHand& hand) {
  visitor.integer(hand.body);
  visitor.vector(hand.grip.point);
  visitor.vector(hand.grip.orientation.coeffs());
  visitor.vector(hand.offset);
  visitor.vector(hand.turn.coeffs());
  visit_pose(visitor, hand.target);
  visitor.integer(hand.wanted_hold);
}

/// All that has the same size in every state of a scene.
template <class Visitor, class AnyState>
void visit_bodies(Visitor& visitor, AnyState& state) {
  visitor.number(state.time_s);
  for (auto& body : state.bodies) {
    visit_pose(visitor, body.frame);
    visitor.vector(body.frame.velocity);
    visitor.vector(body.frame.angular_velocity);
    visitor.displacement(body.deformation.u);
    visitor.vector(body.deformation.v);
  }
  for (auto& displacement : state.load_displacements) visitor.vector(displacement);
  for (auto& input : state.inputs) visitor.vector(input);
  for (auto& hand : state.hands) visit_hand(visitor, hand);
}

constexpr std::size_t numbers_per_contact = 49;

/// Whether a remembered contact lies on surfaces that there are.
bool is_of(const Scene& scene, const RememberedContact& contact) {
  const auto is_on = [&](int body, const SurfacePoint& point) {
    if (body < 0 || uz(body) >= scene.bodies.size()) return false;
    const int count = scene.bodies[uz(body)].body.surface().point_count();
    return std::all_of(point.corner.begin(), point.corner.end(),
                       [&](int corner) { return corner >= 0 && corner < count; });
  };
  const Proximity& where = contact.where;
  return where.kind <= FeatureKind::exact_2 && is_on(where.body_1, where.P) &&
         is_on(where.body_2, where.Q) && is_on(where.body_1, contact.anchor_P) &&
         is_on(where.body_2, contact.anchor_Q);
}

}  // namespace

void write_numbers(const State& state, std::vector<double>& numbers) {
  numbers.clear();
  Writing writing(numbers);
  visit_bodies(writing, state);
  writing.integer(state.contacts.contacts().size());
  for (const RememberedContact& contact : state.contacts.contacts()) {
    visit_contact(writing, contact);
  }
  writing.integer(state.proximity_memory.size());
  for (const std::uint64_t word : state.proximity_memory) writing.word(word);
}

bool read_numbers(std::span<const double> numbers, const Scene& scene, State& state) {
  Reading reading(numbers);
  visit_bodies(reading, state);
  for (const HandState& hand : state.hands) {
    if (hand.body < -1 || hand.body >= static_cast<int>(scene.bodies.size())) return false;
  }
  std::size_t contacts = 0;
  reading.integer(contacts);
  if (!reading.is_sound() || contacts > reading.left() / numbers_per_contact) return false;
  state.contacts.clear();
  for (std::size_t c = 0; c < contacts; ++c) {
    RememberedContact contact;
    visit_contact(reading, contact);
    if (!is_of(scene, contact)) return false;
    state.contacts.remember(contact);
  }
  std::size_t words = 0;
  reading.integer(words);
  if (!reading.is_sound() || words != reading.left()) return false;
  state.proximity_memory.resize(words);
  for (std::uint64_t& word : state.proximity_memory) reading.word(word);
  return true;
}

std::uint64_t hash_of(std::span<const double> numbers) {
  // four chains side by side, since each waits for its multiplication; any odd constants do whose
  // bits are well mixed
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  const auto mix = [](std::uint64_t chain, std::uint64_t word) {
    chain = (chain ^ word) * factor;
    return chain ^ (chain >> 29);
  };
  std::array<std::uint64_t, 4> chains = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                                         0x082efa98ec4e6c89};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    chains[i % 4] = mix(chains[i % 4], std::bit_cast<std::uint64_t>(numbers[i]));
  }
  std::uint64_t hash = numbers.size();
  for (const std::uint64_t chain : chains) hash = mix(hash, chain);
  return hash ^ (hash >> 32);
}

}  // namespace stickslip
