#include "stickslip/haptics/loop/followed_contacts.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "stickslip/contact/contact_axes.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

// less is not worth following
constexpr double least_turn = 1e-3;   // [rad]
constexpr double least_slide = 1e-4;  // [m]
/// Edges that cross at less than this sine have no normal of their own.
constexpr double least_crossing = 0.05;

/// Whether a force lies inside its cone rather than on it.
bool is_held_by_friction(const Vec3& f, double mu) {
  constexpr double slip_share = 1.0 - 1e-6;
  return f.tail<2>().norm() < slip_share * mu * f[0];
}

/// Displacement of a point of a tool, by that of its frame.
Vec3 displacement_at(const Vec6& moved, const Vec3& arm) {
  return moved.head<3>() + Vec3(moved.tail<3>()).cross(arm);
}

Vec3 crossing(const PublishedContact& contact, const Vec3& n) {
  const Vec3 across = contact.edge_1.cross(contact.edge_2);
  const double sine = across.norm();
  if (sine < least_crossing) return n;
  return std::copysign(1.0 / sine, n.dot(across)) * across;
}

/// Lays the points of a contact onto each other along its tangents, on the surfaces that the normal
/// belongs to: `apart` is from Q to P, in the tangent plane.
void lay_together(const Vec3& apart, PublishedContact& contact) {
  if (contact.normal_of == NormalOf::tool_1) contact.arm_1 -= apart;
  if (contact.normal_of == NormalOf::tool_2) contact.arm_2 += apart;
  const double sine = contact.edge_1.cross(contact.edge_2).norm();
  if (contact.normal_of != NormalOf::edges || sine < least_crossing) return;
  // P goes back along its edge, Q forth along its own
  Eigen::Matrix<double, 3, 2> edges;
  edges << contact.edge_1, -contact.edge_2;
  const Eigen::Vector2d ways = (edges.transpose() * edges).inverse() * (edges.transpose() * apart);
  contact.arm_1 -= ways[0] * contact.edge_1;
  contact.arm_2 -= ways[1] * contact.edge_2;
}

/// W for contacts whose axes have turned: block (i, j) becomes turns[i] * block * turns[j]^T.
void turn_axes(std::span<const Mat3> turns, Eigen::Map<MatX> W) {
  for (int j = 0; j < static_cast<int>(turns.size()); ++j) {
    auto columns = W.middleCols<3>(3 * j);
    for (int i = 0; i < static_cast<int>(turns.size()); ++i) {
      auto block = columns.middleRows<3>(3 * i);
      block = (turns[uz(i)] * block * turns[uz(j)].transpose()).eval();
    }
  }
}

}  // namespace

FollowedContacts::FollowedContacts(int tool_count, int max_contacts) {
  at_.reserve(uz(tool_count));
  turns_.reserve(uz(tool_count));
  rest_.reserve(uz(max_contacts));
  origin_.reserve(uz(max_contacts));
  axes_.reserve(uz(max_contacts));
  answer_.resize(3 * max_contacts, 6);
  J_.assign(uz(tool_count), answer_);
  others_.resize_dense(max_contacts);
}

Vec3 FollowedContacts::motion(const PublishedContact& contact, std::span<const Vec6> from,
                              std::span<const Vec6> to) {
  Vec3 way = Vec3::Zero();
  if (contact.tool_1 >= 0) {
    const auto t = uz(contact.tool_1);
    way += displacement_at(to[t] - from[t], contact.arm_1);
  }
  if (contact.tool_2 >= 0) {
    const auto t = uz(contact.tool_2);
    way -= displacement_at(to[t] - from[t], contact.arm_2);
  }
  return way;
}

void FollowedContacts::take(const PublishedGroup& group, const ToolMotions& tools,
                            std::span<const Mat6> compliances) {
  const int m = group.problem.contact_count();
  // contacts are those of the beginning of the step
  at_.assign(tools.free.size(), Vec6::Zero());
  rest_.assign(uz(m), Vec3::Zero());
  origin_.assign(uz(m), Vec3::Zero());
  note_slip(group);
  slides_over_tools_ = false;
  for (int c = 0; c < m; ++c) {
    const PublishedContact& contact = group.contacts[uz(c)];
    slides_over_tools_ |= contact.normal_of != NormalOf::none;
    const Vec3 delta_free = group.problem.delta_free.segment<3>(3 * c);
    rest_[uz(c)] = delta_free - contact.axes * motion(contact, at_, tools.free);
    if (is_held_by_friction(group.f.segment<3>(3 * c), group.problem.mu[c])) continue;
    origin_[uz(c)].tail<2>() += (contact.axes * motion(contact, tools.moved, tools.slid)).tail<2>();
  }
  find_jacobians(group);
  others_.resize_dense(m);
  others_.as_dense() = group.problem.W.as_dense();
  add_tools(-1.0, compliances, others_.as_dense());
}

void FollowedContacts::add_tools(double sign, std::span<const Mat6> compliances,
                                 Eigen::Map<MatX> W) {
  for (std::size_t t = 0; t < compliances.size(); ++t) {
    const auto J = J_[t].topRows(W.rows());
    auto answer = answer_.topRows(W.rows());
    answer.noalias() = sign * J.lazyProduct(compliances[t]);
    W += answer.lazyProduct(J.transpose());
  }
}

