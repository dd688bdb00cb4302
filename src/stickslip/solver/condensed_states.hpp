#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/dense_lu.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/symmetric_inverse.hpp"

namespace stickslip {

/// Steps of contacts in their states, of which most stick: from the inverse of W, found once, as if
/// all stuck. What does not stick are conditions on the step with reactions of their own; only
/// these are solved for when the states change (Schur complement).
///
/// W df + sum of b s = -delta, where each condition has c . df = 0, or s = stiffness c . df. The
/// reactions of one contact are square to each other.
class CondensedStates {
 public:
  struct Condition {
    int contact = 0;
    Vec3 on_step;            ///< c
    Vec3 reaction;           ///< b, for s = 1
    double stiffness = 0.0;  ///< [m/N], where c . df is not zero
  };

  /// Room for `contacts` contacts.
  void reserve(int contacts);
  int capacity() const { return capacity_; }

  /// Other contacts, another W.
  void forget();
  /// Whether the inverse is there, or was too inexact.
  bool has_inverse() const { return inverse_is_ == Inverse::held; }
  bool is_refused() const { return inverse_is_ == Inverse::refused; }

  /// The conditions of the next step, written by the caller.
  std::vector<Condition>& conditions() { return conditions_; }

  /// The step from delta, three numbers a contact. `lu` has room for the conditions. False where
  /// there is none or the budget, less `reserve_us`, runs out on the way.
  bool solve(const LocalProblem& problem, const VecX& delta, DenseLu& lu, Budget& budget,
             double reserve_us, VecX& step);

 private:
  enum class Inverse : unsigned char { none, held, refused };

  void fill_conditions(DenseLu& lu);

  int capacity_ = 0;  ///< contacts
  Inverse inverse_is_ = Inverse::none;
  SymmetricInverse inverse_;
  std::vector<Condition> conditions_;
  VecX reactions_;
  VecX missing_;  ///< of delta, that the step has to undo
};

}  // namespace stickslip
