#pragma once

#include <random>
#include <vector>

#include "stickslip/solver/active_newton.hpp"
#include "stickslip/solver/lemke.hpp"
#include "stickslip/solver/local_task.hpp"

namespace stickslip {

/// The last resort for a few contacts. The friction cones become pyramids, whose problem Lemke's
/// method solves whenever a solution is sure to exist (some motion opens all cones: Acary and
/// Cadoux); its states and directions of friction are a start for Newton's method (ActiveNewton),
/// which converges from there or not at all. Where it does not, some sides of each pyramid crowd
/// closer around the friction found; then other pyramids, and another covering vector of Lemke's
/// method, lead to other solutions, of which those that only pyramids have are passed by.
///
/// Unlike sweeps and descent it needs no solution that attracts: at high friction there may be
/// none. Allocates only in reserve().
class PyramidSearch {
 public:
  /// Room for any choice of contacts of a problem with so many.
  void reserve(int contact_count);

  /// Whether the group is small enough.
  static bool takes(const LocalProblem& problem);

  /// Of one pyramid with its Newton steps, roughly. [ns]
  static double cost_ns(const LocalProblem& problem);

  /// Goes through one choice of pyramids, until the goal is reached; the best force is noted in
  /// the task. Every number of `attempt` is another choice. Counts pyramids and Newton steps as
  /// iterations. `trial` is scratch. False when the time ran out.
  bool search(LocalTask& task, ActiveNewton& newton, int attempt, LocalForce& trial,
              int& iterations);

 private:
  double& angle(int contact, int side) { return angles_[uz(contact * sides + side)]; }
  void spread_sides(const LocalProblem& problem, int attempt);
  void crowd_sides(const LocalProblem& problem, const VecX& f, double width);
  void build(const LocalProblem& problem);
  void read_force(const LocalProblem& problem, VecX& f) const;
  void put_in_states(const LocalProblem& problem, VecX& f) const;
  bool polish(LocalTask& task, ActiveNewton& newton, double regularisation, LocalForce& trial,
              int& iterations);

  /// Of each pyramid; those around the friction found and the others.
  static constexpr int crowd = 6;
  static constexpr int ring = 6;
  static constexpr int sides = ring + crowd;
  static constexpr int unknowns = sides + 2;  ///< of a contact: normal, sides, slip

  using Directions = Eigen::Matrix<double, 3, sides + 1>;
  std::vector<double> angles_;          ///< of the sides, contact after contact [rad]
  std::vector<Directions> directions_;  ///< n, t_1 .. t_k of each contact
  std::minstd_rand random_;
  Lemke lemke_;
  VecX M_;  ///< square, column after column
  VecX q_;
  VecX covering_;
  VecX z_;
  VecX moved_;  ///< a force for Newton's method
};

}  // namespace stickslip
