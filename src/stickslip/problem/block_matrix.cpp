#include "stickslip/problem/block_matrix.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace stickslip {

namespace {

using ConstBlock = Eigen::Map<const Mat3>;

}  // namespace

BlockMatrix BlockMatrix::dense(const MatX& W) {
  assert(W.rows() == W.cols() && W.rows() % 3 == 0);
  BlockMatrix result;
  result.resize_dense(static_cast<int>(W.rows() / 3));
  result.as_dense() = W;
  return result;
}

BlockMatrix BlockMatrix::sparse(const SparseMatrix& W) {
  assert(W.rows() == W.cols() && W.rows() % 3 == 0);
  const int m = static_cast<int>(W.rows() / 3);

  // column by column: which rows of blocks are met
  std::vector<int> column_start = {0};
  std::vector<int> rows;
  std::vector<char> is_met(uz(m), 0);
  for (int j = 0; j < m; ++j) {
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    for (int c = 0; c < 3; ++c) {
      for (SparseMatrix::InnerIterator entry(W, 3 * j + c); entry; ++entry) {
        const int i = static_cast<int>(entry.row()) / 3;
        if (!is_met[uz(i)]) rows.push_back(i);
        is_met[uz(i)] = 1;
      }
    }
    std::sort(rows.begin() + first, rows.end());
    for (auto b = uz(first); b < rows.size(); ++b) is_met[uz(rows[b])] = 0;
    column_start.push_back(static_cast<int>(rows.size()));
  }

  BlockMatrix result;
  result.resize_sparse(column_start, rows);
  for (int k = 0; k < W.cols(); ++k) {
    for (SparseMatrix::InnerIterator entry(W, k); entry; ++entry) {
      const int row = static_cast<int>(entry.row());
      result.values_[9 * result.stored_block(row / 3, k / 3) + uz(3 * (k % 3) + row % 3)] +=
          entry.value();
    }
  }
  return result;
}

void BlockMatrix::reserve(int contact_count, bool is_dense) {
  const std::size_t blocks = uz(contact_count) * uz(contact_count);
  values_.reserve(9 * blocks);
  if (is_dense) return;
  column_start_.reserve(uz(contact_count) + 1);
  row_start_.reserve(uz(contact_count) + 1);
  row_.reserve(blocks);
  row_entries_.reserve(blocks);
}

void BlockMatrix::resize_dense(int contact_count) {
  contact_count_ = contact_count;
  is_dense_ = true;
  values_.assign(9 * uz(contact_count) * uz(contact_count), 0.0);
}

void BlockMatrix::resize_dense_unset(int contact_count) {
  contact_count_ = contact_count;
  is_dense_ = true;
  values_.resize(9 * uz(contact_count) * uz(contact_count));
}

void BlockMatrix::resize_sparse(std::span<const int> column_start, std::span<const int> rows) {
  values_.assign(9 * rows.size(), 0.0);
  const bool has_these_places = !is_dense_ && std::ranges::equal(column_start_, column_start) &&
                                std::ranges::equal(row_, rows);
  if (has_these_places) return;
  contact_count_ = static_cast<int>(column_start.size()) - 1;
  is_dense_ = false;
  column_start_.assign(column_start.begin(), column_start.end());
  row_.assign(rows.begin(), rows.end());

  // the same blocks by rows
  row_start_.assign(uz(contact_count_) + 1, 0);
  for (const int i : row_) ++row_start_[uz(i) + 1];
  for (int i = 0; i < contact_count_; ++i) row_start_[uz(i) + 1] += row_start_[uz(i)];
  row_entries_.resize(row_.size());
  for (int j = 0; j < contact_count_; ++j) {
    for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1]; ++b) {
      row_entries_[uz(row_start_[uz(row_[uz(b)])]++)] = {j, b};
    }
  }
  // filling moved each start to that of the row after it
  for (auto i = uz(contact_count_); i > 0; --i) row_start_[i] = row_start_[i - 1];
  if (!row_start_.empty()) row_start_[0] = 0;
}

void BlockMatrix::add_blocks(
    std::span<const int> rows, int j,
    const Eigen::Ref<const Eigen::Matrix<double, Eigen::Dynamic, 3>>& blocks) {
  if (is_dense_) {
    auto column = as_dense().middleCols<3>(3 * j);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      column.middleRows<3>(3 * rows[k]) += blocks.middleRows<3>(static_cast<int>(3 * k));
    }
    return;
  }
  std::size_t b = stored_block(rows[0], j);
  for (std::size_t k = 0; k < rows.size(); ++k, ++b) {
    while (row_[b] != rows[k]) ++b;
    Eigen::Map<Mat3>(values_.data() + 9 * b) += blocks.middleRows<3>(static_cast<int>(3 * k));
  }
}

