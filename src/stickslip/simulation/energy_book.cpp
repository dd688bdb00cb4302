#include "stickslip/simulation/energy_book.hpp"

#include "stickslip/math/rotation.hpp"

namespace stickslip {

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
