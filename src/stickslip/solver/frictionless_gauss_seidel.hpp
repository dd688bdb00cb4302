#pragma once

#include <vector>

#include "stickslip/solver/solver.hpp"
#include "stickslip/solver/squeeze.hpp"

namespace stickslip {

/// The frictionless problem, a linear complementarity problem in the normal forces (Eq. 18), by
/// projected Gauss-Seidel. Fails at once where a contact has friction; one with W_nn <= 0 carries
/// no force. Without a tolerance it stops at an error of 1e-8.
class FrictionlessGaussSeidel final : public Solver {
 public:
  std::string_view name() const override { return "frictionless-gauss-seidel"; }
  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;
  bool sweep(const ContactProblem& problem, Budget& budget, VecView f);

  CapacityVec W_nn_;        ///< m
  CapacityVec delta_;       ///< 3m
  std::vector<int> order_;  ///< of the visits
  Squeeze squeeze_;
};

}  // namespace stickslip
