#include "stickslip/haptics/tool_rendering.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "stickslip/solver/solvers.hpp"

namespace stickslip {

namespace {

/// Displacement of a point of a tool, by that of its frame.
Vec3 displacement_at(const Vec6& moved, const Vec3& arm) {
  return moved.head<3>() + Vec3(moved.tail<3>()).cross(arm);
}

void add_force_at(const Vec3& force, const Vec3& arm, Vec6& wrench) {
  wrench.head<3>() += force;
  wrench.tail<3>() += arm.cross(force);
}

/// Adds J times the displacements of the tools, along the axes of the contact.
void add_motion(const PublishedContact& contact, std::span<const Vec6> moved, Vec3& delta) {
  if (contact.tool_1 >= 0) {
    delta += contact.frame * displacement_at(moved[uz(contact.tool_1)], contact.arm_1);
  }
  if (contact.tool_2 >= 0) {
    delta -= contact.frame * displacement_at(moved[uz(contact.tool_2)], contact.arm_2);
  }
}

/// Adds J^T f to the wrenches of the tools.
void add_force(const PublishedContact& contact, const Vec3& f, std::span<Vec6> wrenches) {
  const Vec3 force = contact.frame.transpose() * f;
  if (contact.tool_1 >= 0) add_force_at(force, contact.arm_1, wrenches[uz(contact.tool_1)]);
  if (contact.tool_2 >= 0) add_force_at(-force, contact.arm_2, wrenches[uz(contact.tool_2)]);
}

/// Problems of more contacts than this are no matter of a tick; room for them is made when met.
constexpr int usual_contacts = 64;

/// Many contacts on a lever, which no solver finds easy.
ContactProblem hard_problem(int m) {
  ContactProblem problem;
  problem.W.resize_dense(m);
  const auto arm = [m](int i) { return static_cast<double>(i) / m; };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      problem.W.add_block(i, j, (1.0 + arm(i) * arm(j)) * Mat3::Identity());
    }
  }
  problem.delta_free = -VecX::LinSpaced(3 * m, 1.0, 2.0).cwiseAbs2();
  problem.mu = VecX::Constant(m, 0.5);
  return problem;
}

/// Has a solver make its room for up to so many contacts, by solving problems of each number: a
/// hard one of the most contacts, and open ones of fewer.
void make_room(Solver& solver, int max_contacts) {
  SolverOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = usual_contacts;
  const int most = std::min(max_contacts, usual_contacts);
  ContactProblem problem = hard_problem(most);
  VecX f = VecX::Zero(3 * most);
  solver.solve(problem, options, f);
  for (int m = most - 1; m > 0; --m) {
    problem.W = BlockMatrix::dense(MatX::Identity(3 * m, 3 * m));
    problem.delta_free = VecX::Ones(3 * m);
    problem.mu.setZero(m);
    f.setZero(3 * m);
    solver.solve(problem, options, f);
  }
}

/// Whether a force lies inside its cone rather than on it.
bool is_held_by_friction(const Vec3& f, double mu) {
  constexpr double slip_share = 1.0 - 1e-6;
  return f.tail<2>().norm() < slip_share * mu * f[0];
}

}  // namespace

double foreseen_duration(double dt, double age, double tick) {
  constexpr double longest_lag_ticks = 2.0;
  return dt + std::min(age, dt + longest_lag_ticks * tick);
}

double bridge_left(RenderingMode mode, double dt, double tick) {
  constexpr double bridged_ticks = 1.5;
  // a hand is led from one step to the next in this share of its period
  constexpr double bridge_share = 0.5;
  if (mode == RenderingMode::plain || dt <= bridged_ticks * tick) return 0.0;
  return std::exp(-tick / (bridge_share * dt));
}

ToolRendering::ToolRendering(const RenderingOptions& options, int hand_count, int max_contacts)
    : options_(options) {
  // a hand holds one tool, and a tool's contacts are one group
  const auto count = uz(hand_count);
  wrench_.resize(count);
  since_step_.resize(count);
  moved_.resize(count);
  delta_free_.resize(count);
  origin_.resize(count);
  for (std::size_t g = 0; g < count; ++g) {
    solvers_.push_back(make_solver("auto"));
    make_room(*solvers_.back(), max_contacts);
    delta_free_[g].reserve(uz(3 * max_contacts));
    origin_[g].reserve(uz(3 * max_contacts));
  }
}

