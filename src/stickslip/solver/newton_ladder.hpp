#pragma once

#include "stickslip/solver/active_newton.hpp"
#include "stickslip/solver/interior_point.hpp"
#include "stickslip/solver/local_task.hpp"
#include "stickslip/solver/pyramid_search.hpp"
#include "stickslip/solver/semismooth_newton.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"

namespace stickslip {

/// Newton's methods for a local problem, one after the other as far as it asks.
///
/// First a step in the states that the sweeps left (ActiveNewton), then a few sweeps that put the
/// states right. A step counts when the error or the energy falls; otherwise it is tried shorter,
/// then, after more sweeps, with more regularisation. Where that fails, or only the energy falls,
/// the laws are solved by an interior point method (InteriorPoint), once, and sweeps and the first
/// rung go on from its force. Where the first rung fails again, proximal steps follow that find the
/// states themselves (SemismoothNewton), each try from another start. Where these are of no use
/// either and the group is small, solutions of friction pyramids are starts for the first rung
/// (PyramidSearch).
class NewtonLadder {
 public:
  void reserve(int contact_count, const LocalTask& task);
  /// Room for the factors of a sparse W of so many contacts.
  void reserve_sparse(int contact_count);

  /// The contacts are not those of before.
  void forget_contacts();
  /// The proximal steps begin with `first_try`; the force is `near` the solution, or not. The
  /// second rung is for problems that `may_be_hyperstatic`, and for their first try.
  void start(int first_try, bool is_near, bool may_be_hyperstatic);

  /// What the next step costs from here, with its sweeps; infinite where it is too large. [ns]
  double step_ns(const LocalTask& task, const LocalForce& now);
  /// After a failure the sweeps have their turn.
  bool is_resting(int iteration) const { return iteration < rest_until_; }

  struct Climb {
    int iteration = 0;  ///< where it ends
    bool is_in_time = true;
    bool is_better = false;  ///< the first rung moved the force
    bool goes_on = false;    ///< and may be tried again at once
  };

  /// One step of the first rung, and where the states do not settle the second, or a try of the
  /// third and of the fourth. Called right after step_ns from the same force.
  Climb climb(LocalTask& task, int iteration, LocalForce& now);

 private:
  enum class Step { better, worse, none, late };

  double all_states_ns(int dense_unknowns) const;
  void find_energy_slope(const LocalTask& task, const LocalForce& force);
  double energy(const LocalTask& task, const LocalForce& force) const;
  Step step_in_states(LocalTask& task, LocalForce& now);
  void note_success(const LocalTask& task, double map_before, double best_before, LocalForce& now,
                    Climb& climb);
  void note_failure(int iteration);
  bool is_far(const LocalTask& task, const LocalForce& force) const;
  Step interior_steps(LocalTask& task, LocalForce& now, int& iteration);
  Step proximal_steps(LocalTask& task, LocalForce& now, int& iteration);
  Step solve_proximal(LocalTask& task, int& inner, bool& is_solved);
  void search_pyramids(LocalTask& task, LocalForce& now, Climb& climb);

  SparseBlockLu sparse_lu_;
  SparseBlockLu* sparse_ = nullptr;  ///< the same, where the local problem is solved with it
  bool is_analysed_ = false;
  ActiveNewton newton_;
  InteriorPoint interior_;
  SemismoothNewton semismooth_;
  double regularisation_ = 0.0;  ///< over the mean compliance
  int failures_ = 0;             ///< of the first rung in a row
  int detour_ = 0;               ///< its steps that lowered only the energy
  int rest_until_ = 0;           ///< iteration
  bool is_stuck_ = false;        ///< the first rung is
  bool was_inside_ = false;      ///< the second rung had its turn
  int proximal_try_ = 0;
  int tries_ = 0;                ///< in this solve
  int proximal_rest_until_ = 0;  ///< iteration
  PyramidSearch search_;
  int first_try_ = 0;
  int searches_ = 0;  ///< in this solve
  int choice_ = 0;    ///< of pyramids, the next
  LocalForce trial_;
  LocalForce inside_;  ///< the best of the second rung
  VecX slope_;         ///< of the energy, but for the part of the forces themselves
};

}  // namespace stickslip
