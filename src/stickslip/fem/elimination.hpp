#pragma once

#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// In which order the unknowns of a sparse symmetric matrix are eliminated, and which entries
/// its Cholesky factor will have.
struct EliminationPlan {
  /// A run of columns of the factor that share their rows below; it is held as a dense panel, at
  /// the price of a few stored zeros.
  struct Panel {
    int width = 0;                ///< number of columns
    std::vector<int> rows_below;  ///< places in the order of elimination, ascending
  };

  std::vector<int> position;  ///< unknown -> place in the order of elimination
  std::vector<Panel> panels;  ///< in that order: every panel stands before the ones it updates,
                              ///< and the descendants of each stand together right before it
};

/// Nested dissection (METIS) of the groups of unknowns that share one pattern, then panels. A is
/// stored in full.
EliminationPlan plan_elimination(const SparseMatrix& A);

}  // namespace stickslip
