#include "stickslip/simulation/step.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/simulation/contact_book.hpp"
#include "stickslip/simulation/detection.hpp"
#include "stickslip/simulation/drives.hpp"
#include "stickslip/simulation/energy_book.hpp"
#include "stickslip/simulation/hands.hpp"
#include "stickslip/simulation/phase_timer.hpp"
#include "stickslip/solver/solvers.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

// overlaps below this share of the alarm distance are left to the contact forces
constexpr double overlap_share = 1e-4;

// how soft overlaps are to the frames that are moved out of them, in shares of W: where they ask
// for what no motion of frames can do, as a clip open around a pipe does, the frames stay
constexpr double lift_softness = 0.1;

// of the time for all solves, where there is something to lift
constexpr double lift_share = 0.1;

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

void resize(StepData::GroupProblem& slot, int m) {
  const auto exchange = [&](StepData::GroupProblem::Vectors& vectors) {
    std::swap(vectors.delta_free, slot.problem.delta_free);
    std::swap(vectors.mu, slot.problem.mu);
    std::swap(vectors.f, slot.f);
  };
  if (slot.problem.mu.size() == m) return;
  exchange(slot.spare.at(uz(slot.problem.mu.size())));
  exchange(slot.spare.at(uz(m)));
  slot.problem.delta_free.resize(3 * m);
  slot.problem.mu.resize(m);
  slot.f.resize(3 * m);
}

bool is_left_unbuilt(const Scene& scene, StepData& data, std::span<const int> group) {
  // the haptic loop solves with W again
  if (scene.simulation.contact_method != ContactMethod::exact || !scene.hands.empty()) return false;
  switch (scene.simulation.delassus) {
    case DelassusForm::built:
      return false;
    case DelassusForm::unbuilt:
      return true;
    default:
      return scene.simulation.solver == "block-gauss-seidel" &&
             data.unbuilt.is_cheaper(data.contacts, group, data.moving);
  }
}

void build_delassus(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::delassus);
  while (static_cast<int>(data.problems.size()) < data.groups.count()) {
    data.problems.emplace_back();
    auto& slot = data.problems.back();
    const SimulationOptions& options = scene.simulation;
    slot.solver = make_solver(options.solver, options.pyramid_sides);
    slot.law = make_contact_law(options.contact_method, options.law,
                                make_solver(options.solver, options.pyramid_sides));
  }
  for (int g = 0; g < data.groups.count(); ++g) {
    const auto group = data.groups.contacts(g);
    auto& slot = data.problems[uz(g)];
    resize(slot, static_cast<int>(group.size()));
    slot.is_unbuilt = is_left_unbuilt(scene, data, group);
    if (!slot.is_unbuilt) {
      data.delassus.build(data.contacts, group, data.moving, Motion::whole, slot.problem.W);
    }
    for (std::size_t k = 0; k < group.size(); ++k) {
      const Contact& contact = data.contacts[uz(group[k])];
      slot.problem.delta_free.segment<3>(static_cast<int>(3 * k)) = contact.delta_free;
      slot.problem.mu[static_cast<int>(k)] = contact.mu;
    }
  }
}

SolverOptions solver_options(const Scene& scene) {
  SolverOptions options;
  // a pyramid cannot reach a tolerance on the exact cone
  if (scene.simulation.solver != "pyramid") options.tolerance = scene.simulation.tolerance;
  options.criterion = Criterion::rescaled;
  options.max_iterations = scene.simulation.max_iterations;
  options.warm_start = true;
  return options;
}

SolveResult solve_group(StepData& data, double dt, const SolverOptions& options,
                        std::span<const int> group, StepData::GroupProblem& slot) {
  if (slot.is_unbuilt) {
    return data.unbuilt.solve(data.contacts, group, data.moving, options, slot.problem, slot.f);
  }
  if (!slot.law) return slot.solver->solve(slot.problem, options, slot.f);
  return slot.law->solve(
      {slot.problem, data.contacts, group, data.moving, data.delassus, dt, options}, slot.f);
}

/// What the solves of this step, those of overlaps apart, may still take. [us]
double time_left(const Scene& scene, const StepData& data) {
  const double share = data.has_overlap ? 1.0 - lift_share : 1.0;
  return share * scene.simulation.deadline_us - data.solved_us;
}

