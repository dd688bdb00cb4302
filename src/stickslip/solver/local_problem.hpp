#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/contact_block.hpp"

namespace stickslip {

/// Some of the contacts of a problem by themselves, while the others carry no force or do not
/// touch them: a copy of their part of W that lies together, dense where that is cheaper.
///
/// Vectors of the local problem have `stride()` numbers a contact, of which the first three count;
/// they are as long as the storage, and only the first `size()` numbers are used. Allocates only in
/// reserve() and prepare().
class LocalProblem {
 public:
  /// Room for any choice of contacts of problems up to this size.
  void reserve(const ProblemSize& largest);
  /// The same of this problem; none is chosen then.
  void prepare(const ContactProblem& problem);
  Eigen::Index capacity() const { return delta_free_.size(); }

  /// Copies the part of `contacts`. `blocks` are those of all contacts of the problem, and must
  /// outlive the use.
  void gather(const ContactProblem& problem, std::span<const ContactBlock> blocks,
              std::span<const int> contacts);

  int contact_count() const { return static_cast<int>(contacts_.size()); }
  int stride() const { return stride_; }
  Eigen::Index size() const { return size_; }
  bool is_dense() const { return is_dense_; }
  std::span<const int> contacts() const { return contacts_; }
  const ContactBlock& block(int i) const { return *blocks_[uz(i)]; }
  double mu(int i) const { return mu_[i]; }
  const VecX& delta_free() const { return delta_free_; }
  double mean_compliance() const { return mean_compliance_; }
  /// Blocks that a sweep over all contacts touches.
  int block_count() const { return block_count_; }

  /// The forces of the chosen contacts from and to a vector of the whole problem.
  void take(const ConstVecView& whole, VecX& local) const;
  void give(const VecX& local, VecView whole) const;

  /// delta += column of blocks i times x.
  void add_column(int i, const Vec3& x, VecX& delta) const;

  /// delta = W f + delta_free.
  void refresh(const VecX& f, VecX& delta) const;

  /// The stored blocks of column j, three columns of `block_rows` numbers each, block after block;
  /// `rows` is empty for a dense one, whose blocks follow each other.
  struct Column {
    std::span<const int> rows;
    const double* values;
    Eigen::Index next_column;  ///< from one column of numbers to the next
    Eigen::Index next_block;   ///< from one block to the next
  };
  Column column(int j) const;

  /// Calls visit(i, j, values, next_column) for every stored block of the contacts that `takes`
  /// wants, column after column.
  template <class Takes, class Visit>
  void visit_blocks(Takes&& takes, Visit&& visit) const {
    for (int j = 0; j < contact_count(); ++j) {
      if (!takes(j)) continue;
      const Column blocks = column(j);
      const int count = is_dense_ ? contact_count() : static_cast<int>(blocks.rows.size());
      for (int b = 0; b < count; ++b) {
        const int i = is_dense_ ? b : blocks.rows[uz(b)];
        if (takes(i)) visit(i, j, blocks.values + b * blocks.next_block, blocks.next_column);
      }
    }
  }

 private:
  void reserve(Eigen::Index contact_count, Eigen::Index values);
  void gather_dense(const ContactProblem& problem);
  void gather_sparse(const ContactProblem& problem);

  bool is_dense_ = true;
  int stride_ = 3;
  Eigen::Index size_ = 0;  ///< a multiple of four
  int block_count_ = 0;
  double mean_compliance_ = 0.0;
  std::vector<int> contacts_;
  std::vector<const ContactBlock*> blocks_;
  std::vector<int> place_;  ///< of each contact of the problem, or -1
  VecX mu_;
  VecX delta_free_;
  VecX values_;  ///< dense: columns of size_; sparse: blocks of three columns of four
  std::vector<int> column_start_;
  std::vector<int> row_;
};

}  // namespace stickslip
