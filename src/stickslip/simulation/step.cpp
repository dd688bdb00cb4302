#include "stickslip/simulation/step.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/simulation/contact_book.hpp"
#include "stickslip/simulation/contact_solve.hpp"
#include "stickslip/simulation/detection.hpp"
#include "stickslip/simulation/drives.hpp"
#include "stickslip/simulation/energy_book.hpp"
#include "stickslip/simulation/hands.hpp"
#include "stickslip/simulation/phase_timer.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {

namespace {

// overlaps below this share of the alarm distance are left to the contact forces
constexpr double overlap_share = 1e-4;

// solves that meetings on the way may cost
constexpr int most_swept_rounds = 6;

bool has_inertia(const SceneBody& body, const BodyState& state) {
  return !body.body.frame().is_held() || state.deformation.v.size() > 0;
}

bool is_finite(const BodyState& state) {
  return state.frame.position.allFinite() && state.frame.orientation.coeffs().allFinite() &&
         state.frame.velocity.allFinite() && state.frame.angular_velocity.allFinite() &&
         state.deformation.u.allFinite() && state.deformation.v.allFinite();
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
  data.groups.build(data.contacts, data.moving);
  data.report.contacts = static_cast<int>(data.contacts.size());
}

void apply_correction(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::correct);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    gather_body_forces(data.contacts, data.f, static_cast<int>(b), data.body_points,
                       data.body_forces);
    data.next[b] = state.bodies[b];
    scene.bodies[b].body.correct(data.body_points, data.body_forces, data.body_steps[b],
                                 data.next[b]);
  }
}

/// The last resort against going through.
void hold_back(StepData& data) {
  if (!data.fast_motion) return;
  data.report.was_held_back |= data.fast_motion->hold_back(data.moving, data.contacts, data.next);
}

/// Whatever was solved: nothing goes through.
void keep_cores_apart(StepData& data) {
  if (!data.fast_motion) return;
  const PhaseTimer timer(data.report, Phase::proximity);
  data.report.was_held_back |= data.fast_motion->keep_cores_apart(data.moving, data.next);
}

/// What bodies meet on their way, further off than detection looks: whether to solve again.
bool find_swept_contacts(const Scene& scene, const State& state, StepData& data) {
  if (!data.fast_motion) return false;
  const PhaseTimer timer(data.report, Phase::proximity);
  if (data.report.swept_rounds == most_swept_rounds) {
    hold_back(data);
    return false;
  }
  if (!data.fast_motion->find(data.moving, data.next, data.contacts, data.f, data.found)) {
    return false;
  }
  keep_to_budget(scene, state, data);
  ++data.report.swept_rounds;
  return true;
}

/// Whether to solve again: the gaps were not what the solve took them for, or bodies met on their
/// way. Where no time is left for it, what would go through stays where it met.
bool needs_round(const Scene& scene, const State& state, StepData& data) {
  const bool may_look_again = data.report.passes < scene.simulation.passes &&
                              !lives_by_overlap(scene.simulation.contact_method);
  if (!(may_look_again && find_proximities_again(scene, state, data)) &&
      !find_swept_contacts(scene, state, data)) {
    return false;
  }
  if (has_time_for_round(scene, data)) return true;
  data.report.is_converged = false;
  data.report.met_deadline = false;
  const PhaseTimer timer(data.report, Phase::proximity);
  hold_back(data);
  return false;
}

/// All stand where they were, and nothing pushes.
void restore(State& state, StepData& data) {
  data.report.error = 0.0;
  for (BodyState& body : state.bodies) {
    body.frame.velocity.setZero();
    body.frame.angular_velocity.setZero();
    body.deformation.v.setZero();
  }
  state.hands = data.hands_before;
  for (BodyStep& step : data.body_steps) step.contact_wrench.setZero();
  data.contacts.clear();
  data.groups.build(data.contacts, data.moving);
  data.f.setZero();
}

/// The state moves to the end of the step, with what the next one needs of the contacts.
void finish(const Scene& scene, State& state, StepData& data) {
  StepReport& report = data.report;
  report.was_restored = !std::all_of(data.next.begin(), data.next.end(), is_finite);
  state.contacts.clear();
  if (report.was_restored) {
    restore(state, data);
  } else {
    report.energy = report_energy(scene, state, data);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (data.body_steps[b].deformation) {
        state.load_displacements[b] = data.body_steps[b].deformation->load_displacement;
      }
    }
    for (std::size_t d = 0; d < data.inputs.size(); ++d) state.inputs[d] = data.inputs[d].value;
    remember_contacts(scene, state, data);
    std::swap(state.bodies, data.next);
  }
  state.proximity_memory.clear();
  data.proximity->save(state.proximity_memory);
  state.time_s += scene.simulation.dt;
}

}  // namespace

