#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/cone_scaling.hpp"
#include "stickslip/solver/dense_lu.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"

namespace stickslip {

/// A primal-dual interior point method: the laws with x o y = barrier e in place of x o y = 0, for
/// a barrier that shrinks to zero, so that no state has to be found and none is ever left.
///
/// Of a contact x = (mu f_n, f_t) and y = (delta_n / mu + |delta_t|, delta_t) lie in one cone,
/// which is its own dual. |delta_t| is rounded off by a length that shrinks with the barrier, and
/// is differentiated like the rest; after a short step it is held for one step, whose equations are
/// then those of a convex problem. Steps are scaled by Nesterov and Todd, corrected by Mehrotra.
/// Without friction x = f_n and y = delta_n are numbers.
///
/// Unknown are the parts of the forces along the axes of T^2, scaled to a unit diagonal: only then
/// do eliminations without row exchanges keep what is small. Allocates only in reserve().
class InteriorPoint {
 public:
  /// Room for so many contacts.
  void reserve(int contacts);

  /// What the equations are solved with: `sparse`, analysed before, where it is not null.
  struct Elimination {
    SparseBlockLu* sparse;
    DenseLu* dense;
  };

  /// Starts around f, which lies in the cones. False where no contact can push, or there is no
  /// room for the equations.
  bool start(const LocalProblem& problem, const Elimination& elimination, const VecX& f);

  enum class Step { taken, none, late };

  /// One step; `none` where there is none, or none that goes anywhere.
  Step step(const LocalProblem& problem, Budget& budget, double reserve_us);

  /// The force, in the cones up to rounding.
  void force(const LocalProblem& problem, VecX& f) const;

  /// Mean of x y [J]; a force and its complement lie as far from each other.
  double barrier() const { return barrier_; }
  int unknowns() const { return unknowns_; }

 private:
  enum class Law : unsigned char { none, frictionless, friction };

  struct Contact {
    Law law = Law::none;
    int first = 0;  ///< of its unknowns
    Vec3 x = Vec3::Zero();
    Vec3 y = Vec3::Zero();
    Vec3 step_x = Vec3::Zero();
    Vec3 step_y = Vec3::Zero();
    ConeScaling scaling;
    Vec3 y_of_delta = Vec3::Zero();
    double turn_1 = 0.0;  ///< how |delta_t| follows delta_t
    double turn_2 = 0.0;
    Mat3 equations = Mat3::Zero();  ///< times a y: rows
    Mat3 left = Mat3::Zero();       ///< times a delta: rows
    Mat3 right = Mat3::Zero();      ///< times the unknowns: a force
    Vec3 diagonal = Vec3::Zero();   ///< of T^2 in the unknowns
  };

  static int unknowns_of(Law law);
  void choose_start(const LocalProblem& problem);
  void linearise(const LocalProblem& problem);
  void linearise_friction(const LocalProblem& problem, int i, double rounding);
  bool factorise(const LocalProblem& problem, Budget& budget, double reserve_us);
  void fill_block(int i, int j, const double* W_ij, Eigen::Index next_column, Mat3& block) const;
  bool find_step(const LocalProblem& problem, double barrier, bool is_corrected);
  Vec3 right_side_of(const Contact& contact, double barrier, bool is_corrected) const;
  double reach(double most) const;
  /// Where the unknowns of a contact stand.
  int place(int i) const { return elimination_.sparse != nullptr ? 3 * i : contacts_[uz(i)].first; }

  std::vector<Contact> contacts_;
  int pushing_ = 0;  ///< contacts that can push
  int unknowns_ = 0;
  double barrier_ = 0.0;
  bool holds_slip_ = false;
  Elimination elimination_{};
  VecX f_;
  VecX delta_;
  VecX step_;  ///< of f
  VecX move_;  ///< of delta
  VecX right_side_;
};

}  // namespace stickslip
