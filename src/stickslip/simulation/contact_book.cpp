#include "stickslip/simulation/contact_book.hpp"

#include <algorithm>

namespace stickslip {

void remember_contacts(const Scene& scene, State& state, StepData& data) {
  StepReport& report = data.report;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    const Vec3 moved = relative_motion(contact, data.moving, data.next);
    RememberedContact memory = remembered(contact, force, moved / scene.simulation.dt);
    if (force[0] > 0.0) ++report.loaded_contacts;
    report.adhesion_N = std::max(report.adhesion_N, -force[0]);
    report.cone_excess_N = std::max(report.cone_excess_N,
                                    force.tail<2>().norm() - contact.mu * std::max(0.0, force[0]));
    if (memory.sticks) {
      report.stick_drift_m =
          std::max(report.stick_drift_m, (contact.frame.bottomRows<2>() * moved).norm());
    }
    // springs stand for the anchors of the exact law
    if (lives_by_overlap(scene.simulation.contact_method)) memory.sticks = false;
    state.contacts.remember(memory);
  }
  state.contacts.sort();
}

}  // namespace stickslip
