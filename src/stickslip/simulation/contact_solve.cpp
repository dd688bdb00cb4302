#include "stickslip/simulation/contact_solve.hpp"

#include <algorithm>

#include "stickslip/simulation/phase_timer.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

// how soft overlaps are to the frames that are moved out of them, in shares of W: where they ask
// for what no motion of frames can do, as a clip open around a pipe does, the frames stay
constexpr double lift_softness = 0.1;

// of the time for all solves, where there is something to lift
constexpr double lift_share = 0.1;

bool is_left_unbuilt(const Scene& scene, StepData& data, std::span<const int> group) {
  // the haptic loop solves with W again
  if (scene.simulation.contact_method != ContactMethod::exact || !scene.hands.empty()) return false;
  switch (scene.simulation.delassus) {
    case DelassusForm::built:
      return false;
    case DelassusForm::unbuilt:
      return true;
    default:
      return scene.simulation.solver == SolverKind::block_gauss_seidel &&
             data.unbuilt.is_cheaper(data.contacts, group, data.moving);
  }
}

SolverOptions solver_options(const Scene& scene) {
  SolverOptions options;
  // a pyramid cannot reach a tolerance on the exact cone
  if (scene.simulation.solver != SolverKind::pyramid)
    options.tolerance = scene.simulation.tolerance;
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
  if (!data.law) return data.solver->solve(slot.problem, options, slot.f);
  return data.law->solve(
      {slot.problem, data.contacts, group, data.moving, data.delassus, dt, options}, slot.f);
}

/// What the solves of this step, those of overlaps apart, may still take. [us]
double time_left(const Scene& scene, const StepData& data) {
  const double share = data.has_overlap ? 1.0 - lift_share : 1.0;
  return share * scene.simulation.deadline_us - data.solved_us;
}

}  // namespace

void StepData::GroupProblem::reserve(const ProblemSize& largest) {
  problem.reserve(largest);
  f.reserve(3 * largest.contacts);
}

void StepData::GroupProblem::resize(int contact_count) {
  problem.resize_vectors(contact_count);
  f.resize(3 * contact_count);
}

void build_delassus(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::delassus);
  for (int g = 0; g < data.groups.count(); ++g) {
    const auto group = data.groups.contacts(g);
    auto& slot = data.problems[uz(g)];
    slot.resize(static_cast<int>(group.size()));
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

void solve_contacts(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::solve);
  SolverOptions options = solver_options(scene);
  options.clock_answers = &data.clock_answers;
  const double solved_before_us = data.solved_us;
  // of forces that are found anew nobody asks how good they were
  data.report.error = 0.0;
  data.report.is_converged = true;
  data.f.head(3 * static_cast<Eigen::Index>(data.contacts.size())).setZero();
  std::size_t contacts_left = data.groups.contact_count();
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

bool has_time_for_round(const Scene& scene, StepData& data) {
  SolverOptions options;
  options.clock_answers = &data.clock_answers;
  options.deadline_us = time_left(scene, data);
  return Budget(options).has(data.round_us);
}

void lift_overlaps(const Scene& scene, StepData& data) {
  const PhaseTimer timer(data.report, Phase::correct);
  data.lift_contacts.clear();
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    const Proximity& where = data.contacts[c].where;
    if (!scene.bodies[uz(where.body_1)].body.frame().is_held() ||
        !scene.bodies[uz(where.body_2)].body.frame().is_held()) {
      data.lift_contacts.push_back(static_cast<int>(c));
    }
  }

  ContactProblem& problem = data.lift.problem;
  CapacityVec& f = data.lift.f;
  const int m = static_cast<int>(data.lift_contacts.size());
  data.lift.resize(m);
  data.delassus.build(data.contacts, data.lift_contacts, data.moving, Motion::frames_only,
                      problem.W);
  const double most = scene.simulation.recovery_per_step * scene.simulation.alarm_distance;
  for (int k = 0; k < m; ++k) {
    problem.W.add_block(k, k, lift_softness * problem.W.block(k, k)(0, 0) * Mat3::Identity());
    const Contact& contact = data.contacts[uz(data.lift_contacts[uz(k)])];
    const double gap_now = gap(contact, data.moving, data.next);
    problem.delta_free.segment<3>(3 * k) = Vec3(std::max(gap_now, -most), 0.0, 0.0);
  }
  problem.mu.setZero();
  f.setZero();
  SolverOptions options = solver_options(scene);
  options.clock_answers = &data.clock_answers;
  options.deadline_us = scene.simulation.deadline_us - data.solved_us;
  data.solver->solve(problem, options, f);

  for (int k = 0; k < m; ++k)
    data.lift_f.segment<3>(3 * data.lift_contacts[uz(k)]) = f.segment<3>(3 * k);
  data.body_forces.gather(data.contacts, data.lift_f, static_cast<int>(scene.bodies.size()));
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].body.frame().is_held()) continue;
    const auto body = static_cast<int>(b);
    scene.bodies[b].body.displace_frame(data.body_forces.points(body),
                                        data.body_forces.forces(body), data.body_steps[b],
                                        data.next[b]);
  }
}

}  // namespace stickslip
