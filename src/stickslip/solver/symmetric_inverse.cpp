#include "stickslip/solver/symmetric_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stickslip {

namespace {

// a pivot below so much of the diagonal has lost most of its digits
constexpr float least_pivot = 1e-5F;

/// Eight numbers in a register.
using Lane [[gnu::vector_size(32)]] = float;
constexpr int lane = 8;

inline Lane load(const float* from) {
  Lane value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// 16 rows of 4 columns, `stride` apart, less `width` products of numbers side by side.
inline void take_products(const float* left, const float* right, int width, Eigen::Index stride,
                          float* from) {
  Lane sums[4][2];
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 2; ++r) sums[c][r] = load(from + c * stride + lane * r);
  }
  for (int k = 0; k < width; ++k, left += 16, right += 4) {
    const Lane upper = load(left);
    const Lane lower = load(left + lane);
    for (int c = 0; c < 4; ++c) {
      sums[c][0] -= upper * right[c];
      sums[c][1] -= lower * right[c];
    }
  }
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 2; ++r)
      std::memcpy(from + c * stride + lane * r, &sums[c][r], sizeof(Lane));
  }
}

Eigen::Index round_up(Eigen::Index size, Eigen::Index to) {
  return (size + to - 1) / to * to;
}

}  // namespace

void SymmetricInverse::reserve(int n) {
  const Eigen::Index stride = round_up(n, tile_rows);
  if (stride * stride <= values_.size()) return;
  values_.setZero(stride * stride);
  for (Vec* vector : {&diagonal_, &sum_}) vector->setZero(stride);
  for (Vec* packed : {&rows_, &columns_, &packed_}) packed->setZero(stride * panel);
}

bool SymmetricInverse::invert(const LocalProblem& problem, Budget& budget, double reserve_us) {
  n_ = 3 * problem.contact_count();
  stride_ = round_up(n_, tile_rows);
  for (int j = 0; j < n_; ++j) {
    const double* from = problem.column(j / 3).values + (j % 3) * problem.size();
    float* to = values_.data() + stride_ * j;
    for (int i = j / tile_rows * tile_rows; i < n_; ++i) to[i] = static_cast<float>(from[i]);
    std::fill(to + n_, to + stride_, 0.0F);
    diagonal_[j] = to[j];
  }
  // filled up with ones on the diagonal
  for (Eigen::Index j = n_; j < stride_; ++j) {
    std::fill(values_.data() + stride_ * j, values_.data() + stride_ * (j + 1), 0.0F);
    values_[stride_ * j + j] = diagonal_[j] = 1.0F;
  }

  const int rows = static_cast<int>(stride_);
  for (int first = 0; first < rows; first += panel) {
    if (!budget.look(reserve_us)) return false;
    if (!pivot(first, std::min(panel, rows - first))) return false;
  }

  // both triangles, with the sign of the inverse
  for (int j = 0; j < n_; ++j) {
    float* column = values_.data() + stride_ * j;
    for (int i = j; i < n_; ++i) column[i] = -column[i];
  }
  for (int j = 0; j < n_; j += tile_rows) {
    for (int i = j; i < n_; ++i) {
      const int last = std::min(j + tile_rows, i);
      for (int k = j; k < last; ++k) values_[stride_ * i + k] = values_[stride_ * k + i];
    }
  }
  return true;
}

bool SymmetricInverse::pivot(int first, int width) {
  // with K the block: A_iK (A_KK)^-1, A_ij - A_iK (A_KK)^-1 A_Kj
  gather_panel(first, width);
  if (!invert_block(first, width)) return false;
  for (int k = 0; k < width; ++k) {
    for (int l = 0; l < width; ++l) {
      right_block_[k / tile_columns * tile_columns * width + l * tile_columns + k % tile_columns] =
          block_[l][k];
    }
  }
  const Eigen::Index tile = tile_rows * width;
  columns_.head(stride_ * width).setZero();
  for (Eigen::Index i = 0; i < stride_; i += tile_rows) {
    for (int k = 0; k < width; k += tile_columns) {
      take_products(packed_.data() + i * width, right_block_ + k * width, width, tile_rows,
                    columns_.data() + i / tile_rows * tile + k * tile_rows);
    }
  }
  update_all(width);
  scatter_panel(first, width);
  return true;
}

void SymmetricInverse::gather_panel(int first, int width) {
  // what stands left of the block lies below the diagonal in other columns
  for (Eigen::Index i = 0; i < stride_; ++i) {
    const bool is_left = i < first;
    const bool is_inside = !is_left && i < first + width;
    const float* from = values_.data() + (is_left ? stride_ * i + first : stride_ * first + i);
    const Eigen::Index step = is_left ? 1 : stride_;
    float* row = rows_.data() + i / tile_columns * tile_columns * width + i % tile_columns;
    float* packed = packed_.data() + i / tile_rows * tile_rows * width + i % tile_rows;
    for (int k = 0; k < width; ++k) {
      const float value = is_inside ? 0.0F : from[k * step];
      row[k * tile_columns] = -value;
      packed[k * tile_rows] = value;
    }
  }
  for (int k = 0; k < width; ++k) {
    for (int i = k; i < width; ++i) {
      block_[i][k] = block_[k][i] = values_[stride_ * (first + k) + first + i];
    }
  }
}

bool SymmetricInverse::invert_block(int first, int width) {
  for (int k = 0; k < width; ++k) {
    const float pivot = block_[k][k];
    if (!(pivot > least_pivot * diagonal_[first + k]) || !std::isfinite(pivot)) return false;
    const float inverse = 1.0F / pivot;
    for (int j = 0; j < width; ++j) block_[k][j] *= inverse;
    block_[k][k] = inverse;
    for (int i = 0; i < width; ++i) {
      if (i == k) continue;
      const float factor = block_[i][k];
      block_[i][k] = 0.0F;
      for (int j = 0; j < width; ++j) block_[i][j] -= factor * block_[k][j];
    }
  }
  return true;
}

void SymmetricInverse::update_all(int width) {
  for (Eigen::Index j = 0; j < stride_; j += tile_columns) {
    const float* right = rows_.data() + j * width;
    for (Eigen::Index i = j / tile_rows * tile_rows; i < stride_; i += tile_rows) {
      take_products(columns_.data() + i * width, right, width, stride_,
                    values_.data() + stride_ * j + i);
    }
  }
}

void SymmetricInverse::scatter_panel(int first, int width) {
  for (Eigen::Index i = 0; i < stride_; ++i) {
    const bool is_left = i < first;
    if (!is_left && i < first + width) continue;
    float* to = values_.data() + (is_left ? stride_ * i + first : stride_ * first + i);
    const Eigen::Index step = is_left ? 1 : stride_;
    const float* column = columns_.data() + i / tile_rows * tile_rows * width + i % tile_rows;
    for (int k = 0; k < width; ++k) to[k * step] = -column[k * tile_rows];
  }
  for (int k = 0; k < width; ++k) {
    for (int i = k; i < width; ++i) values_[stride_ * (first + k) + first + i] = -block_[i][k];
  }
}

void SymmetricInverse::solve(VecX& x) {
  sum_.head(stride_).setZero();
  for (int j = 0; j < n_; ++j) {
    sum_.head(stride_) +=
        static_cast<float>(x[j]) * Eigen::Map<const Vec>(values_.data() + stride_ * j, stride_);
  }
  x.head(n_) = sum_.head(n_).cast<double>();
}

double SymmetricInverse::flops(int rows) {
  const double n = rows;
  return n * n * (n + 250.0);
}

}  // namespace stickslip
