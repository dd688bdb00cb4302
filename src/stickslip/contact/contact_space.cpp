#include "stickslip/contact/contact_space.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/contact_frame.hpp"

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
  const Vec3 QP = one.body->position(*one.state, where.P) - two.body->position(*two.state, where.Q);
  const Vec3 QP_free = one.body->free_position(*one.state, *one.step, where.P) -
                       two.body->free_position(*two.state, *two.step, where.Q);

  Contact contact;
  contact.where = where;
  contact.mu = mu;
  Vec3& n = contact.where.normal;
  if (n.isZero()) {
    // two points in one place have no direction between them: any will do
    const double distance = QP.norm();
    n = distance > 0.0 ? Vec3(QP / distance) : Vec3(Vec3::UnitZ());
  }
  contact.frame = contact_frame(n, before ? before->t1 : Vec3(Vec3::Zero()));

  // (Eq. 20) gap at the end of the free motion, slip over it
  contact.delta_free = contact.frame * (QP_free - QP);
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
    contact.delta_free.tail<2>() += contact.frame.bottomRows<2>() * apart;
  } else {
    contact.anchor_P = where.P;
    contact.anchor_Q = where.Q;
    contact.anchor_offset = QP - n.dot(QP) * n;
  }
  contact.initial_force.setZero();
  contact.velocity.setZero();
  contact.initial_spring.setZero();
  contact.viscous_friction.setZero();
  if (before) {
    contact.initial_force = contact.frame * before->force;
    contact.velocity = contact.frame * before->velocity;
    contact.initial_spring = contact.frame * (before->force - before->viscous_friction);
  }
  return contact;
}

bool sticks(const Vec3& force, double mu) {
  return force[0] > 0.0 && std::hypot(force[1], force[2]) < slip_share * mu * force[0];
}

Vec3 relative_motion(const Contact& contact, std::span<const MovingBody> bodies,
                     std::span<const BodyState> states) {
  const auto moved = [&](int b, const SurfacePoint& point) -> Vec3 {
    const MovingBody& moving = bodies[uz(b)];
    return moving.body->position(states[uz(b)], point) -
           moving.body->position(*moving.state, point);
  };
  return moved(contact.where.body_1, contact.where.P) -
         moved(contact.where.body_2, contact.where.Q);
}

double gap(const Contact& contact, std::span<const MovingBody> bodies,
           std::span<const BodyState> states) {
  const Proximity& where = contact.where;
  const auto position = [&](int b, const SurfacePoint& point) {
    return bodies[uz(b)].body->position(states[uz(b)], point);
  };
  const Vec3 QP = position(where.body_1, where.P) - position(where.body_2, where.Q);
  return where.bend + where.turning + contact.frame.row(0).dot(QP);
}

RememberedContact remembered(const Contact& contact, const Vec3& force, const Vec3& velocity) {
  RememberedContact memory;
  memory.where = contact.where;
  memory.where.bend = 0.0;
  memory.where.turning = 0.0;
  memory.where.normal = contact.frame.row(0).transpose();
  memory.t1 = contact.frame.row(1).transpose();
  memory.force = contact.frame.transpose() * force;
  memory.sticks = sticks(force, contact.mu);
  memory.anchor_P = contact.anchor_P;
  memory.anchor_Q = contact.anchor_Q;
  memory.anchor_offset = contact.anchor_offset;
  memory.velocity = velocity;
  memory.viscous_friction = contact.frame.transpose() * contact.viscous_friction;
  return memory;
}

}  // namespace stickslip
