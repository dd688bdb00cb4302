#include <algorithm>
#include <cassert>

#include "stickslip/fem/blas.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"

namespace stickslip {

void SparseCholesky::solve(Eigen::Ref<MatX> X) const {
  assert(X.rows() == size_);
  const int columns = static_cast<int>(X.cols());
  MatX Y(size_, columns);
  for (int unknown = 0; unknown < size_; ++unknown) Y.row(position_[uz(unknown)]) = X.row(unknown);
  MatX gathered(tallest_, columns);
  for (const Supernode& s : supernodes_) forward(s, Y, gathered);
  for (auto s = supernodes_.rbegin(); s != supernodes_.rend(); ++s) backward(*s, Y, gathered);
  for (int unknown = 0; unknown < size_; ++unknown) X.row(unknown) = Y.row(position_[uz(unknown)]);
}

void SparseCholesky::forward(const Supernode& s, MatX& Y, MatX& gathered) const {
  const double* panel = values_.data() + s.panel;
  const int columns = static_cast<int>(Y.cols());
  const auto below = rows_below(s);
  blas::trsm_left_lower(false, s.width, columns, panel, s.height, &Y(s.first, 0), size_);
  if (below.empty()) return;
  blas::gemm(false, static_cast<int>(below.size()), columns, s.width, 1.0, panel + s.width,
             s.height, &Y(s.first, 0), size_, 0.0, gathered.data(), tallest_);
  for (int c = 0; c < columns; ++c) {
    double* column = &Y(0, c);
    const double* from = &gathered(0, c);
    for (std::size_t k = 0; k < below.size(); ++k) column[below[k]] -= from[k];
  }
}

void SparseCholesky::backward(const Supernode& s, MatX& Y, MatX& gathered) const {
  const double* panel = values_.data() + s.panel;
  const int columns = static_cast<int>(Y.cols());
  const auto below = rows_below(s);
  if (!below.empty()) {
    for (int c = 0; c < columns; ++c) {
      const double* column = &Y(0, c);
      double* to = &gathered(0, c);
      for (std::size_t k = 0; k < below.size(); ++k) to[k] = column[below[k]];
    }
    blas::gemm(true, s.width, columns, static_cast<int>(below.size()), -1.0, panel + s.width,
               s.height, gathered.data(), tallest_, 1.0, &Y(s.first, 0), size_);
  }
  blas::trsm_left_lower(true, s.width, columns, panel, s.height, &Y(s.first, 0), size_);
}

void SparseCholesky::inverse_columns(std::span<const int> columns, int from, MatX& X) const {
  X.setZero(size_, static_cast<int>(columns.size()));
  std::vector<char> is_visited(supernodes_.size(), 0);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    X(columns[k], static_cast<int>(k)) = 1.0;
    for (int s = supernode_of_[uz(columns[k])]; s >= 0 && is_visited[uz(s)] == 0;
         s = supernodes_[uz(s)].parent) {
      is_visited[uz(s)] = 1;
    }
  }
  MatX gathered(tallest_, X.cols());
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    if (is_visited[s] != 0) forward(supernodes_[s], X, gathered);
  }
  for (int s = static_cast<int>(supernodes_.size()) - 1; s >= supernode_of_[uz(from)]; --s) {
    backward(supernodes_[uz(s)], X, gathered);
  }
}

SparseCholesky::Workspace SparseCholesky::make_workspace(int max_columns) const {
  Workspace workspace;
  workspace.x.setZero(size_);
  workspace.stride = (max_columns + lanes - 1) / lanes * lanes;
  workspace.panel.assign(uz(size_) * uz(workspace.stride), 0.0);
  workspace.is_visited.assign(supernodes_.size(), 0);
  workspace.visited.reserve(supernodes_.size());
  return workspace;
}

