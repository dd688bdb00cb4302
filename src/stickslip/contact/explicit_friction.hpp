#pragma once

#include "stickslip/contact/contact_law.hpp"

namespace stickslip {

/// Coulomb's law from the data of the last step (paper, section 1): friction of mu times the
/// normal force there, against the slip there, and viscous below friction_velocity, since a
/// contact at rest has no direction. Normal forces are exact under that friction.
///
/// Stick is motion: a contact that should hold creeps as fast as it takes to make the friction it
/// needs, friction_velocity * |f_t| / (mu f_n). Chosen from W is the least velocity at which the
/// viscous part is stable.
class ExplicitFriction final : public ContactLaw {
 public:
  ExplicitFriction(const LawOptions& options, std::unique_ptr<Solver> solver)
      : options_(options), solver_(std::move(solver)) {}

  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactGroup& group, VecView f) override;
  void find_friction(const ContactGroup& group, VecView friction);

  LawOptions options_;
  std::unique_ptr<Solver> solver_;
  StableStiffness stable_;
  ContactProblem normals_;  ///< under the friction found, with none of its own
  CapacityVec friction_;    ///< 3m
};

}  // namespace stickslip
