#pragma once

#include "stickslip/solver/lemke.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The frictionless problem, a linear complementarity problem in the normal forces (Eq. 18), by
/// Lemke's method. Fails at once where a contact has friction. Without a tolerance it has
/// converged when Lemke's method ends well. The order of the contacts and a warm start change
/// nothing.
class FrictionlessLemke final : public Solver {
 public:
  std::string_view name() const override { return "frictionless-lemke"; }

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;

  Lemke lemke_;
  MatX M_;             ///< m x m
  CapacityVec q_;      ///< m
  CapacityVec z_;      ///< m
  CapacityVec delta_;  ///< 3m
};

}  // namespace stickslip
