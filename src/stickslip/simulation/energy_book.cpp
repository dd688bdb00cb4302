#include "stickslip/simulation/energy_book.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// What the frame of a body goes in a step, linear in the forces, as far as it was let go.
Vec6 way_gone(const Body& body, const BodyStep& step) {
  Vec6 whole = step.frame.displacement;
  if (!body.frame().is_held()) whole += step.frame.compliance * step.contact_wrench;
  return step.share_gone * whole;
}

/// By all that acts on a free frame but contacts: the rest of what changed its momentum. [J]
double drive_work(const Body& body, const BodyStep& step) {
  const FrameStep& frame = step.frame;
  const Vec6 added =
      frame.displacement + frame.compliance * step.contact_wrench - frame.inertial_displacement;
  const Vec6 wrench = frame.inertia * added / (frame.dt * frame.dt) - step.contact_wrench;
  return wrench.dot(way_gone(body, step));
}

/// By contact forces on a frame that is moved. [J]
double work_on_mover(const MovingBody& mover, const SurfacePoint& point, const Vec3& force) {
  const Vec6 moved = way_gone(*mover.body, *mover.step);
  const Vec3 arm = mover.body->position(*mover.state, point) - mover.state->frame.position;
  return force.dot(moved.head<3>() + moved.tail<3>().cross(arm));
}

/// Adds what contacts did to frames that are moved, and where one of those was left behind.
void look_at_movers(StepData& data) {
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const Vec3 force = contact.axes.transpose() * data.f.segment<3>(static_cast<int>(3 * c));
    if (force.isZero(0.0)) continue;
    const Proximity& where = contact.where;
    const MovingBody& one = data.moving[uz(where.body_1)];
    const MovingBody& two = data.moving[uz(where.body_2)];
    GroupGain& group =
        data.group_gains[uz(data.groups.group_of(yields(*one.body) ? where.body_1 : where.body_2))];
    for (const MovingBody* mover : {&one, &two}) {
      if (!mover->body->frame().is_held()) continue;
      const bool is_first = mover == &one;
      group.was_left_behind |= mover->step->share_gone < 1.0;
      group.gain += work_on_mover(*mover, is_first ? where.P : where.Q, is_first ? force : -force);
    }
  }
}

}  // namespace

void take_out_gain(const Scene& scene, StepData& data) {
  data.group_gains.assign(uz(data.groups.count()), GroupGain{});
  const auto visit_free = [&](const auto& each) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const int g = data.groups.group_of(static_cast<int>(b));
      if (g >= 0 && !scene.bodies[b].body.frame().is_held()) each(b, data.group_gains[uz(g)]);
    }
  };
  visit_free([&](std::size_t b, GroupGain& group) {
    const Body& body = scene.bodies[b].body;
    const double now = body.frame().kinetic_energy(data.next[b].frame);
    const double before = body.frame().kinetic_energy(data.moving[b].state->frame);
    group.was_left_behind |= data.body_steps[b].share_gone < 1.0;
    group.kinetic += now;
    group.gain += now - before - drive_work(body, data.body_steps[b]);
  });
  look_at_movers(data);
  visit_free([&](std::size_t b, const GroupGain& group) {
    if (!group.was_left_behind || group.gain <= 0.0) return;
    const double left = std::max(0.0, 1.0 - group.gain / group.kinetic);
    data.next[b].frame.velocity *= std::sqrt(left);
    data.next[b].frame.angular_velocity *= std::sqrt(left);
  });
}

EnergyReport report_energy(const Scene& scene, const State& state, const StepData& data) {
  EnergyReport energy;
  const double dt = scene.simulation.dt;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    const BodyStep& body_step = data.body_steps[b];
    energy.total += body.energy(data.next[b], body_step, scene.simulation.gravity);

    // displacement of the frame over the step
    Vec6 moved;
    moved.head<3>() = data.next[b].frame.position - state.bodies[b].frame.position;
    moved.tail<3>() =
        turn_between(state.bodies[b].frame.orientation, data.next[b].frame.orientation);
    const FrameLoad& load = data.loads[b].frame;
    if (body.frame().is_held()) {
      // who moves it works against the contact forces
      energy.work_in -= body_step.contact_wrench.dot(moved);
    } else {
      energy.work_in += load.wrench.dot(moved);
      const Vec6 spring = load.spring_wrench - load.K_c * moved - load.B_c * moved / dt;
      energy.work_in += spring.dot(moved);
    }
    energy.work_in += body.load_case_work(state.bodies[b], data.load_cases[b], moved,
                                          state.load_displacements[b], body_step);
  }
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    if (force.isZero(0.0)) continue;
    energy.friction -= force.tail<2>().dot(contact.axes.bottomRows<2>() * data.ways[c]);
  }
  return energy;
}

}  // namespace stickslip
