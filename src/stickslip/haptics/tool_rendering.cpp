#include "stickslip/haptics/tool_rendering.hpp"

#include <algorithm>
#include <cassert>

#include "stickslip/math/rotation.hpp"
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

Pose moved_by(const Pose& pose, const Vec6& displacement) {
  return {pose.position + displacement.head<3>(),
          (rotation_exp(displacement.tail<3>()) * pose.orientation).normalized()};
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

/// Whether a force lies inside its cone rather than on it.
bool is_held_by_friction(const Vec3& f, double mu) {
  constexpr double slip_share = 1.0 - 1e-6;
  return f.tail<2>().norm() < slip_share * mu * f[0];
}

}  // namespace

ToolRendering::ToolRendering(const RenderingOptions& options, int hand_count, int max_contacts)
    : options_(options) {
  // a hand holds one tool, and a tool's contacts are one group
  const auto count = uz(hand_count);
  pull_.resize(count);
  moved_.resize(count);
  delta_free_.resize(count);
  origin_.resize(count);
  for (std::size_t g = 0; g < count; ++g) {
    solvers_.push_back(make_solver("auto"));
    delta_free_[g].reserve(uz(3 * max_contacts));
    origin_[g].reserve(uz(3 * max_contacts));
  }
}

void ToolRendering::take(const PublishedStep& step) {
  since_step_ = 0.0;
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

void ToolRendering::pull_tools(const PublishedStep& step, std::span<const Pose> hands) {
  for (std::size_t t = 0; t < step.tools.size(); ++t) pull_[t].setZero();
  if (options_.mode == RenderingMode::plain) return;
  for (std::size_t h = 0; h < step.hands.size(); ++h) {
    const PublishedHand& hand = step.hands[h];
    if (hand.tool < 0) continue;
    const Vec6 dx = displacement_between(hand.state.target, hand.state.target_of(hands[h]));
    const CouplingGains& gains = hand.gains;
    Vec6 pull;
    pull << (gains.stiffness + gains.damping / step.dt) * dx.head<3>(),
        (gains.rotational_stiffness + gains.rotational_damping / step.dt) * dx.tail<3>();
    pull_[uz(hand.tool)] += hand.coupling.from_grip(pull);
  }
}

void ToolRendering::solve(PublishedGroup& group, std::size_t g) {
  ContactProblem& problem = group.problem;
  const int m = problem.contact_count();
  for (int c = 0; c < m; ++c) {
    Vec3 delta = Eigen::Map<const Vec3>(delta_free_[g].data() + 3 * c);
    delta -= Eigen::Map<const Vec3>(origin_[g].data() + 3 * c);
    add_motion(group.contacts[uz(c)], moved_, delta);
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

void ToolRendering::render(PublishedStep& step, std::span<const Pose> hands,
                           std::span<const Vec6> velocities, std::span<TickWrench> wrenches) {
  assert(step.tools.size() <= moved_.size());
  error_ = 0.0;
  met_deadline_ = true;
  iterations_ = 0;

  // the motion of the hands alone
  pull_tools(step, hands);
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    moved_[t] = step.tools[t].compliance * pull_[t];
  }

  // the contact forces it meets
  for (int g = 0; g < step.group_count; ++g) {
    PublishedGroup& group = step.groups[uz(g)];
    if (options_.mode == RenderingMode::resolved) solve(group, uz(g));
    for (int c = 0; c < group.problem.contact_count(); ++c) {
      add_force(group.contacts[uz(c)], group.f.segment<3>(3 * c), pull_);
    }
  }
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    moved_[t] = step.tools[t].displacement + step.tools[t].compliance * pull_[t];
  }

  // the couplings to where the tools are now
  const double since = step.dt + (options_.mode == RenderingMode::resolved ? since_step_ : 0.0);
  for (std::size_t h = 0; h < step.hands.size(); ++h) {
    const PublishedHand& hand = step.hands[h];
    TickWrench& tick = wrenches[h];
    tick.wrench.setZero();
    tick.grip = hands[h];
    if (hand.tool < 0) continue;
    const PublishedTool& tool = step.tools[uz(hand.tool)];
    const Vec6 grip_moved = hand.coupling.grip_displacement(moved_[uz(hand.tool)]);
    tick.grip = moved_by(grip_pose(tool.frame, hand.state.grip), grip_moved);
    const Vec6 stretch = displacement_between(tick.grip, hand.state.target_of(hands[h]));
    const Vec6 approach = velocities[h] - grip_moved / since;
    const CouplingGains& gains = hand.gains;
    tick.wrench << gains.stiffness * stretch.head<3>() + gains.damping * approach.head<3>(),
        gains.rotational_stiffness * stretch.tail<3>() +
            gains.rotational_damping * approach.tail<3>();
    tick.wrench = -tick.wrench;
  }
  since_step_ += options_.tick;
}

}  // namespace stickslip
