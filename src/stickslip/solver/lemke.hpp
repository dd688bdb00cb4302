#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// Lemke's method for the linear complementarity problem 0 <= z, 0 <= M z + q, z.(M z + q) = 0,
/// dense, covering vector of ones. Ties of the ratio test are broken lexicographically, so that
/// no basis comes twice. Owns its tableau: allocates only beyond the largest size there has been.
class Lemke {
 public:
  enum class Outcome {
    solved,
    ray,       ///< no pivot is left; for copositive M this means that there is no solution
    pivots,    ///< the limit on pivots is reached
    deadline,  ///< the limit on time is reached
  };

  using Matrix = Eigen::Ref<const MatX>;
  using Vector = Eigen::Ref<const VecX>;

  /// Room for problems of n unknowns.
  void reserve(int n);

  /// z, as long as q, is written when solved, and otherwise undefined. Stops where the budget, less
  /// `reserve_us`, runs out.
  Outcome solve(const Matrix& M, const Vector& q, int max_pivots, Budget& budget,
                Eigen::Ref<VecX> z, double reserve_us = 0.0);

  /// Of the last solve.
  int pivot_count() const { return pivot_count_; }

 private:
  Eigen::Map<MatX> dictionary() { return {tableau_.data(), n_, n_ + 1}; }
  Eigen::Map<const MatX> dictionary() const { return {tableau_.data(), n_, n_ + 1}; }
  void start(const Matrix& M, const Vector& q);
  int leaving_row(int entering_column) const;
  bool is_lexicographically_less(int row, int other, int column) const;
  double perturbation(int row, int j) const;
  void pivot(int row, int column);
  void polish(const Matrix& M, const Vector& q, Eigen::Ref<VecX> z);
  bool eliminate(Eigen::Map<MatX>& A, Eigen::Ref<VecX> x) const;

  // variables are numbered: w_i is i, z_i is n + i, the artificial one is 2n. The dictionary
  // gives the basic ones from the others: x_basic = value + T x_nonbasic
  int n_ = 0;
  VecX tableau_;               ///< T, n x (n + 1), as this and all below at least
  VecX value_;                 ///< n
  VecX pivot_column_;          ///< n
  std::vector<int> basic_;     ///< variable of each row
  std::vector<int> nonbasic_;  ///< variable of each column
  std::vector<int> w_column_;  ///< column of w_j, or -1 while it is basic
  std::vector<int> positive_;  ///< the z_i that are basic at the end
  VecX factor_;                ///< n x n, of the polish
  VecX right_side_;            ///< n
  int pivot_count_ = 0;
};

/// Larger tableaux would not fit a usual memory.
inline constexpr int largest_lemke = 8000;
inline constexpr std::string_view too_large_for_lemke_message =
    "the tableau of Lemke's method would not fit the memory; use a sweeping solver";

/// What a solver that rests on Lemke's method has to report of the force it found; time and
/// iterations are left to it. `delta` is scratch.
SolveResult judge_lemke(const ContactProblem& problem, const SolverOptions& options,
                        Lemke::Outcome outcome, const ConstVecView& f, VecView delta);

}  // namespace stickslip