std::unique_ptr<ProximityMethod> mesh_proximity(const Scene& scene) {
  MeshProximityOptions options;
  options.interpolate_normals = scene.simulation.interpolate_normals;
  if (scene.simulation.proximity == ProximityKind::stochastic) {
    return std::make_unique<StochasticProximity>(proximity_bodies(scene), scene.excluded_pairs,
                                                 scene.simulation.stochastic, options);
  }
  return std::make_unique<MeshProximity>(proximity_bodies(scene), scene.excluded_pairs, options);
}

StepData::StepData(const Scene& scene)
    : delassus(static_cast<int>(scene.bodies.size()), scene.simulation.contact_budget),
      unbuilt(static_cast<int>(scene.bodies.size())) {
  const int budget = scene.simulation.contact_budget;
  const std::size_t count = scene.bodies.size();
  proximity = scene.make_proximity ? scene.make_proximity(scene) : mesh_proximity(scene);
  // the scene's own method knows surfaces that we do not, and penalties need their overlaps
  if (scene.simulation.fast_motion && !scene.make_proximity &&
      !lives_by_overlap(scene.simulation.contact_method)) {
    fast_motion = std::make_unique<FastMotion>(scene);
  }
  load_cases.resize(count);
  points.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    const SceneBody& part = scene.bodies[b];
    next.push_back(part.body.initial_state(part.position, part.orientation));
    initial_frames.push_back(next.back().frame);
    body_steps.push_back(part.body.make_step(budget));
    load_cases[b].resize(uz(part.body.load_case_count()));
    points[b] = part.body.surface().points;
    surfaces.push_back({.points = points[b]});
  }
  inputs.resize(scene.drives.size());
  loads.resize(count);
  hand_inputs.resize(scene.hands.size());
  couplings.resize(scene.hands.size());
  targets_before.resize(scene.hands.size());
  hands_before.resize(scene.hands.size());
  hand_wrenches.assign(scene.hands.size(), Vec6::Zero());
  moving.resize(count);
  found.reserve(uz(4 * budget));
  found_again.reserve(uz(4 * budget));
  is_known.reserve(uz(budget));
  chosen.reserve(uz(budget));
  contacts.reserve(uz(budget));
  groups.reserve(static_cast<int>(count), budget);
  f.setZero(3 * budget);
  lift_f.setZero(3 * budget);
  lift_contacts.reserve(uz(budget));
  lift.solver = make_solver(scene.simulation.solver);
  body_points.reserve(uz(budget));
  body_forces.reserve(uz(budget));
}

State initial_state(const Scene& scene) {
  State state;
  for (const SceneBody& part : scene.bodies) {
    BodyState body = part.body.initial_state(part.position, part.orientation);
    body.frame.velocity = part.velocity;
    body.frame.angular_velocity = part.angular_velocity;
    state.bodies.push_back(body);
    state.load_displacements.emplace_back(
        VecX::Zero(part.body.deformation() ? 3 + part.body.load_case_count() : 0));
  }
  for (const Drive& drive : scene.drives) state.inputs.push_back(drive.table.at(0.0));
  state.contacts.reserve(scene.simulation.contact_budget);
  state.hands.resize(scene.hands.size());
  return state;
}

StepReport step(const Scene& scene, State& state, StepData& data) {
  data.report = StepReport{};
  data.solved_us = 0.0;
  if (!data.clock_answers.is_repeating()) data.clock_answers.start();
  {
    const PhaseTimer timer(data.report, Phase::total);
    compute_free_motion(scene, state, data);
    find_proximities(scene, state, data);
    if (data.fast_motion) data.fast_motion->start();
    do {
      build_contact_space(scene, state, data);
      build_delassus(scene, data);
      solve_contacts(scene, data);
      apply_correction(scene, state, data);
      ++data.report.passes;
    } while (needs_round(scene, state, data));
    if (data.has_overlap) {
      lift_overlaps(scene, data);
      hold_back(data);
    }
    keep_cores_apart(data);
    finish(scene, state, data);
    render_wrenches(scene, state, data);
  }
  return data.report;
}

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
    report.normal = contact.frame.row(0).transpose();
    report.gap =
        report.normal.dot(report.P - report.Q) + contact.where.bend + contact.where.turning;
    if (is_exact(contact.where.kind)) {
      // data.next has the states of the beginning now
      const auto before = [&](int b, const SurfacePoint& point) {
        return scene.bodies[uz(b)].body.position(data.next[uz(b)], point);
      };
      const Vec3 QP =
          before(report.body_1, contact.where.P) - before(report.body_2, contact.where.Q);
      const Vec3 moved = relative_motion(contact, data.moving, data.next, state.bodies);
      report.gap = report.normal.dot(QP + moved) + contact.where.bend;
    }
    report.force = contact.frame.transpose() * force;
    report.sticks = sticks(force, contact.mu);
    reports.push_back(report);
  }
}

}  // namespace stickslip
