#include "stickslip/haptics/loop/published_step.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stickslip {

Vec6 wrench_at(const Vec3& force, const Vec3& arm) {
  Vec6 wrench;
  wrench << force, arm.cross(force);
  return wrench;
}

Vec3 Roundness::turn(const Mat3& by) {
  const Vec3 turned = by * radius;
  axis = by * axis;
  const Vec3 across = radius - radius.dot(axis) * axis;
  if (across.isZero()) return Vec3::Zero();
  radius = radius.norm() / across.norm() * across;
  return radius - turned;
}

void add_force(const PublishedContact& contact, const Vec3& f, std::span<Vec6> wrenches) {
  const Vec3 force = contact.axes.transpose() * f;
  if (contact.tool_1 >= 0) wrenches[uz(contact.tool_1)] += wrench_at(force, contact.arm_1);
  if (contact.tool_2 >= 0) wrenches[uz(contact.tool_2)] += wrench_at(-force, contact.arm_2);
}

void PublishedGroup::reserve(int contact_count) {
  const int most = std::min(contact_count, most_contacts_of_tick);
  chosen.reserve(uz(contact_count));
  loaded_.reserve(uz(contact_count));
  gap_.reserve(uz(contact_count));
  contacts.reserve(uz(most));
  problem.reserve({.contacts = most});
  f.reserve(3 * most);
  u.reserve(3 * most);
}

void PublishedGroup::resize(int m) {
  contacts.resize(uz(m));
  problem.resize_vectors(m);
  f.resize(3 * m);
  u.resize(3 * m);
}

void PublishedGroup::choose(const ContactProblem& from, const ConstVecView& from_f) {
  chosen.resize(uz(from.contact_count()));
  std::iota(chosen.begin(), chosen.end(), 0);
  if (from.contact_count() <= most_contacts_of_tick) return;

  gap_.clear();
  for (int c = 0; c < from.contact_count(); ++c) {
    Vec3 u_c = from.delta_free.segment<3>(3 * c);
    from.W.add_row(c, from_f, loaded_, u_c);
    gap_.push_back(u_c[0]);
  }
  const auto is_nearer = [&](int a, int b) {
    const double push_a = from_f[3 * a];
    const double push_b = from_f[3 * b];
    return push_a != push_b ? push_a > push_b : gap_[uz(a)] < gap_[uz(b)];
  };
  std::nth_element(chosen.begin(), chosen.begin() + most_contacts_of_tick, chosen.end(), is_nearer);
  chosen.resize(uz(most_contacts_of_tick));
  std::sort(chosen.begin(), chosen.end());
}

void PublishedGroup::take(const ContactProblem& from, const ConstVecView& from_f) {
  loaded_.clear();
  for (int c = 0; c < from.contact_count(); ++c) {
    if (from_f[3 * c] > 0.0) loaded_.push_back(c);
  }
  choose(from, from_f);

  const int m = static_cast<int>(chosen.size());
  resize(m);
  problem.W.resize_dense(m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      problem.W.add_block(i, j, from.W.block(chosen[uz(i)], chosen[uz(j)]));
    }
  }
  for (int k = 0; k < m; ++k) {
    const int c = chosen[uz(k)];
    f.segment<3>(3 * k) = from_f.segment<3>(3 * c);
    problem.mu[k] = from.mu[c];
    Vec3 u_c = from.delta_free.segment<3>(3 * c);
    from.W.add_row(c, from_f, loaded_, u_c);
    u.segment<3>(3 * k) = u_c;
  }
  // all that moves the contacts but their own forces
  problem.W.multiply(f, problem.delta_free);
  problem.delta_free = u - problem.delta_free;
}

}  // namespace stickslip
