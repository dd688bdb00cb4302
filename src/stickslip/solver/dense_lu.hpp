#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// A x = b for dense square matrices by elimination with row exchanges, in panels. Allocates only
/// in reserve().
class DenseLu {
 public:
  /// Room for matrices of n rows.
  void reserve(int n);
  int capacity() const { return capacity_; }

  /// The n x n matrix to be written before factorise(), columns of n numbers.
  Eigen::Map<MatX> matrix(int n) { return {values_.data(), n, n}; }

  /// False where the budget, less `reserve_us`, runs out or a pivot is zero or not finite.
  bool factorise(int n, Budget& budget, double reserve_us);

  /// x comes as the right side.
  void solve(VecX& x) const;

 private:
  bool factorise_panel(int first, int width);
  template <int columns>
  void eliminate_beside(int first, int width, int at);

  int capacity_ = 0;
  int n_ = 0;
  VecX values_;
  std::vector<int> exchange_;  ///< the row that came to each place; not done in earlier panels
};

}  // namespace stickslip