void solve_contacts(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::solve);
  SolverOptions options = solver_options(scene);
  options.clock_answers = &data.clock_answers;
  const double solved_before_us = data.solved_us;
  std::size_t contacts_left = data.contacts.size();
  for (int g = 0; g < data.groups.count(); ++g) {
    const auto group = data.groups.contacts(g);
    auto& slot = data.problems[uz(g)];
    for (std::size_t k = 0; k < group.size(); ++k) {
      slot.f.segment<3>(static_cast<int>(3 * k)) = data.contacts[uz(group[k])].initial_force;
    }
    // the groups share the time there is by their sizes
    options.deadline_us = time_left(scene, data) * static_cast<double>(group.size()) /
                          static_cast<double>(contacts_left);
    contacts_left -= group.size();
    const SolveResult result = solve_group(data, scene.simulation.dt, options, group, slot);
    data.solved_us += 1e6 * result.seconds;
    data.report.iterations += result.iterations;
    data.report.error = std::max(data.report.error, result.error);
    data.report.is_converged &= result.status == SolveStatus::converged;
    data.report.met_deadline &= result.status != SolveStatus::deadline;
    for (std::size_t k = 0; k < group.size(); ++k) {
      data.f.segment<3>(3 * group[k]) = slot.f.segment<3>(static_cast<int>(3 * k));
    }
  }
  data.round_us = data.solved_us - solved_before_us;
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
  if (data.fast_motion) FastMotion::slow_spins(data.moving, scene.simulation.dt, data.next);
}

/// Moves the frames apart where bodies overlap, by a share of the alarm distance at most, as
/// frictionless forces would. Neither velocities nor deformations feel it: only the weight that
/// is lifted changes the energy.
void lift_overlaps(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::correct);
  const auto gap_now = [&](const Contact& contact) {
    const auto b1 = uz(contact.where.body_1);
    const auto b2 = uz(contact.where.body_2);
    return contact.where.bend + contact.where.turning +
           contact.frame.row(0).dot(scene.bodies[b1].body.position(data.next[b1], contact.where.P) -
                                    scene.bodies[b2].body.position(data.next[b2], contact.where.Q));
  };
  data.lift_contacts.clear();
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Proximity& where = data.contacts[c].where;
    if (!scene.bodies[uz(where.body_1)].body.frame().is_held() ||
        !scene.bodies[uz(where.body_2)].body.frame().is_held()) {
      data.lift_contacts.push_back(static_cast<int>(c));
    }
  }

  ContactProblem& problem = data.lift.problem;
  VecX& f = data.lift.f;
  const int m = static_cast<int>(data.lift_contacts.size());
  resize(data.lift, m);
  data.delassus.build(data.contacts, data.lift_contacts, data.moving, Motion::frames_only,
                      problem.W);
  const double most = scene.simulation.recovery_per_step * scene.simulation.alarm_distance;
  for (int k = 0; k < m; ++k) {
    problem.W.add_block(k, k, lift_softness * problem.W.block(k, k)(0, 0) * Mat3::Identity());
    const double gap = gap_now(data.contacts[uz(data.lift_contacts[uz(k)])]);
    problem.delta_free.segment<3>(3 * k) = Vec3(std::max(gap, -most), 0.0, 0.0);
  }
  problem.mu.setZero();
  f.setZero();
  SolverOptions options = solver_options(scene);
  options.clock_answers = &data.clock_answers;
  options.deadline_us = scene.simulation.deadline_us - data.solved_us;
  data.lift.solver->solve(problem, options, f);

  for (int k = 0; k < m; ++k)
    data.lift_f.segment<3>(3 * data.lift_contacts[uz(k)]) = f.segment<3>(3 * k);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].body.frame().is_held()) continue;
    gather_body_forces(data.contacts, data.lift_f, static_cast<int>(b), data.body_points,
                       data.body_forces);
    scene.bodies[b].body.displace_frame(data.body_points, data.body_forces, data.body_steps[b],
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

/// Whether another round, as long as the last one, still fits. The clock is asked as solvers ask
/// it.
bool has_time_for_round(const Scene& scene, StepData& data) {
  SolverOptions options;
  options.clock_answers = &data.clock_answers;
  options.deadline_us = time_left(scene, data);
  return Budget(options).has(data.round_us);
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
  for (BodyState& body : state.bodies) {
    body.frame.velocity.setZero();
    body.frame.angular_velocity.setZero();
    body.deformation.v.setZero();
  }
  state.hands = data.hands_before;
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
    report.force = contact.frame.transpose() * force;
    report.sticks = sticks(force, contact.mu);
    reports.push_back(report);
  }
}

}  // namespace stickslip
