#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/dense_lu.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"

namespace stickslip {

/// Newton's method on the laws written as equations (Alart and Curnier): with r = f - rho delta,
/// Phi_n = f_n - max(r_n, 0) and Phi_t = f_t - (r_t moved into the disc of radius mu max(r_n, 0)).
/// Every contact changes its state as r says, so that no sweep has to find the states first; in
/// between f may leave the cones.
///
/// Where W is singular the steps are those of the proximal problem W + alpha, delta_free - alpha
/// centre, whose solution is the nearest to the centre. Allocates only in reserve().
class SemismoothNewton {
 public:
  /// Room for `contacts` contacts, of which as many as have `unknowns` unknowns may carry force.
  void reserve(int contacts, int unknowns);

  /// Starts from f, with `alpha` [m/N], f as the centre, and rho the inverse compliance of each
  /// contact times `rho_share`: 10 is good, where the states come and go another. The equations are
  /// solved with `sparse`, analysed before, where it is not null.
  void start(const LocalProblem& problem, SparseBlockLu* sparse, const VecX& f, double rho_share,
             double alpha);

  /// f of now becomes the centre.
  void recentre(const LocalProblem& problem, double alpha);

  enum class Step { done, smaller, larger, none, late };

  /// One step, as long as it makes |Phi| smaller, or least where none does. `done` where Phi is
  /// zero up to rounding, `none` where there is no step or it is too large to be tried.
  Step step(const LocalProblem& problem, Budget& budget, double reserve_us);

  /// |Phi| over the size of f.
  double residual() const { return residual_; }

  /// The force, moved into the cones.
  void project(const LocalProblem& problem, VecX& f) const;

  /// For a method that takes turns with this one.
  DenseLu& lu() { return lu_; }

  /// Unknowns of the next step.
  int unknowns() const { return unknowns_; }

 private:
  enum class State : unsigned char { open, sliding, stuck };

  struct Contact {
    State state = State::open;
    int first = 0;       ///< of its unknowns
    double rho_n = 0.0;  ///< [N/m]
    double rho_t = 0.0;
    double d_1 = 0.0;  ///< direction of r_t
    double d_2 = 0.0;
    double limit = 0.0;  ///< mu r_n
    double share = 0.0;  ///< limit over |r_t|
  };

  bool factorise(const LocalProblem& problem, Budget& budget, double reserve_us);
  void fill_block(const LocalProblem& problem, int i, int j, const double* W_ij,
                  Eigen::Index next_column, Mat3& block) const;
  double residual_of(const LocalProblem& problem, const VecX& f, const VecX& delta) const;
  void classify(const LocalProblem& problem);
  /// Of the open contacts; what that moves the others see.
  void give_up_open_forces(const LocalProblem& problem);
  void fill_right_side(const LocalProblem& problem);
  bool solve_equations(const LocalProblem& problem);
  Step take_step(const LocalProblem& problem);

  std::vector<Contact> contacts_;
  int unknowns_ = 0;
  double alpha_ = 0.0;
  double residual_ = 0.0;
  DenseLu lu_;
  SparseBlockLu* sparse_lu_ = nullptr;
  VecX f_;
  VecX delta_;  ///< of the proximal problem
  VecX centre_;
  VecX step_;  ///< of f
  VecX move_;  ///< of delta
  VecX trial_f_;
  VecX trial_delta_;
  VecX right_side_;  ///< of the unknowns
};

}  // namespace stickslip
