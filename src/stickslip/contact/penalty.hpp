#pragma once

#include "stickslip/contact/contact_law.hpp"

namespace stickslip {

/// Contact as springs and dampers that overlap loads (paper, section 2.3), f_n = -k delta - b
/// d(delta)/dt and never pulling, at the overlap and motion of the beginning of the step. Friction
/// is a spring of the same stiffness that slip stretches, and a damper, limited to the cone:
/// beyond it the spring slides along, so that in stick it stays anchored.
///
/// One contact of a body with inertia, W the way it goes in a step under one newton, is stable
/// to small disturbances where k W + 2 b W / dt < 4, without inertia where it is below 1. Chosen
/// from W are k such that this holds for all contacts together, and b = k dt.
class ExplicitPenalty final : public ContactLaw {
 public:
  explicit ExplicitPenalty(const LawOptions& options) : options_(options) {}

  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactGroup& group, VecView f) override;

  LawOptions options_;
  StableStiffness stable_;
};

/// The same springs and dampers at the end of the step: the exact problem with the compliance
/// 1 / (k + b/dt) of springs on its diagonal, solved for states and forces at once. It is stable
/// whatever k is; overlap shrinks as k grows, and the problem becomes as hard as the exact one.
/// Chosen from W is k a hundred times as stiff as the bodies are in the mean, without damping.
class ImplicitPenalty final : public ContactLaw {
 public:
  ImplicitPenalty(const LawOptions& options, std::unique_ptr<Solver> solver)
      : options_(options), solver_(std::move(solver)) {}

  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactGroup& group, VecView f) override;

  LawOptions options_;
  std::unique_ptr<Solver> solver_;
  ContactProblem softened_;
};

}  // namespace stickslip