void ToolRendering::take(const PublishedStep& step) {
  for (int g = 0; g < step.group_count; ++g) {
    const PublishedGroup& group = step.groups[uz(g)];
    const VecX& delta_free = group.problem.delta_free;
    delta_free_[uz(g)].assign(delta_free.begin(), delta_free.end());

    // slip goes on from where the step has left it
    origin_[uz(g)].assign(uz(delta_free.size()), 0.0);
    for (int c = 0; c < group.problem.contact_count(); ++c) {
      if (is_held_by_friction(group.f.segment<3>(3 * c), group.problem.mu[c])) continue;
      for (int d = 1; d < 3; ++d) origin_[uz(g)][uz(3 * c + d)] = group.u[3 * c + d];
    }
  }
}

void ToolRendering::move_tools(const PublishedStep& step, double duration,
                               std::span<const Pose> hands) {
  // the step made again, that much longer, with the hands where they are
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    const PublishedTool& tool = step.tools[t];
    wrench_[t] = tool.wrench + tool.momentum / duration;
  }
  for (std::size_t h = 0; h < step.hands.size(); ++h) {
    const PublishedHand& hand = step.hands[h];
    if (hand.tool < 0) continue;
    const PublishedTool& tool = step.tools[uz(hand.tool)];
    wrench_[uz(hand.tool)] += Coupling(hand.gains, tool.frame, hand.state.grip, hand.target_before,
                                       hand.state.target_of(hands[h]), duration)
                                  .wrench_at_rest;
  }
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    const PublishedTool& tool = step.tools[t];
    const Mat6 A_eff = tool.inertia / (duration * duration) + tool.B_c / duration + tool.K_c;
    moved_[t] = A_eff.partialPivLu().solve(wrench_[t]);
  }
}

void ToolRendering::solve(const PublishedStep& step, PublishedGroup& group, std::size_t g) {
  ContactProblem& problem = group.problem;
  const int m = problem.contact_count();
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    since_step_[t] = moved_[t] - step.tools[t].displacement;
  }
  for (int c = 0; c < m; ++c) {
    Vec3 delta = Eigen::Map<const Vec3>(delta_free_[g].data() + 3 * c);
    delta -= Eigen::Map<const Vec3>(origin_[g].data() + 3 * c);
    add_motion(group.contacts[uz(c)], since_step_, delta);
    problem.delta_free.segment<3>(3 * c) = delta;
  }

  SolverOptions options;
  options.tolerance = options_.tolerance;
  options.criterion = Criterion::rescaled;
  options.max_iterations = options_.max_iterations;
  options.deadline_us = options_.deadline_us;
  options.warm_start = true;
  const SolveResult result = solvers_[g]->solve(problem, options, group.f);
  error_ = std::max(error_, result.error);
  met_deadline_ &= result.status != SolveStatus::deadline;
  iterations_ += result.iterations;

  // what slips is counted from here at the next tick
  problem.W.multiply(group.f, group.u);
  group.u += problem.delta_free;
  for (int c = 0; c < m; ++c) {
    if (is_held_by_friction(group.f.segment<3>(3 * c), problem.mu[c])) continue;
    for (int d = 1; d < 3; ++d) origin_[g][uz(3 * c + d)] += group.u[3 * c + d];
  }
}

void ToolRendering::render(PublishedStep& step, double age, std::span<const Pose> hands,
                           std::span<Pose> grips) {
  assert(step.tools.size() <= moved_.size());
  error_ = 0.0;
  met_deadline_ = true;
  iterations_ = 0;

  // free motion of the tools, up to now
  const bool is_resolved = options_.mode == RenderingMode::resolved;
  for (std::size_t t = 0; t < step.tools.size(); ++t) moved_[t] = step.tools[t].displacement;
  if (is_resolved) move_tools(step, foreseen_duration(step.dt, age, options_.tick), hands);

  // the contact forces it meets
  for (std::size_t t = 0; t < step.tools.size(); ++t) wrench_[t].setZero();
  for (int g = 0; g < step.group_count; ++g) {
    PublishedGroup& group = step.groups[uz(g)];
    if (is_resolved) solve(step, group, uz(g));
    for (int c = 0; c < group.problem.contact_count(); ++c) {
      add_force(group.contacts[uz(c)], group.f.segment<3>(3 * c), wrench_);
    }
  }
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    moved_[t] += step.tools[t].compliance * wrench_[t];
  }
  for (std::size_t h = 0; h < step.hands.size(); ++h) {
    const PublishedHand& hand = step.hands[h];
    if (hand.tool < 0) continue;
    const Pose before = grip_pose(step.tools[uz(hand.tool)].frame, hand.state.grip);
    grips[h] = moved_by(before, hand.coupling.grip_displacement(moved_[uz(hand.tool)]));
  }
}

}  // namespace stickslip
