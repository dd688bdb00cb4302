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
  SolveResult solve(const ContactProblem& problem, const SolverOptions& options, VecX& f) override;

 private:
  Lemke lemke_;
  MatX M_;      ///< m x m
  VecX q_;      ///< m
  VecX z_;      ///< m
  VecX delta_;  ///< 3m
};

}  // namespace stickslip
