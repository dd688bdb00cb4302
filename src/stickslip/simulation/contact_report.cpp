#include "stickslip/simulation/contact_report.hpp"

namespace stickslip {

void report_contacts(const Scene& scene, const State& state, const StepData& data,
                     std::vector<ContactReport>& reports) {
  reports.clear();
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Contact& contact = data.contacts[c];
    const Vec3 force = data.f.segment<3>(static_cast<int>(3 * c));
    ContactReport report;
    report.body_1 = contact.where.body_1;
    report.body_2 = contact.where.body_2;
    report.P = scene.bodies[uz(report.body_1)].body.position(state.bodies[uz(report.body_1)],
                                                             contact.where.P);
    report.Q = scene.bodies[uz(report.body_2)].body.position(state.bodies[uz(report.body_2)],
                                                             contact.where.Q);
    report.normal = contact.axes.row(0).transpose();
    report.gap = gap(contact, data.moving, state.bodies);
    report.force = contact.axes.transpose() * force;
    report.sticks = sticks(force, contact.mu);
    reports.push_back(report);
  }
}

}  // namespace stickslip
