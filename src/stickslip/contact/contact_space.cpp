#include "stickslip/contact/contact_space.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/contact_axes.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

// friction this near its limit counts as slip
constexpr double slip_share = 1.0 - 1e-9;

}  // namespace

Contact make_contact(const Proximity& where, std::span<const MovingBody> bodies, double mu,
                     const ContactMemory& memory) {
  const MovingBody& one = bodies[uz(where.body_1)];
  const MovingBody& two = bodies[uz(where.body_2)];
  const RememberedContact* before = memory.find(where);

  // points now and at the end of the free motion
  const Vec3 P = one.body->position(*one.state, where.P);
  const Vec3 Q = two.body->position(*two.state, where.Q);
  const Vec3 QP = P - Q;
  const Vec3 QP_free = one.body->free_position(*one.state, *one.step, where.P, P) -
                       two.body->free_position(*two.state, *two.step, where.Q, Q);

  Contact contact;
  contact.where = where;
  contact.mu = mu;
  Vec3& n = contact.where.normal;
  if (n.isZero()) {
    // two points in one place have no direction between them: any will do
    const double distance = QP.norm();
    n = distance > 0.0 ? Vec3(QP / distance) : Vec3(Vec3::UnitZ());
  }
  contact.axes = contact_axes(n, before ? before->t1 : Vec3(Vec3::Zero()));

  // (Eq. 20) gap at the end of the free motion, slip over it
  contact.delta_free = contact.axes * (QP_free - QP);
  // what turns may come nearer by that, and closes a gap; it pushes nothing back beyond the overlap
  // there is, or forces would work on a way that nothing came
  const double start = contact.where.gap_of(QP);
  const double turning = std::max(where.turning, std::min(0.0, -start));
  contact.delta_free[0] = contact.where.gap_of(QP_free) + turning;

  if (before && before->sticks) {
    contact.anchor_P = before->anchor_P;
    contact.anchor_Q = before->anchor_Q;
    contact.anchor_offset = before->anchor_offset;
    const Vec3 apart = one.body->position(*one.state, before->anchor_P) -
                       two.body->position(*two.state, before->anchor_Q) - before->anchor_offset;
    contact.delta_free.tail<2>() += contact.axes.bottomRows<2>() * apart;
  } else {
    contact.anchor_P = where.P;
    contact.anchor_Q = where.Q;
    contact.anchor_offset = QP - n.dot(QP) * n;
  }
  contact.initial_force.setZero();
  contact.velocity.setZero();
  contact.initial_spring.setZero();
  contact.viscous_friction.setZero();
  contact.is_new = before == nullptr;
  if (before) {
    contact.initial_force = contact.axes * before->force;
    contact.velocity = contact.axes * before->velocity;
    contact.initial_spring = contact.axes * (before->force - before->viscous_friction);
  }
  return contact;
}

bool sticks(const Vec3& force, double mu) {
  return force[0] > 0.0 && std::hypot(force[1], force[2]) < slip_share * mu * force[0];
}

namespace {

/// How far a point of a body goes; by its arm and the turn where it may roll.
Vec3 motion_of(const Body& body, const SurfacePoint& point, bool may_roll, const BodyState& before,
               const BodyState& after) {
  const bool stands = body.deformation() == nullptr &&
                      before.frame.position == after.frame.position &&
                      before.frame.orientation.coeffs() == after.frame.orientation.coeffs();
  if (stands && !may_roll) return Vec3::Zero();
  const Vec3 start = body.position(before, point);
  if (!may_roll || body.deformation() != nullptr) return body.position(after, point) - start;
  const Vec3 turn = turn_between(before.frame.orientation, after.frame.orientation);
  return after.frame.position - before.frame.position + turn.cross(start - before.frame.position);
}

}  // namespace

Vec3 relative_motion(const Contact& contact, std::span<const MovingBody> bodies,
                     std::span<const BodyState> states) {
  const Proximity& where = contact.where;
  const auto moved = [&](int b, const SurfacePoint& point) {
    const MovingBody& moving = bodies[uz(b)];
    return motion_of(*moving.body, point, is_exact(where.kind), *moving.state, states[uz(b)]);
  };
  return moved(where.body_1, where.P) - moved(where.body_2, where.Q);
}

double gap(const Contact& contact, std::span<const MovingBody> bodies,
           std::span<const BodyState> states) {
  const Proximity& where = contact.where;
  const auto position = [&](int b, const SurfacePoint& point) {
    return bodies[uz(b)].body->position(states[uz(b)], point);
  };
  Vec3 QP = position(where.body_1, where.P) - position(where.body_2, where.Q);
  if (is_exact(where.kind)) {
    const MovingBody& one = bodies[uz(where.body_1)];
    const MovingBody& two = bodies[uz(where.body_2)];
    QP = one.body->position(*one.state, where.P) - two.body->position(*two.state, where.Q) +
         relative_motion(contact, bodies, states);
  }
  return where.bend + where.turning + contact.axes.row(0).dot(QP);
}

RememberedContact remembered(const Contact& contact, const Vec3& force, const Vec3& velocity) {
  RememberedContact memory;
  memory.where = contact.where;
  memory.where.bend = 0.0;
  memory.where.turning = 0.0;
  memory.where.normal = contact.axes.row(0).transpose();
  memory.t1 = contact.axes.row(1).transpose();
  memory.force = contact.axes.transpose() * force;
  memory.sticks = sticks(force, contact.mu);
  memory.anchor_P = contact.anchor_P;
  memory.anchor_Q = contact.anchor_Q;
  memory.anchor_offset = contact.anchor_offset;
  memory.velocity = velocity;
  memory.viscous_friction = contact.axes.transpose() * contact.viscous_friction;
  return memory;
}

}  // namespace stickslip
