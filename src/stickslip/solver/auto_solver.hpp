#pragma once

#include <optional>
#include <vector>

#include "stickslip/solver/contact_groups.hpp"
#include "stickslip/solver/exact_sweep.hpp"
#include "stickslip/solver/jam_search.hpp"
#include "stickslip/solver/local_solver.hpp"
#include "stickslip/solver/solver.hpp"
#include "stickslip/solver/squeeze.hpp"

namespace stickslip {

/// The solver for everyday use. A few exact sweeps over all contacts show which of them carry
/// force. These fall into groups that do not feel each other, each solved by itself (LocalSolver:
/// sweeps with extrapolation, Newton's method where that is shorter); then again a sweep over all,
/// until the error is small enough. Never returns a force worse than the best it met. Without a
/// tolerance it stops at an error of 1e-8. That no solution exists it says only with a proof
/// (proves_no_solution, ProofByCases), otherwise that none was found. AutoPolicy has the numbers it
/// was tuned by. A deadline too short to take the problem, or to make room for it where reserve()
/// did not, leaves the force to start from.
///
/// Iterations are sweeps and Newton steps; where groups are solved one after the other the most of
/// any group counts.
class AutoSolver final : public Solver {
 public:
  std::string_view name() const override { return "auto"; }
  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;

  /// A force with its displacement and error.
  struct Point {
    CapacityVec f;      ///< 3m
    CapacityVec delta;  ///< 3m
    double error = 0.0;
  };

  /// What one solve decides by.
  struct Run {
    Run(const ContactProblem& problem, const SolverOptions& options);

    const ContactProblem& problem;
    const SolverOptions& options;
    Budget budget;
    double scale;  ///< of the criterion
    double tolerance;
    double error_us = 0.0;  ///< the longest so far, where there is a deadline, as below
    double refresh_us = 0.0;
    double best_error;  ///< of best_f_
    int iterations = 0;
    int round = 0;
    int idle_rounds = 0;       ///< the last ones without headway
    bool is_near = false;      ///< the start is close to the solution
    bool is_settled = false;   ///< no contacts outside the groups come to touch
    int sweeps = 0;            ///< over all contacts before the groups
    int effort = 0;            ///< iterations of a group at most
    double round_error = 0.0;  ///< the best at the start of the round before
  };

  enum class GroupsEnd { solved, late, none };

  bool start(Run& run, VecView f);
  double prepare_us(const Run& run) const;
  void refresh(Run& run);
  void judge(Run& run);
  void note_best(Run& run);
  std::optional<SolveStatus> sweep_over_all(Run& run);
  void choose_loaded(const Run& run);
  void plan_round(Run& run) const;
  double size_of(const Run& run) const;
  double aim_of(const Run& run) const;
  GroupsEnd solve_groups(Run& run);
  bool do_others_stay_open() const;
  bool is_squeezed(Run& run);
  bool is_jammed(Run& run, bool is_converged);
  SolveResult finish(Run& run, SolveStatus status, VecView f);
  SolveResult give_up(Run& run, std::string_view why, VecView f);

  ExactSweep sweep_;
  LocalSolver local_;
  ContactGroups groups_;
  Squeeze squeeze_;
  JamSearch jam_;
  Point now_;
  CapacityVec best_f_;       ///< 3m
  CapacityVec last_gap_;     ///< m, before the last sweep
  int room_ = 0;             ///< contacts that there is room for
  std::vector<int> loaded_;  ///< contacts with a force, or about to have one; ascending
};

}  // namespace stickslip
