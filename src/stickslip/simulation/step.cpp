#include "stickslip/simulation/step.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/simulation/contact_book.hpp"
#include "stickslip/simulation/contact_solve.hpp"
#include "stickslip/simulation/detection.hpp"
#include "stickslip/simulation/drives.hpp"
#include "stickslip/simulation/energy_book.hpp"
#include "stickslip/simulation/hands.hpp"
#include "stickslip/simulation/needed_contacts.hpp"
#include "stickslip/simulation/phase_timer.hpp"
#include "stickslip/simulation/rounds.hpp"

namespace stickslip {

namespace {

// overlaps below this share of the alarm distance are left to the contact forces
constexpr double overlap_share = 1e-4;

bool has_inertia(const SceneBody& body, const BodyState& state) {
  return !body.body.frame().is_held() || state.deformation.v.size() > 0;
}

bool is_finite(const BodyState& state) {
  return state.frame.position.allFinite() && state.frame.orientation.coeffs().allFinite() &&
         state.frame.velocity.allFinite() && state.frame.angular_velocity.allFinite() &&
         state.deformation.u.is_finite() && state.deformation.v.allFinite();
}

void compute_free_motion(const Scene& scene, State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::free_motion);
  apply_drives(scene, state, data);
  apply_hands(scene, state, data);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    data.loads[b].cases = data.load_cases[b];
    scene.bodies[b].body.compute_free_motion(state.bodies[b], data.loads[b], scene.simulation.dt,
                                             data.body_steps[b]);
    data.moving[b] = {&scene.bodies[b].body, &state.bodies[b], &data.body_steps[b]};
  }
}

void build_contact_space(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::contact_space);
  const SimulationOptions& options = scene.simulation;
  data.contacts.clear();
  data.has_overlap = false;
  for (const Proximity& where : data.found) {
    const auto b1 = uz(where.body_1);
    const auto b2 = uz(where.body_2);
    if (!yields(scene.bodies[b1].body) && !yields(scene.bodies[b2].body)) continue;
    Contact contact = make_contact(where, data.moving, scene.friction(where.body_1, where.body_2),
                                   state.contacts);

    // the forces shall not grow an overlap that was missed, but not throw it out either: where
    // there is inertia, they would leave their speed behind
    double depth = std::max(0.0, -where.gap);
    if (depth < overlap_share * options.alarm_distance ||
        lives_by_overlap(options.contact_method) ||
        !(has_inertia(scene.bodies[b1], state.bodies[b1]) ||
          has_inertia(scene.bodies[b2], state.bodies[b2]))) {
      depth = 0.0;
    }
    contact.delta_free[0] += depth;
    data.has_overlap |= depth > 0.0;
    data.contacts.push_back(contact);
  }
  choose_needed_contacts(scene, data);
  data.report.contacts = static_cast<int>(data.contacts.size());
}

void apply_correction(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::correct);
  data.body_forces.gather(data.contacts, data.f, static_cast<int>(scene.bodies.size()));
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto body = static_cast<int>(b);
    data.next[b] = state.bodies[b];
    scene.bodies[b].body.correct(data.body_forces.points(body), data.body_forces.forces(body),
                                 data.body_steps[b], data.next[b]);
  }
}

/// All stand where they were, and nothing pushes.
void restore(State& state, StepData& data) {
  data.report.error = 0.0;
  for (BodyState& body : state.bodies) {
    body.frame.velocity.setZero();
    body.frame.angular_velocity.setZero();
    body.deformation.v.setZero();
  }
  data.before = state.bodies;
  state.hands = data.hands_before;
  for (BodyStep& step : data.body_steps) step.contact_wrench.setZero();
  data.contacts.clear();
  data.is_needed.clear();
  data.groups.build(data.contacts, data.is_needed, data.moving);
  data.f.setZero();
}

/// Of the bodies that are linearised anew in each step. [N]
double largest_imbalance(const Scene& scene, const StepData& data) {
  double largest = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Deformation* deformation = scene.bodies[b].body.deformation();
    if (dynamic_cast<const RelinearisedDeformation*>(deformation) == nullptr) continue;
    largest =
        std::max(largest, RelinearisedDeformation::imbalance(*data.body_steps[b].deformation));
  }
  return largest;
}

/// The state moves to the end of the step, with what the next one needs of the contacts.
void finish(const Scene& scene, State& state, StepData& data) {
  StepReport& report = data.report;
  report.was_restored = !std::all_of(data.next.begin(), data.next.end(), is_finite);
  state.contacts.clear();
  if (report.was_restored) {
    restore(state, data);
  } else {
    measure_ways(data);
    report.energy = report_energy(scene, state, data);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (data.body_steps[b].deformation) {
        state.load_displacements[b] = data.body_steps[b].deformation->load_displacement;
      }
    }
    report.imbalance_N = largest_imbalance(scene, data);
    for (std::size_t d = 0; d < data.inputs.size(); ++d) state.inputs[d] = data.inputs[d].value;
    remember_contacts(scene, state, data);
    std::swap(data.before, state.bodies);
    std::swap(state.bodies, data.next);
  }
  state.proximity_memory.clear();
  data.proximity->save(state.proximity_memory);
  state.time_s += scene.simulation.dt;
}

}  // namespace

StepReport step(const Scene& scene, State& state, StepData& data) {
  data.report = StepReport{};
  data.solved_us = 0.0;
  if (!data.clock_answers.is_repeating()) data.clock_answers.start();
  {
    const PhaseTimer timer(data.report, Phase::total);
    compute_free_motion(scene, state, data);
    find_proximities(scene, state, data);
    start_rounds(data);
    do {
      build_contact_space(scene, state, data);
      do {
        build_delassus(scene, data);
        solve_contacts(scene, data);
        apply_correction(scene, state, data);
      } while (add_needed_contacts(scene, data));
    } while (prepare_another_round(scene, state, data));
    end_rounds(scene, data);
    finish(scene, state, data);
    render_wrenches(scene, state, data);
  }
  return data.report;
}

}  // namespace stickslip
