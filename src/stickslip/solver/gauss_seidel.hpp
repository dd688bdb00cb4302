#pragma once

#include <vector>

#include "stickslip/solver/solver.hpp"

namespace stickslip {

struct GaussSeidelSettings {
  double epsilon_1 = 0.0;   ///< a normal force up to this is none [N]
  double epsilon_2 = 1e-4;  ///< bound on the sum of the relative changes of the forces in a sweep
};

/// Algorithm 1 of the paper, line by line: W_ii is replaced by its normal entry and by the mean
/// eigenvalue of its tangential part, and the laws are met by intersecting their graphs.
///
/// It stops on epsilon_2 unless a tolerance on the error is asked for. A sweep costs m times the
/// number of active contacts.
///
/// Beyond the paper: a warm start, an order of visits, limits. A contact with W_nn <= 0, which no
/// force of its own can open, carries none; one whose tangential part has no positive mean
/// eigenvalue has no friction.
class GaussSeidel final : public Solver {
 public:
  explicit GaussSeidel(GaussSeidelSettings settings = {}) : settings_(settings) {}

  std::string_view name() const override { return "gauss-seidel"; }
  SolveResult solve(const ContactProblem& problem, const SolverOptions& options, VecX& f) override;

 private:
  GaussSeidelSettings settings_;
  VecX W_nn_;                ///< m
  VecX Lambda_;              ///< m
  VecX delta_;               ///< 3m
  std::vector<int> order_;   ///< of the visits
  std::vector<int> active_;  ///< contacts with a force, ascending
};

}  // namespace stickslip