void FollowedContacts::note_slip(const PublishedGroup& group) {
  for (int c = 0; c < group.problem.contact_count(); ++c) {
    if (is_held_by_friction(group.f.segment<3>(3 * c), group.problem.mu[c])) continue;
    origin_[uz(c)].tail<2>() += group.u.segment<2>(3 * c + 1);
  }
}

void FollowedContacts::write_problem(std::span<const Vec6> moved, std::span<const Mat6> compliances,
                                     PublishedGroup& group) {
  group.problem.W.as_dense() = others_.as_dense();
  add_tools(1.0, compliances, group.problem.W.as_dense());
  for (int c = 0; c < group.problem.contact_count(); ++c) {
    const PublishedContact& contact = group.contacts[uz(c)];
    group.problem.delta_free.segment<3>(3 * c) =
        rest_[uz(c)] - origin_[uz(c)] + contact.axes * motion(contact, at_, moved);
  }
}

bool FollowedContacts::has_moved_on(std::span<const Vec6> moved) const {
  for (std::size_t t = 0; t < at_.size(); ++t) {
    const Vec6 way = moved[t] - at_[t];
    if (way.tail<3>().norm() > least_turn) return true;
    if (slides_over_tools_ && way.head<3>().norm() > least_slide) return true;
  }
  return false;
}

void FollowedContacts::follow(std::span<const Vec6> moved, PublishedGroup& group) {
  if (!has_moved_on(moved)) return;
  turns_.clear();
  for (std::size_t t = 0; t < at_.size(); ++t) {
    turns_.push_back(
        (rotation_exp(moved[t].tail<3>()) * rotation_exp(-at_[t].tail<3>())).toRotationMatrix());
  }
  axes_.clear();
  for (int c = 0; c < group.problem.contact_count(); ++c) {
    follow(c, moved, group.contacts[uz(c)]);
  }
  // what other bodies add to W only sees the axes turn
  if (slides_over_tools_) turn_axes(axes_, others_.as_dense());
  find_jacobians(group);
  std::copy_n(moved.begin(), at_.size(), at_.begin());
}

void FollowedContacts::find_jacobians(const PublishedGroup& group) {
  const auto rows = 3 * static_cast<int>(group.contacts.size());
  for (std::size_t t = 0; t < at_.size(); ++t) J_[t].topRows(rows).setZero();
  for (int c = 0; 3 * c < rows; ++c) {
    const PublishedContact& contact = group.contacts[uz(c)];
    const auto add = [&](int tool, const Vec3& arm, double sign) {
      if (tool < 0) return;
      auto J_c = J_[uz(tool)].middleRows<3>(3 * c);
      J_c.leftCols<3>() += sign * contact.axes;
      J_c.rightCols<3>() -= sign * contact.axes * skew(arm);
    };
    add(contact.tool_1, contact.arm_1, 1.0);
    add(contact.tool_2, contact.arm_2, -1.0);
  }
}

Vec3 FollowedContacts::way_of(int tool, const Vec3& arm, std::span<const Vec6> moved) const {
  if (tool < 0) return Vec3::Zero();
  const auto t = uz(tool);
  return (moved[t] - at_[t]).head<3>() + turns_[t] * arm - arm;
}

void FollowedContacts::follow(int c, std::span<const Vec6> moved, PublishedContact& contact) {
  const Mat3 before = contact.axes;
  Vec3& rest = rest_[uz(c)];
  Vec3& origin = origin_[uz(c)];

  // where the points went
  Vec3 n = before.row(0);
  Vec3 apart = before.transpose() * rest + way_of(contact.tool_1, contact.arm_1, moved) -
               way_of(contact.tool_2, contact.arm_2, moved);
  const auto turn_arm = [&](int tool, double sign, Vec3& arm, Vec3& edge, Roundness& round) {
    if (tool < 0) return;
    const Mat3& turn = turns_[uz(tool)];
    const Vec3 rolled = round.turn(turn);
    arm = turn * arm + rolled;
    edge = turn * edge;
    apart += sign * n.dot(rolled) * n;
  };
  turn_arm(contact.tool_1, 1.0, contact.arm_1, contact.edge_1, contact.round_1);
  turn_arm(contact.tool_2, -1.0, contact.arm_2, contact.edge_2, contact.round_2);

  // how the axes turned
  if (contact.normal_of == NormalOf::tool_1) n = turns_[uz(contact.tool_1)] * n;
  if (contact.normal_of == NormalOf::tool_2) n = turns_[uz(contact.tool_2)] * n;
  if (contact.normal_of == NormalOf::edges) n = crossing(contact, n);
  if (contact.normal_of != NormalOf::none) contact.axes = contact_axes(n, before.row(1));
  axes_.push_back(contact.axes * before.transpose());
  rest = contact.axes * apart;
  origin.tail<2>() = (axes_.back() * origin).tail<2>();
  if (contact.normal_of == NormalOf::none) return;

  // where they meet now
  const Vec3 slid(0.0, rest[1], rest[2]);
  lay_together(contact.axes.transpose() * slid, contact);
  rest -= slid;
  origin -= slid;
}

}  // namespace stickslip
