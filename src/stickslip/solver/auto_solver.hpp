#pragma once

#include "stickslip/solver/anderson.hpp"
#include "stickslip/solver/exact_sweep.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The solver for everyday use. A few exact sweeps, then sweeps with an extrapolation after each
/// (Anderson); one after which the error has grown too far is taken back. Never returns a force
/// worse than the best it met. Without a tolerance it stops at an error of 1e-8.
class AutoSolver final : public Solver {
 public:
  std::string_view name() const override { return "auto"; }
  SolveResult solve(const ContactProblem& problem, const SolverOptions& options, VecX& f) override;

 private:
  /// A force with its displacement and error.
  struct Point {
    VecX f;      ///< 3m
    VecX delta;  ///< 3m
    double error = 0.0;
  };

  void keep_in_cones(const ContactProblem& problem);

  ExactSweep sweep_;
  Anderson anderson_;
  Point now_;
  VecX f_before_;      ///< 3m, before the sweep
  VecX delta_before_;  ///< 3m
  Point anchor_;       ///< where a failed extrapolation is taken back to
  VecX best_f_;        ///< 3m
};

}  // namespace stickslip
