#include "stickslip/simulation/contact_book.hpp"

#include <algorithm>

namespace stickslip {

namespace {

/// A contact that sticks is anchored anew where it is now, with the slip that is still to be taken
/// back there. Elsewhere, where it once was, the bodies may turn and yield otherwise: what the
/// forces on the contact cannot take back they would pull at for ever.
void move_anchor(const Contact& contact, const StepData& data, const Vec3& moved,
                 RememberedContact& memory) {
  const auto b1 = uz(contact.where.body_1);
  const auto b2 = uz(contact.where.body_2);
  const auto apart = [&](const BodyState& one, const BodyState& two, const SurfacePoint& P,
                         const SurfacePoint& Q) -> Vec3 {
    return data.moving[b1].body->position(one, P) - data.moving[b2].body->position(two, Q);
  };
  const Vec3 before =
      apart(*data.moving[b1].state, *data.moving[b2].state, contact.anchor_P, contact.anchor_Q) -
      contact.anchor_offset;
  const auto tangents = contact.axes.bottomRows<2>();
  const Vec3 left = tangents.transpose() * (tangents * (before + moved));
  memory.anchor_P = contact.where.P;
  memory.anchor_Q = contact.where.Q;
  memory.anchor_offset =
      apart(data.next[b1], data.next[b2], contact.where.P, contact.where.Q) - left;
}

}  // namespace

void measure_ways(StepData& data) {
  data.ways.clear();
  for (const Contact& contact : data.contacts) {
    data.ways.push_back(relative_motion(contact, data.moving, data.next));
  }
}

void remember_contacts(const Scene& scene, State& state, StepData& data) {
  StepReport& report = data.report;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    const Vec3& moved = data.ways[c];
    RememberedContact memory = remembered(contact, force, moved / scene.simulation.dt);
    if (force[0] > 0.0) ++report.loaded_contacts;
    report.adhesion_N = std::max(report.adhesion_N, -force[0]);
    report.cone_excess_N = std::max(report.cone_excess_N,
                                    force.tail<2>().norm() - contact.mu * std::max(0.0, force[0]));
    if (memory.sticks) {
      move_anchor(contact, data, moved, memory);
      report.stick_drift_m =
          std::max(report.stick_drift_m, (contact.axes.bottomRows<2>() * moved).norm());
    }
    // springs stand for the anchors of the exact law
    if (lives_by_overlap(scene.simulation.contact_method)) memory.sticks = false;
    state.contacts.remember(memory);
  }
  state.contacts.sort();
}

}  // namespace stickslip
