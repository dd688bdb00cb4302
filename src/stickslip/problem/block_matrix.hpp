#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// A square matrix of 3 x 3 blocks, one row and one column of blocks per contact, dense or
/// block-sparse. It need not be symmetric.
class BlockMatrix {
 public:
  BlockMatrix() = default;

  /// W is 3m x 3m.
  static BlockMatrix dense(const MatX& W);

  /// Blocks that hold no entry of W are not stored. W is 3m x 3m.
  static BlockMatrix sparse(const SparseMatrix& W);

  /// Room for any matrix of so many contacts, or for a dense one.
  void reserve(int contact_count, bool is_dense);

  /// Becomes a dense matrix of zeros. Allocates only beyond the largest size there has been.
  void resize_dense(int contact_count);
  /// The same with entries that are yet to be written.
  void resize_dense_unset(int contact_count);

  /// Becomes a sparse matrix of zeros with blocks in the given places: the rows of column j are
  /// rows[column_start[j]] to rows[column_start[j + 1] - 1], ascending. Allocates like the above.
  void resize_sparse(std::span<const int> column_start, std::span<const int> rows);

  /// Adds to block (i, j), which is stored.
  void add_block(int i, int j, const Mat3& block) {
    if (is_dense_) {
      as_dense().block<3, 3>(3 * i, 3 * j) += block;
    } else {
      Eigen::Map<Mat3>(values_.data() + 9 * stored_block(i, j)) += block;
    }
  }

  /// Adds blocks that lie one below the other to the rows `rows` of column j, which are stored and
  /// ascend.
  void add_blocks(std::span<const int> rows, int j,
                  const Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, 3>>& blocks);

  /// Makes the matrix symmetric by what is below its diagonal: the blocks above become those,
  /// transposed, and those on it the mean of both. The blocks that are stored lie symmetrically.
  void mirror();

  int contact_count() const { return contact_count_; }
  bool is_dense() const { return is_dense_; }

  /// Stored blocks.
  int block_count() const;

  /// Block (i, j); zero where none is stored.
  Mat3 block(int i, int j) const;

  /// trace / 3m: what one newton moves, in the mean; 0 without contacts.
  double mean_diagonal() const;

  /// delta += sum over j of the blocks (i, j) times f_j. Only the contacts in `active` carry a
  /// force.
  void add_row(int i, const ConstVecView& f, std::span<const int> active, Vec3& delta) const;

  /// u += column of blocks j times x.
  void add_column(int j, const Vec3& x, VecView u) const;

  /// u = W f, as long as f. Costs follow the contacts whose force is not zero.
  void multiply(const ConstVecView& f, VecView u) const;
  /// The same where u has perhaps another size.
  void multiply(const ConstVecView& f, VecX& u) const {
    u.resize(f.size());
    multiply(f, VecView(u));
  }

  /// All of it, with the zeros.
  MatX to_dense() const;

  /// The entries of a dense matrix, to be rewritten in place.
  Eigen::Map<MatX> as_dense() {
    assert(is_dense_);
    return {values_.data(), 3 * contact_count_, 3 * contact_count_};
  }
  Eigen::Map<const MatX> as_dense() const;

  /// The stored blocks of column j of a sparse matrix: `rows` ascending, nine values each, column
  /// after column of the block.
  struct Column {
    std::span<const int> rows;
    const double* values;
  };
  Column column(int j) const;

 private:
  std::size_t stored_block(int i, int j) const;
  void mirror_dense();

  int contact_count_ = 0;
  bool is_dense_ = true;
  /// dense: column after column; sparse: block after block, each column after column
  std::vector<double> values_;
  // block-sparse, compressed by columns of blocks
  std::vector<int> column_start_;
  std::vector<int> row_;
  // the same blocks listed by rows
  struct RowEntry {
    int column;
    int block;
  };
  std::vector<int> row_start_;
  std::vector<RowEntry> row_entries_;
};

}  // namespace stickslip
