#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/active_newton.hpp"
#include "stickslip/solver/anderson.hpp"
#include "stickslip/solver/contact_block.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/semismooth_newton.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// Solves a local problem: exact sweeps with an extrapolation after each (Anderson); one after
/// which the error has grown too far is taken back.
///
/// Where the sweeps are expected to take longer, at the rate seen, than Newton's method would, it
/// takes over: a step in the states that the sweeps left (ActiveNewton), then a few sweeps that put
/// the states right. A step counts when the error or the energy falls; otherwise it is tried
/// shorter, then with more regularisation after more sweeps. Where that fails, or only the energy
/// falls, proximal steps follow that find the states themselves (SemismoothNewton), each try from
/// another start. Keeps the best force it met.
class LocalSolver {
 public:
  /// Room for any choice of contacts of this problem, or of one as large.
  void reserve(const ContactProblem& problem);

  struct Goal {
    double force_scale = 1.0;  ///< of the criterion
    double squared_map = 0.0;  ///< sum over the contacts to be reached, as force_scale has it
    double size = 1.0;         ///< what the error is relative to
    int max_iterations = 0;    ///< sweeps and Newton steps
    bool is_near = false;      ///< the force to start from is close to the solution
    int first_try = 0;         ///< of the proximal steps; another when this one was of no use
    double reserve_us = 0.0;   ///< to be left of the budget
  };

  /// How long it takes before the first sweep, at most. [us]
  double start_us(const ContactProblem& problem, std::span<const int> contacts) const;

  struct Outcome {
    double squared_map = 0.0;
    int iterations = 0;
    bool is_in_time = true;
  };

  /// Finds the forces of `contacts`, ascending, from those in f, while the others stay; these must
  /// be zero or not linked with the chosen ones. f is changed only for the better.
  Outcome solve(const ContactProblem& problem, std::span<const ContactBlock> blocks,
                std::span<const int> contacts, const Goal& goal, Budget& budget, VecX& f);

 private:
  /// A force with its displacement and squared natural map.
  struct Point {
    VecX f;
    VecX delta;
    double squared_map = 0.0;
  };

  bool sweep(Point& point, Budget& budget, double reserve_us);
  void judge(Point& point) const;
  void copy(const Point& from, Point& to) const;
  void note_best(const Point& point);
  void keep_in_cones(Point& point) const;
  double sweep_cost() const;
  double newton_cost(const Goal& goal, const Budget& budget);
  double semismooth_cost() const;
  bool has_time(double cost_ns, const Goal& goal, const Budget& budget) const;
  void energy_slope(const Point& point);
  double energy(const Point& point) const;
  enum class Step { better, worse, none, late };
  Step newton_step(const Goal& goal, Budget& budget);
  Step semismooth(const Goal& goal, Budget& budget, int& steps);

  LocalProblem local_;
  SparseBlockLu sparse_lu_;
  SparseBlockLu* sparse_ = nullptr;  ///< the same, where the local problem is solved with it
  bool is_analysed_ = false;
  ActiveNewton newton_;
  SemismoothNewton semismooth_;
  Anderson anderson_;
  double force_scale_ = 1.0;
  double regularisation_ = 0.0;  ///< of Newton's method, over the mean compliance
  int proximal_try_ = 0;
  double us_per_ns_ = 1e-3;   ///< of the costs, at most, as seen where there is a deadline
  std::vector<double> slip_;  ///< of each contact, for ContactBlock::solve
  Point now_;
  Point before_;
  Point anchor_;  ///< where a failed extrapolation is taken back to
  Point trial_;
  Point best_;
  VecX slope_;  ///< of the energy, but for the part of the forces themselves
};

}  // namespace stickslip
