#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/error.hpp"
#include "stickslip/fem/large_array.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// A matrix that should have been positive definite is not; `unknown` is where it shows first.
class NotPositiveDefinite : public InputError {
 public:
  explicit NotPositiveDefinite(int unknown);
  int unknown() const { return unknown_; }

 private:
  int unknown_;
};

/// A = L L^T for a sparse symmetric positive definite matrix, by supernodes.
///
/// Unknowns are ordered by nested dissection (METIS) and grouped into supernodes: runs of
/// columns of L with one common list of rows, held as a dense panel. Factorisation is
/// multifrontal: dense blocks (BLAS), the branches of the elimination tree shared out among
/// threads, the same bits however many there are. Solutions with many right-hand sides work on
/// dense blocks, too; those meant for a simulation step use no BLAS, allocate nothing and take
/// no lock.
class SparseCholesky {
 public:
  SparseCholesky() = default;

  /// Orders and factorises A, which is stored in full. Throws NotPositiveDefinite.
  explicit SparseCholesky(const SparseMatrix& A);

  /// Factorises another matrix of the same pattern, on one thread and without allocation. False
  /// when A is not positive definite; the factor is then useless until the next success.
  bool refactorize(const SparseMatrix& A);

  int size() const { return size_; }
  std::int64_t factor_entries() const { return static_cast<std::int64_t>(values_.size()); }
  double factor_flops() const { return flops_; }

  /// X <- A^-1 X for many columns at once.
  void solve(Eigen::Ref<MatX> X) const;

  /// Scratch of the solutions made inside a step; sized once.
  struct Workspace {
    VecX x;                     ///< one vector in elimination order
    int stride = 0;             ///< sparse columns it has room for, a multiple of `lanes`
    std::vector<double> panel;  ///< size x stride, row after row, in elimination order
    std::vector<char> is_visited;
    std::vector<int> visited;  ///< supernodes that the columns can reach, ascending
  };

  /// Room for solutions with one vector and for `add_gram` with up to max_columns columns.
  Workspace make_workspace(int max_columns) const;

  /// x <- A^-1 x, within a step.
  void solve_in_step(Eigen::Ref<VecX> x, Workspace& workspace) const;

  /// A sparse right-hand side: a few unknowns and their values.
  struct SparseColumn {
    std::span<const int> rows;
    std::span<const double> values;
  };

  /// G(i, j) += b_i^T A^-1 b_j for the sparse columns b, within a step. Only the part of L that
  /// the columns can reach is visited.
  void add_gram(std::span<const SparseColumn> columns, Workspace& workspace,
                Eigen::Ref<MatX> G) const;

  /// Place of each unknown in the order of elimination.
  std::span<const int> elimination_position() const { return position_; }

  /// Columns of A^-1, columns and rows both counted in elimination order: X(i, k) is entry
  /// (i, columns[k]) for every i >= from; the rows before are not computed. `columns` ascend.
  /// Columns that stand together cost little more than one, and since the inverse is symmetric,
  /// its lower triangle (from = columns.front()) is enough: half the work.
  void inverse_columns(std::span<const int> columns, int from, MatX& X) const;

 private:
  static constexpr int lanes = 8;

  struct Supernode {
    int first;                  ///< first column
    int width;                  ///< number of columns
    int height;                 ///< number of rows of the panel, its own columns included
    int parent;                 ///< supernode that takes its update, or -1
    std::int64_t panel;         ///< offset of the panel in values_
    std::int64_t row_list;      ///< offset of its rows in rows_ and in target_
    std::int64_t assembly = 0;  ///< offset in updates_ where its update is summed up,
    std::int64_t update = 0;    ///< and where it waits for the parent
  };

  /// Supernodes first to last with all their descendants: independent of the other branches.
  struct Branch {
    int first;
    int last;
    double flops;
  };

  void analyse(const SparseMatrix& A);
  void lay_out_panels();
  void find_branches();
  void lay_out_updates();
  void map_entries(const SparseMatrix& A);
  int factorize_panels(const SparseMatrix& A, int threads);
  int factorize_supernode(int number);
  void extend_add(const Supernode& child, const double* update, const Supernode& parent,
                  double* parent_update);
  std::span<const int> rows_below(const Supernode& s) const;
  void forward(const Supernode& s, MatX& Y, MatX& gathered) const;
  void backward(const Supernode& s, MatX& Y, MatX& gathered) const;

  int size_ = 0;
  double flops_ = 0.0;
  std::vector<int> position_;          ///< unknown -> place in elimination order
  std::vector<Supernode> supernodes_;  ///< children before parents
  std::vector<int> supernode_of_;      ///< column -> supernode
  std::vector<int> rows_;              ///< rows of every panel, ascending
  std::vector<int> target_;   ///< for rows below the panel's own columns: row in the parent's panel
  LargeArray panels_;         ///< all panels, column-major
  std::span<double> values_;  ///< the same as numbers
  std::vector<std::int64_t> entry_;  ///< where each entry of A goes in values_, or -1
  std::vector<int> child_start_;     ///< children of supernode s: child_[child_start_[s]] ...
  std::vector<int> child_;
  std::vector<Branch> branches_;  ///< costly ones first
  std::vector<int> trunk_;        ///< the supernodes that are in no branch, ascending
  LargeArray updates_;            ///< updates on their way to parents
  int tallest_ = 0;               ///< most rows below the own columns of any panel
};

}  // namespace stickslip
