#include "stickslip/problem/block_matrix.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace stickslip {

namespace {

using ConstBlock = Eigen::Map<const Mat3>;

}  // namespace

BlockMatrix BlockMatrix::dense(MatX W) {
  assert(W.rows() == W.cols() && W.rows() % 3 == 0);
  BlockMatrix result;
  result.contact_count_ = static_cast<int>(W.rows() / 3);
  result.dense_ = std::move(W);
  return result;
}

BlockMatrix BlockMatrix::sparse(const SparseMatrix& W) {
  assert(W.rows() == W.cols() && W.rows() % 3 == 0);
  BlockMatrix result;
  const int m = static_cast<int>(W.rows() / 3);
  result.contact_count_ = m;
  result.is_dense_ = false;
  result.column_start_.assign(uz(m) + 1, 0);
  result.row_start_.assign(uz(m) + 1, 0);

  // column by column: which rows of blocks are met, then their values
  std::vector<int> place(uz(m), -1);
  for (int j = 0; j < m; ++j) {
    const auto first = static_cast<std::ptrdiff_t>(result.row_.size());
    for (int c = 0; c < 3; ++c) {
      for (SparseMatrix::InnerIterator entry(W, 3 * j + c); entry; ++entry) {
        const int i = static_cast<int>(entry.row()) / 3;
        if (place[uz(i)] < 0) {
          place[uz(i)] = 0;
          result.row_.push_back(i);
        }
      }
    }
    std::sort(result.row_.begin() + first, result.row_.end());
    for (auto b = uz(first); b < result.row_.size(); ++b) {
      place[uz(result.row_[b])] = static_cast<int>(b);
      ++result.row_start_[uz(result.row_[b]) + 1];
    }
    result.values_.resize(9 * result.row_.size(), 0.0);
    for (int c = 0; c < 3; ++c) {
      for (SparseMatrix::InnerIterator entry(W, 3 * j + c); entry; ++entry) {
        const int row = static_cast<int>(entry.row());
        result.values_[9 * uz(place[uz(row / 3)]) + uz(3 * c + row % 3)] += entry.value();
      }
    }
    for (auto b = uz(first); b < result.row_.size(); ++b) place[uz(result.row_[b])] = -1;
    result.column_start_[uz(j) + 1] = static_cast<int>(result.row_.size());
  }

  // the same blocks by rows
  for (int i = 0; i < m; ++i) result.row_start_[uz(i) + 1] += result.row_start_[uz(i)];
  result.row_entries_.resize(result.row_.size());
  std::vector<int> next(result.row_start_.begin(), result.row_start_.end() - 1);
  for (int j = 0; j < m; ++j) {
    for (int b = result.column_start_[uz(j)]; b < result.column_start_[uz(j) + 1]; ++b) {
      result.row_entries_[uz(next[uz(result.row_[uz(b)])]++)] = {j, b};
    }
  }
  return result;
}

int BlockMatrix::block_count() const {
  return is_dense_ ? contact_count_ * contact_count_ : static_cast<int>(row_.size());
}

Mat3 BlockMatrix::block(int i, int j) const {
  if (is_dense_) return dense_.block<3, 3>(3 * i, 3 * j);
  const auto begin = row_.begin() + column_start_[uz(j)];
  const auto end = row_.begin() + column_start_[uz(j) + 1];
  const auto found = std::lower_bound(begin, end, i);
  if (found == end || *found != i) return Mat3::Zero();
  return ConstBlock(values_.data() + 9 * (found - row_.begin()));
}

double BlockMatrix::mean_diagonal() const {
  double trace = 0.0;
  for (int i = 0; i < contact_count_; ++i) trace += block(i, i).trace();
  return contact_count_ > 0 ? trace / (3.0 * contact_count_) : 0.0;
}

void BlockMatrix::add_row(int i, const VecX& f, std::span<const int> active, Vec3& delta) const {
  if (is_dense_) {
    // four sums side by side: a single one would wait for its own additions
    std::array<Vec3, 4> sums = {delta, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (std::size_t a = 0; a < active.size(); ++a) {
      const int j = active[a];
      sums[a % 4] += dense_.block<3, 3>(3 * i, 3 * j) * f.segment<3>(3 * j);
    }
    delta = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return;
  }
  for (int e = row_start_[uz(i)]; e < row_start_[uz(i) + 1]; ++e) {
    const Vec3 f_j = f.segment<3>(3 * row_entries_[uz(e)].column);
    if (f_j == Vec3::Zero()) continue;
    delta += ConstBlock(values_.data() + 9 * uz(row_entries_[uz(e)].block)) * f_j;
  }
}

void BlockMatrix::add_column(int j, const Vec3& x, VecX& u) const {
  if (is_dense_) {
    u.noalias() +=
        dense_.col(3 * j) * x[0] + dense_.col(3 * j + 1) * x[1] + dense_.col(3 * j + 2) * x[2];
    return;
  }
  for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1]; ++b) {
    u.segment<3>(3 * row_[uz(b)]) += ConstBlock(values_.data() + 9 * uz(b)) * x;
  }
}

void BlockMatrix::multiply(const VecX& f, VecX& u) const {
  u.setZero(3 * contact_count_);
  for (int j = 0; j < contact_count_; ++j) {
    const Vec3 f_j = f.segment<3>(3 * j);
    if (f_j != Vec3::Zero()) add_column(j, f_j, u);
  }
}

MatX BlockMatrix::to_dense() const {
  if (is_dense_) return dense_;
  MatX result = MatX::Zero(3 * contact_count_, 3 * contact_count_);
  for (int j = 0; j < contact_count_; ++j) {
    for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1]; ++b) {
      result.block<3, 3>(3 * row_[uz(b)], 3 * j) = ConstBlock(values_.data() + 9 * uz(b));
    }
  }
  return result;
}

MatX& BlockMatrix::dense_values() {
  assert(is_dense_);
  return dense_;
}

const MatX& BlockMatrix::dense_values() const {
  assert(is_dense_);
  return dense_;
}

BlockMatrix::Column BlockMatrix::column(int j) const {
  assert(!is_dense_);
  const int first = column_start_[uz(j)];
  return {{row_.data() + first, uz(column_start_[uz(j) + 1] - first)},
          values_.data() + 9 * uz(first)};
}

}  // namespace stickslip
