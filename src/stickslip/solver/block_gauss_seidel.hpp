#pragma once

#include "stickslip/solver/exact_sweep.hpp"
#include "stickslip/solver/jam_search.hpp"
#include "stickslip/solver/solver.hpp"
#include "stickslip/solver/squeeze.hpp"

namespace stickslip {

/// Gauss-Seidel with each contact's problem solved exactly (Eq. 25), unsymmetric blocks included.
///
/// delta is kept up to date, so that contacts whose force does not change cost nothing and the
/// error after each sweep is free. Without a tolerance it stops at an error of 1e-8.
class BlockGaussSeidel final : public Solver {
 public:
  std::string_view name() const override { return "block-gauss-seidel"; }
  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;

  ExactSweep sweep_;
  Squeeze squeeze_;
  JamSearch jam_;
  CapacityVec delta_;  ///< 3m
};

}  // namespace stickslip
