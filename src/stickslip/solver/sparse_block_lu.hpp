#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// A x = b for a matrix of 3 x 3 blocks where a sparse local W has them, symmetric in its pattern
/// and not in its numbers, by elimination block after block in an order of least degree. Rows are
/// exchanged only within a block: W with something positive on its diagonal needs no more.
/// Allocates only where a pattern is larger than those before, or reserved.
class SparseBlockLu {
 public:
  /// Contacts, and links between them that elimination leaves, as many as there are among
  /// `largest_pattern` contacts that are all linked; the elimination of more is not worth it.
  static constexpr int most_contacts = 8000;
  static constexpr int largest_pattern = 2000;

  /// Room for any pattern of so many contacts, as far as it is worth it.
  void reserve(int contact_count);

  enum class Analysis { done, too_large, late };

  /// Finds the order of elimination; `too_large` for a pattern that is not worth it, `late` where
  /// the budget, less `reserve_us`, runs out on the way.
  Analysis analyse(const LocalProblem& problem, Budget& budget, double reserve_us);

  /// Of one factorisation with the pattern analysed.
  double flops() const { return flops_; }

  /// Factorises the matrix whose block (i, j) is written by `fill(i, j, W_ij, block)` wherever W
  /// stores one and both contacts are used; the unused ones get a one on the diagonal. False where
  /// the budget, less `reserve_us`, runs out or a pivot is singular.
  template <typename IsUsed, typename Fill>
  bool factorise(const LocalProblem& problem, IsUsed&& is_used, Fill&& fill, Budget& budget,
                 double reserve_us);

  /// x comes as the right side, three numbers a contact.
  void solve(VecX& x);

 private:
  // columns of four numbers, of which three count
  using Block = Eigen::Matrix<double, 4, 3>;
  using BlockMap = Eigen::Map<Block, Eigen::Aligned32>;
  using ConstBlockMap = Eigen::Map<const Block, Eigen::Aligned32>;
  static constexpr Eigen::Index block_size = 12;

  void fill_links(const LocalProblem& problem);
  Analysis find_order(int k, Budget& budget, double reserve_us);
  bool list_links(int k, Budget& budget, double reserve_us);
  bool eliminate(int s);
  BlockMap block(VecX& values, int index) { return BlockMap(values.data() + block_size * index); }

  // what is factorised is the transpose, row by row: its rows are the columns that W stores
  int count_ = 0;
  double flops_ = 0.0;
  std::vector<std::uint64_t> links_;  ///< bits, a row of words a contact
  std::vector<int> degree_;
  std::vector<int> pivot_words_;  ///< words of the pivot's row that are not zero
  std::vector<int> order_;        ///< the contact of each place
  std::vector<int> place_;        ///< of each contact
  std::vector<int> later_start_;  ///< of each place
  std::vector<int> later_;        ///< linked places that come later, ascending
  std::vector<int> earlier_start_;
  std::vector<int> earlier_;   ///< linked places that come earlier, ascending
  std::vector<char> is_used_;  ///< of each place
  VecX upper_;                 ///< blocks, as later_ lists them
  VecX lower_;                 ///< blocks, as earlier_ lists them
  VecX inverse_;               ///< blocks of the diagonal, inverted
  VecX row_;                   ///< one row of blocks
  VecX solution_;
};

template <typename IsUsed, typename Fill>
bool SparseBlockLu::factorise(const LocalProblem& problem, IsUsed&& is_used, Fill&& fill,
                              Budget& budget, double reserve_us) {
  for (int s = 0; s < count_; ++s) is_used_[uz(s)] = is_used(order_[uz(s)]) ? 1 : 0;
  for (int s = 0; s < count_; ++s) {
    if (is_used_[uz(s)] == 0) continue;
    if (s % contacts_per_look == 0 && !budget.look(reserve_us)) return false;

    // the row of the transpose: the column of the matrix, its blocks transposed
    const int j = order_[uz(s)];
    for (int e = earlier_start_[uz(s)]; e < earlier_start_[uz(s) + 1]; ++e) {
      block(row_, earlier_[uz(e)]).setZero();
    }
    for (int e = later_start_[uz(s)]; e < later_start_[uz(s) + 1]; ++e) {
      block(row_, later_[uz(e)]).setZero();
    }
    block(row_, s).setZero();
    const LocalProblem::Column column = problem.column(j);
    for (std::size_t b = 0; b < column.rows.size(); ++b) {
      const int i = column.rows[b];
      const int at = place_[uz(i)];
      if (is_used_[uz(at)] == 0) continue;
      Mat3 value;
      const double* W_ij = column.values + static_cast<Eigen::Index>(b) * column.next_block;
      fill(i, j, W_ij, value);
      block(row_, at).topRows<3>() = value.transpose();
    }
    if (!eliminate(s)) return false;
  }
  return true;
}

}  // namespace stickslip
