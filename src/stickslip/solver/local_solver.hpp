#pragma once

#include <span>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/convergence_watch.hpp"
#include "stickslip/solver/guarded_anderson.hpp"
#include "stickslip/solver/local_task.hpp"
#include "stickslip/solver/newton_ladder.hpp"

namespace stickslip {

/// Solves a local problem: exact sweeps with an extrapolation after each (GuardedAnderson). Where
/// the sweeps are expected to take longer, at the rate seen (ConvergenceWatch), than Newton's
/// method would, it takes over (NewtonLadder). Keeps the best force it met.
class LocalSolver {
 public:
  using Goal = LocalGoal;

  /// Room for any choice of contacts of problems up to this size.
  void reserve(const ProblemSize& largest);
  /// The same of this problem, which is to be solved.
  void prepare(const ContactProblem& problem);

  /// How long it takes before the first sweep, at most. [us]
  double start_us(const ContactProblem& problem, std::span<const int> contacts) const {
    return task_.start_us(problem, contacts);
  }

  struct Outcome {
    double squared_map = 0.0;
    int iterations = 0;
    bool is_in_time = true;
  };

  /// Finds the forces of `contacts`, ascending, from those in f, while the others stay; these must
  /// be zero or not linked with the chosen ones. f is changed only for the better.
  Outcome solve(const ContactProblem& problem, std::span<const ContactBlock> blocks,
                std::span<const int> contacts, const Goal& goal, Budget& budget, VecView f);

 private:
  void reserve_methods(int contact_count);
  void start(const ContactProblem& problem, std::span<const ContactBlock> blocks,
             std::span<const int> contacts, const Goal& goal, Budget& budget,
             const ConstVecView& f);
  bool is_newton_next();

  LocalTask task_;
  GuardedAnderson extrapolation_;
  ConvergenceWatch watch_;
  NewtonLadder ladder_;
  LocalForce now_;
};

}  // namespace stickslip
