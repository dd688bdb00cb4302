#include "stickslip/haptics/loop/tool_rendering.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "stickslip/solver/solvers.hpp"

namespace stickslip {

namespace {

Pose pose_of(const PublishedTool& tool) {
  return {tool.frame.position, tool.frame.orientation};
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
  const int most = std::min(max_contacts, most_contacts_of_tick);
  wrench_.resize(count);
  compliance_.resize(count);
  moved_.resize(count);
  free_.resize(count);
  slid_.resize(count);
  known_.reserve(count);
  for (std::size_t g = 0; g < count; ++g) {
    solvers_.push_back(make_solver("auto"));
    solvers_.back()->reserve({.contacts = most});
    contacts_.emplace_back(hand_count, most);
  }
  start_tick();
}

void ToolRendering::take(const PublishedStep& step) {
  // where the step has left the tools, and where the last tick had them: slip goes on from there
  const std::size_t count = step.tools.size();
  for (std::size_t t = 0; t < count; ++t) {
    free_[t] = moved_[t] = step.tools[t].displacement;
    compliance_[t] = step.tools[t].compliance;
  }
  add_contact_motion(step);
  for (std::size_t t = 0; t < count; ++t) {
    const PublishedTool& tool = step.tools[t];
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const KnownTool& other) {
      return other.body == tool.body;
    });
    slid_[t] = known == known_.end() ? moved_[t] : displacement_between(pose_of(tool), known->pose);
  }
  const ToolMotions motions{std::span(free_).first(count), std::span(moved_).first(count),
                            std::span(slid_).first(count)};
  for (int g = 0; g < step.group_count; ++g) {
    contacts_[uz(g)].take(step.groups[uz(g)], motions, std::span(compliance_).first(count));
  }
}

void ToolRendering::add_contact_motion(const PublishedStep& step) {
  for (std::size_t t = 0; t < step.tools.size(); ++t) wrench_[t].setZero();
  for (int g = 0; g < step.group_count; ++g) {
    const PublishedGroup& group = step.groups[uz(g)];
    for (int c = 0; c < group.problem.contact_count(); ++c) {
      add_force(group.contacts[uz(c)], group.f.segment<3>(3 * c), wrench_);
    }
  }
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    moved_[t] += compliance_[t] * wrench_[t];
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
    compliance_[t] = A_eff.partialPivLu().inverse();
    moved_[t] = compliance_[t] * wrench_[t];
  }
}

void ToolRendering::solve(std::size_t tool_count, PublishedGroup& group, std::size_t g) {
  contacts_[g].write_problem(moved_, std::span(compliance_).first(tool_count), group);
  SolverOptions options;
  options.tolerance = options_.tolerance;
  options.criterion = Criterion::rescaled;
  options.max_iterations = options_.max_iterations;
  // so that something is left for those that follow
  options.deadline_us = left_us_ / 2.0;
  options.warm_start = true;
  const SolveResult result = solvers_[g]->solve(group.problem, options, group.f);
  error_ = std::max(error_, result.error);
  met_deadline_ &= result.status != SolveStatus::deadline;
  iterations_ += result.iterations;
  left_us_ -= result.seconds * 1e6;

  group.problem.W.multiply(group.f, group.u);
  group.u += group.problem.delta_free;
  contacts_[g].note_slip(group);
}

void ToolRendering::start_tick() {
  error_ = 0.0;
  met_deadline_ = true;
  iterations_ = 0;
  left_us_ = options_.deadline_us;
}

void ToolRendering::render(PublishedStep& step, double age, std::span<const Pose> hands,
                           std::span<Pose> grips) {
  assert(step.tools.size() <= moved_.size());
  if (options_.mode == RenderingMode::plain) {
    for (std::size_t t = 0; t < step.tools.size(); ++t) {
      moved_[t] = step.tools[t].displacement;
      compliance_[t] = step.tools[t].compliance;
    }
  } else {
    // the contacts, where the tools were a tick ago
    for (int g = 0; g < step.group_count; ++g) {
      contacts_[uz(g)].follow(moved_, step.groups[uz(g)]);
    }
    // free motion of the tools, up to now, and the contact forces it meets
    move_tools(step, foreseen_duration(step.dt, age, options_.tick), hands);
    for (int g = 0; g < step.group_count; ++g) {
      solve(step.tools.size(), step.groups[uz(g)], uz(g));
    }
  }
  add_contact_motion(step);
  known_.clear();
  for (std::size_t t = 0; t < step.tools.size(); ++t) {
    known_.push_back({step.tools[t].body, moved_by(pose_of(step.tools[t]), moved_[t])});
  }
  for (std::size_t h = 0; h < step.hands.size(); ++h) {
    const PublishedHand& hand = step.hands[h];
    if (hand.tool < 0) continue;
    const Pose before = grip_pose(step.tools[uz(hand.tool)].frame, hand.state.grip);
    grips[h] = moved_by(before, hand.coupling.grip_displacement(moved_[uz(hand.tool)]));
  }
}

}  // namespace stickslip
