#pragma once

#include <vector>

#include "stickslip/solver/jam_search.hpp"
#include "stickslip/solver/solver.hpp"
#include "stickslip/solver/squeeze.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

struct GaussSeidelSettings {
  double epsilon_1 = 0.0;   ///< a normal force up to this is none [N]
  double epsilon_2 = 1e-4;  ///< bound on the sum of the relative changes of the forces in a sweep
};

/// Algorithm 1 of the paper, line by line: W_ii is replaced by its normal entry and by the mean
/// eigenvalue of its tangential part, and the laws are met by intersecting their graphs.
///
/// It stops on epsilon_2 unless a tolerance on the error is asked for. A sweep costs m times the
/// number of active contacts. Without a solution the forces would grow without bound, and beside
/// them any change looks small: then it says so, by a proof (Squeeze).
///
/// Beyond the paper: a warm start, an order of visits, limits. A contact with W_nn <= 0, which no
/// force of its own can open, carries none; one whose tangential part has no positive mean
/// eigenvalue has no friction.
class GaussSeidel final : public Solver {
 public:
  explicit GaussSeidel(GaussSeidelSettings settings = {}) : settings_(settings) {}

  std::string_view name() const override { return "gauss-seidel"; }
  void reserve(const ProblemSize& largest) override;

 private:
  SolveResult find_forces(const ContactProblem& problem, const SolverOptions& options,
                          VecView f) override;

  /// What a sweep meets, each contact before its own change.
  struct Sums {
    double relative_change = 0.0;  ///< of the forces
    double squared_map = 0.0;      ///< this and what it is relative to where there is a tolerance
    double squared_force = 0.0;
    double squared_delta = 0.0;
  };

  void prepare(const ContactProblem& problem, const SolverOptions& options, VecView f);
  bool sweep(const ContactProblem& problem, const SolverOptions& options, double scale,
             Budget& budget, VecView f, Sums& sums);
  SolveResult sweep_anew(const ContactProblem& problem, const SolverOptions& options, double scale,
                         Budget& budget, std::string_view why, VecView f, int sweeps);
  double true_error(const ContactProblem& problem, double scale, const ConstVecView& f);
  Vec3 force_of(int i, double mu, const Vec3& f_before, const Vec3& delta_test) const;
  void note_active(int i, bool was_active, bool is_active);

  GaussSeidelSettings settings_;
  CapacityVec W_nn_;         ///< m
  CapacityVec Lambda_;       ///< m
  CapacityVec delta_;        ///< 3m
  std::vector<int> order_;   ///< of the visits
  std::vector<int> active_;  ///< contacts with a force, ascending
  Squeeze squeeze_;
  JamSearch jam_;
  double sweep_us_ = 0.0;  ///< of the last, where there is a deadline
};

}  // namespace stickslip
