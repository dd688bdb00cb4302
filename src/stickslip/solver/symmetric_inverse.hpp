#pragma once

#include <Eigen/Core>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// The inverse of a dense local W, in single precision: half the time and half the memory, and
/// exact enough for steps that are repeated. By pivots on the diagonal, block after block (the
/// sweep operator), on one triangle. Allocates only in reserve().
class SymmetricInverse {
 public:
  using Vec = Eigen::VectorXf;

  /// Room for matrices of n rows.
  void reserve(int n);

  /// Inverts W. False where the budget, less `reserve_us`, runs out, or W is not positive definite
  /// by so much that single precision would show it.
  bool invert(const LocalProblem& problem, Budget& budget, double reserve_us);

  /// Column j of the inverse, of the rows of the local problem.
  const float* column(int j) const { return values_.data() + stride_ * j; }

  /// x comes as the right side, as long as W has rows.
  void solve(VecX& x);

  /// Of one inversion, roughly, with what moves its panels.
  static double flops(int rows);

 private:
  static constexpr int panel = 32;
  static constexpr int tile_rows = 16;
  static constexpr int tile_columns = 4;

  bool pivot(int first, int width);
  bool invert_block(int first, int width);
  void gather_panel(int first, int width);
  void update_all(int width);
  void scatter_panel(int first, int width);

  int n_ = 0;
  Eigen::Index stride_ = 0;  ///< a multiple of tile_rows, as all below
  Vec values_;               ///< columns of stride_; the lower triangle counts, at the end both
  Vec diagonal_;             ///< of W
  Vec packed_;               ///< the panel, tile_rows numbers side by side
  Vec rows_;                 ///< less the panel, tile_columns numbers side by side
  Vec columns_;              ///< less the panel times its pivot, as packed_
  Vec sum_;
  float block_[panel][panel] = {};
  float right_block_[panel * panel] = {};  ///< the same, as rows_
};

}  // namespace stickslip
