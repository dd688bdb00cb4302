#include "stickslip/contact/body_forces.hpp"

namespace stickslip {

void BodyForces::reserve(int body_count, int contact_count) {
  starts_.reserve(uz(body_count) + 1);
  next_.reserve(uz(body_count));
  points_.reserve(2 * uz(contact_count));
  forces_.reserve(2 * uz(contact_count));
}

void BodyForces::gather(std::span<const Contact> contacts, const ConstVecView& f, int body_count) {
  const auto force_of = [&](std::size_t c) -> Vec3 {
    return f.segment<3>(static_cast<int>(3 * c));
  };

  // how many points each body has, and where they begin
  starts_.assign(uz(body_count) + 1, 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (force_of(c).isZero(0.0)) continue;
    ++starts_[uz(contacts[c].where.body_1) + 1];
    ++starts_[uz(contacts[c].where.body_2) + 1];
  }
  for (std::size_t b = 1; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
  points_.resize(uz(starts_.back()));
  forces_.resize(uz(starts_.back()));

  next_.assign(starts_.begin(), starts_.end() - 1);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Vec3 along = force_of(c);
    if (along.isZero(0.0)) continue;
    const Proximity& where = contacts[c].where;
    const Vec3 force = contacts[c].axes.transpose() * along;
    const auto P = uz(next_[uz(where.body_1)]++);
    points_[P] = where.P;
    forces_[P] = force;
    const auto Q = uz(next_[uz(where.body_2)]++);
    points_[Q] = where.Q;
    forces_[Q] = -force;
  }
}

}  // namespace stickslip