void SparseCholesky::solve_in_step(Eigen::Ref<VecX> x, Workspace& workspace) const {
  double* y = workspace.x.data();
  for (int unknown = 0; unknown < size_; ++unknown) y[position_[uz(unknown)]] = x[unknown];

  // L y = x, column by column
  for (const Supernode& s : supernodes_) {
    const int* row = rows_.data() + s.row_list;
    for (int c = 0; c < s.width; ++c) {
      const double* column = values_.data() + s.panel + std::int64_t{c} * s.height;
      const double pivot = y[s.first + c] / column[c];
      y[s.first + c] = pivot;
      for (int k = c + 1; k < s.width; ++k) y[s.first + k] -= column[k] * pivot;
      for (int k = s.width; k < s.height; ++k) y[row[k]] -= column[k] * pivot;
    }
  }

  // L^T x = y, row by row
  for (auto s = supernodes_.rbegin(); s != supernodes_.rend(); ++s) {
    const int* row = rows_.data() + s->row_list;
    for (int c = s->width - 1; c >= 0; --c) {
      const double* column = values_.data() + s->panel + std::int64_t{c} * s->height;
      double sum = y[s->first + c];
      for (int k = c + 1; k < s->width; ++k) sum -= column[k] * y[s->first + k];
      for (int k = s->width; k < s->height; ++k) sum -= column[k] * y[row[k]];
      y[s->first + c] = sum / column[c];
    }
  }
  for (int unknown = 0; unknown < size_; ++unknown) x[unknown] = y[position_[uz(unknown)]];
}

void SparseCholesky::add_gram(std::span<const SparseColumn> columns, Workspace& workspace,
                              Eigen::Ref<MatX> G) const {
  using Lanes = Eigen::Array<double, 1, lanes>;
  using Row = Eigen::Map<Lanes>;
  const int count = static_cast<int>(columns.size());
  const int stride = workspace.stride;
  assert(count <= stride && G.rows() == count && G.cols() == count);
  double* panel = workspace.panel.data();
  const auto row = [&](int position, int lane) {
    return Row(panel + std::int64_t{position} * stride + lane);
  };

  // supernodes on the columns' ways to the root
  workspace.visited.clear();
  for (const SparseColumn& column : columns) {
    for (const int unknown : column.rows) {
      for (int s = supernode_of_[uz(position_[uz(unknown)])];
           s >= 0 && workspace.is_visited[uz(s)] == 0; s = supernodes_[uz(s)].parent) {
        workspace.is_visited[uz(s)] = 1;
        workspace.visited.push_back(s);
      }
    }
  }
  std::sort(workspace.visited.begin(), workspace.visited.end());

  // Z = B, with zeros wherever the columns can reach
  for (const int number : workspace.visited) {
    const Supernode& s = supernodes_[uz(number)];
    std::fill_n(panel + std::int64_t{s.first} * stride, std::int64_t{s.width} * stride, 0.0);
  }
  for (int j = 0; j < count; ++j) {
    const SparseColumn& column = columns[uz(j)];
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      panel[std::int64_t{position_[uz(column.rows[k])]} * stride + j] += column.values[k];
    }
  }

  // Z = L^-1 B
  for (const int number : workspace.visited) {
    const Supernode& s = supernodes_[uz(number)];
    workspace.is_visited[uz(number)] = 0;
    const int* rows = rows_.data() + s.row_list;
    for (int lane = 0; lane < count; lane += lanes) {
      for (int c = 0; c < s.width; ++c) {
        const double* column = values_.data() + s.panel + std::int64_t{c} * s.height;
        const Lanes pivot = row(s.first + c, lane) / column[c];
        row(s.first + c, lane) = pivot;
        for (int k = c + 1; k < s.height; ++k) row(rows[k], lane) -= column[k] * pivot;
      }
    }
  }

  // G += Z^T Z = B^T A^-1 B
  for (int a = 0; a < count; a += lanes) {
    for (int b = 0; b <= a; b += lanes) {
      Eigen::Matrix<double, lanes, lanes> sum = Eigen::Matrix<double, lanes, lanes>::Zero();
      for (const int number : workspace.visited) {
        const Supernode& s = supernodes_[uz(number)];
        for (int r = s.first; r < s.first + s.width; ++r) {
          sum.noalias() += row(r, a).matrix().transpose() * row(r, b).matrix();
        }
      }
      for (int i = a; i < std::min(a + lanes, count); ++i) {
        for (int j = b; j < std::min(b + lanes, count); ++j) {
          G(i, j) += sum(i - a, j - b);
          if (a != b) G(j, i) += sum(i - a, j - b);
        }
      }
    }
  }
}

}  // namespace stickslip
