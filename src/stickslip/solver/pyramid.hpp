#pragma once

#include "stickslip/solver/lemke.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The friction cones replaced by pyramids of k sides, as one linear complementarity problem of
/// m (k + 2) unknowns (Eqs. 22, 23, 24), solved by Lemke's method: what the paper compares with.
///
/// The forces lie inside the exact cones, and the error is that of the exact cones: in slip it
/// stays, however exact the solution of the pyramids. Without a tolerance the solver has converged
/// when Lemke's method ends well; with one it fails where the pyramids cannot reach it. The order
/// of the contacts and a warm start change nothing.
class Pyramid final : public Solver {
 public:
  /// Throws InputError unless `sides` is even and at least 4.
  explicit Pyramid(int sides = 8);

  std::string_view name() const override { return "pyramid"; }

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;

  void build(const ContactProblem& problem, double w);

  int sides_;
  Eigen::Matrix<double, 3, Eigen::Dynamic> directions_;  ///< n, t_1 .. t_k in the contact's axes
  Lemke lemke_;
  MatX M_;             ///< m (k + 2) square
  CapacityVec q_;      ///< m (k + 2)
  CapacityVec z_;      ///< m (k + 2)
  CapacityVec delta_;  ///< 3m
};

}  // namespace stickslip