void BlockMatrix::mirror_dense() {
  // tile by tile, each of which stays in the nearest cache
  constexpr int tile = 8;
  auto W = as_dense();
  for (int first_j = 0; first_j < contact_count_; first_j += tile) {
    for (int first_i = 0; first_i <= first_j; first_i += tile) {
      for (int j = first_j; j < std::min(first_j + tile, contact_count_); ++j) {
        for (int i = first_i; i < std::min(first_i + tile, j); ++i) {
          W.block<3, 3>(3 * i, 3 * j) = W.block<3, 3>(3 * j, 3 * i).transpose();
        }
      }
    }
  }
  for (int j = 0; j < contact_count_; ++j) {
    const Mat3 diagonal = W.block<3, 3>(3 * j, 3 * j);
    W.block<3, 3>(3 * j, 3 * j) = 0.5 * (diagonal + diagonal.transpose());
  }
}

void BlockMatrix::mirror() {
  if (is_dense_) {
    mirror_dense();
    return;
  }
  for (int j = 0; j < contact_count_; ++j) {
    // row j has the same places as column j
    const RowEntry* across = row_entries_.data() + row_start_[uz(j)];
    for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1] && row_[uz(b)] <= j;
         ++b, ++across) {
      assert(across->column == row_[uz(b)]);
      Eigen::Map<Mat3> above(values_.data() + 9 * uz(b));
      const Mat3 below = ConstBlock(values_.data() + 9 * uz(across->block));
      above = row_[uz(b)] < j ? Mat3(below.transpose()) : Mat3(0.5 * (below + below.transpose()));
    }
  }
}

std::size_t BlockMatrix::stored_block(int i, int j) const {
  const auto begin = row_.begin() + column_start_[uz(j)];
  const auto end = row_.begin() + column_start_[uz(j) + 1];
  const auto found = std::lower_bound(begin, end, i);
  assert(found != end && *found == i);
  return uz(found - row_.begin());
}

int BlockMatrix::block_count() const {
  return is_dense_ ? contact_count_ * contact_count_ : static_cast<int>(row_.size());
}

Mat3 BlockMatrix::block(int i, int j) const {
  if (is_dense_) return as_dense().block<3, 3>(3 * i, 3 * j);
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

void BlockMatrix::add_row(int i, const ConstVecView& f, std::span<const int> active,
                          Vec3& delta) const {
  if (is_dense_) {
    const auto W = as_dense();
    // four sums side by side: a single one would wait for its own additions
    std::array<Vec3, 4> sums = {delta, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (std::size_t a = 0; a < active.size(); ++a) {
      const int j = active[a];
      sums[a % 4] += W.block<3, 3>(3 * i, 3 * j) * f.segment<3>(3 * j);
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

void BlockMatrix::add_column(int j, const Vec3& x, VecView u) const {
  if (is_dense_) {
    const auto W = as_dense();
    u.noalias() += W.col(3 * j) * x[0] + W.col(3 * j + 1) * x[1] + W.col(3 * j + 2) * x[2];
    return;
  }
  for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1]; ++b) {
    u.segment<3>(3 * row_[uz(b)]) += ConstBlock(values_.data() + 9 * uz(b)) * x;
  }
}

void BlockMatrix::multiply(const ConstVecView& f, VecView u) const {
  assert(u.size() == 3 * contact_count_);
  u.setZero();
  for (int j = 0; j < contact_count_; ++j) {
    const Vec3 f_j = f.segment<3>(3 * j);
    if (f_j != Vec3::Zero()) add_column(j, f_j, u);
  }
}

MatX BlockMatrix::to_dense() const {
  if (is_dense_) return as_dense();
  MatX result = MatX::Zero(3 * contact_count_, 3 * contact_count_);
  for (int j = 0; j < contact_count_; ++j) {
    for (int b = column_start_[uz(j)]; b < column_start_[uz(j) + 1]; ++b) {
      result.block<3, 3>(3 * row_[uz(b)], 3 * j) = ConstBlock(values_.data() + 9 * uz(b));
    }
  }
  return result;
}

Eigen::Map<const MatX> BlockMatrix::as_dense() const {
  assert(is_dense_);
  return {values_.data(), 3 * contact_count_, 3 * contact_count_};
}

BlockMatrix::Column BlockMatrix::column(int j) const {
  assert(!is_dense_);
  const int first = column_start_[uz(j)];
  return {{row_.data() + first, uz(column_start_[uz(j) + 1] - first)},
          values_.data() + 9 * uz(first)};
}

}  // namespace stickslip
