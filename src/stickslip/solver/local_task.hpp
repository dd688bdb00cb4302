#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/contact_block.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// What a local problem is to be solved to.
struct LocalGoal {
  double force_scale = 1.0;  ///< of the criterion
  double squared_map = 0.0;  ///< sum over the contacts to be reached, as force_scale has it
  int max_iterations = 0;    ///< sweeps and Newton steps
  bool is_near = false;      ///< the force to start from is close to the solution
  int first_try = 0;         ///< of the proximal steps; another when this one was of no use
  double reserve_us = 0.0;   ///< to be left of the budget
  SolveProgress* progress = nullptr;
  int iterations_before = 0;  ///< of the whole solve
};

/// A force of a local problem with its displacement and squared natural map; vectors as long as
/// the storage of the problem.
struct LocalForce {
  VecX f;      ///< [N]
  VecX delta;  ///< [m]
  double squared_map = 0.0;
};

/// What the methods for a local problem share: the problem, its goal, the clock, exact sweeps, the
/// measure of a force and the best one met. Allocates only in reserve() and prepare().
class LocalTask {
 public:
  /// Room for any choice of contacts of problems up to this size.
  void reserve(const ProblemSize& largest);
  /// The same of this problem; none is chosen then.
  void prepare(const ContactProblem& problem);
  /// Room for a force of any choice of contacts.
  void reserve(LocalForce& force) const;

  /// `blocks` are those of all contacts of the problem; they and the budget must outlive the use.
  /// True where the contacts are not those of the last start.
  bool start(const ContactProblem& problem, std::span<const ContactBlock> blocks,
             std::span<const int> contacts, const LocalGoal& goal, Budget& budget);

  const LocalProblem& problem() const { return problem_; }
  const LocalGoal& goal() const { return goal_; }
  Budget& budget() const { return *budget_; }

  /// One exact sweep. False when the budget, less the goal's reserve, ran out on the way; f and
  /// delta fit each other even then.
  bool sweep(LocalForce& force);
  /// As many sweeps as there are for each extrapolation; their force is judged and noted.
  bool sweep_and_judge(LocalForce& force);

  void refresh(LocalForce& force) const { problem_.refresh(force.f, force.delta); }
  void judge(LocalForce& force) const;
  void copy(const LocalForce& from, LocalForce& to) const;
  void keep_in_cones(LocalForce& force) const;

  bool is_reached(const LocalForce& force) const { return force.squared_map <= goal_.squared_map; }
  bool runs_away(const LocalForce& force) const;

  /// The best force met, of those given to note_best.
  const LocalForce& best() const { return best_; }
  void note_best(const LocalForce& force);

  /// A group so large and sparse that sweeps are long.
  bool is_large() const;
  /// Of one sweep, and of those for each extrapolation. [ns of a usual machine]
  double sweep_ns() const;
  double sweeps_ns() const { return sweeps_at_once_ * sweep_ns(); }
  /// Whether work of that cost still fits.
  bool has_time(double cost_ns) const;
  /// What the last sweep took, where there is a deadline. [us]
  double sweep_us() const { return sweep_us_; }

  /// How long it takes before the first sweep of these contacts, at most. [us]
  double start_us(const ContactProblem& problem, std::span<const int> contacts) const;

 private:
  void reserve_vectors();
  LocalProblem problem_;
  LocalGoal goal_;
  Budget* budget_ = nullptr;
  std::vector<double> slip_;  ///< of each contact, for ContactBlock::solve
  int sweeps_at_once_ = 1;
  double us_per_ns_ = 1e-3;  ///< of the costs, at most, as seen where there is a deadline
  double sweep_us_ = 0.0;
  LocalForce best_;
};

}  // namespace stickslip
