#pragma once

#include <vector>

#include "stickslip/math/by_size.hpp"
#include "stickslip/solver/contact_groups.hpp"
#include "stickslip/solver/exact_sweep.hpp"
#include "stickslip/solver/local_solver.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The solver for everyday use. A few exact sweeps over all contacts show which of them carry
/// force. These fall into groups that do not feel each other, each solved by itself (LocalSolver:
/// sweeps with extrapolation, Newton's method where that is shorter); then again a sweep over all,
/// until the error is small enough. Never returns a force worse than the best it met. Without a
/// tolerance it stops at an error of 1e-8.
///
/// Iterations are sweeps and Newton steps; where groups are solved one after the other the most of
/// any group counts.
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

  void resize(int contact_count);
  void choose_loaded();

  ExactSweep sweep_;
  LocalSolver local_;
  ContactGroups groups_;
  Point now_;
  VecX best_f_;    ///< 3m
  VecX last_gap_;  ///< m, before the last sweep
  struct Vectors {
    VecX f, delta, best_f, last_gap;
  };
  BySize<Vectors> spare_;    ///< the same of other numbers of contacts
  std::vector<int> loaded_;  ///< contacts with a force, or about to have one; ascending
};

}  // namespace stickslip
