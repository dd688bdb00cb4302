#include "stickslip/solver/dense_lu.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace stickslip {

namespace {

constexpr int panel = 8;

/// Four numbers in a register.
using Lane [[gnu::vector_size(32)]] = double;
constexpr int lane = 4;

inline Lane load(const double* from) {
  Lane value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Rows of a panel of `width` columns times `columns` columns of factors are taken from as many
/// columns beside it; all are n apart. As many numbers as registers hold at once.
template <int rows, int columns>
inline void eliminate(const double* left, const double* factors, int width, Eigen::Index n,
                      double* from) {
  Lane sums[columns][rows];
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r) sums[c][r] = load(from + c * n + lane * r);
  }
  for (int k = 0; k < width; ++k, left += n) {
    for (int c = 0; c < columns; ++c) {
      const double factor = factors[c * n + k];
      for (int r = 0; r < rows; ++r) sums[c][r] -= factor * load(left + lane * r);
    }
  }
  for (int c = 0; c < columns; ++c) {
    for (int r = 0; r < rows; ++r) std::memcpy(from + c * n + lane * r, &sums[c][r], sizeof(Lane));
  }
}

/// The same for all rows below a panel: `left`, `factors` and `from` are their first ones.
template <int columns>
void eliminate_below(const double* left, const double* factors, int width, Eigen::Index n,
                     Eigen::Index rows, double* from) {
  Eigen::Index r = 0;
  for (; r + 3 * lane <= rows; r += 3 * lane) {
    eliminate<3, columns>(left + r, factors, width, n, from + r);
  }
  for (; r + lane <= rows; r += lane) {
    eliminate<1, columns>(left + r, factors, width, n, from + r);
  }
  for (; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      for (int k = 0; k < width; ++k) from[c * n + r] -= factors[c * n + k] * left[k * n + r];
    }
  }
}

}  // namespace

void DenseLu::reserve(int n) {
  if (n <= capacity_) return;
  capacity_ = n;
  values_.resize(Eigen::Index{n} * n);
  exchange_.resize(uz(n));
}

bool DenseLu::factorise_panel(int first, int width) {
  const int n = n_;
  Eigen::Map<MatX> A = matrix(n);
  for (int k = first; k < first + width; ++k) {
    Eigen::Index offset = 0;
    const double size = A.col(k).segment(k, n - k).cwiseAbs().maxCoeff(&offset);
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    const int chosen = k + static_cast<int>(offset);
    exchange_[uz(k)] = chosen;
    if (chosen != k) {
      for (int j = first; j < first + width; ++j) std::swap(A(k, j), A(chosen, j));
    }
    const double inverse = 1.0 / A(k, k);
    A.col(k).segment(k + 1, n - k - 1) *= inverse;
    for (int j = k + 1; j < first + width; ++j) {
      A.col(j).segment(k + 1, n - k - 1).noalias() -= A(k, j) * A.col(k).segment(k + 1, n - k - 1);
    }
  }
  return true;
}

template <int columns>
void DenseLu::eliminate_beside(int first, int width, int at) {
  const Eigen::Index n = n_;
  const double* left = values_.data() + first * n + first;
  double* beside = values_.data() + at * n;
  // the exchanges of the panel, and its own rows
  for (int k = first; k < first + width; ++k) {
    for (int c = 0; c < columns; ++c) {
      std::swap(beside[c * n + k], beside[c * n + exchange_[uz(k)]]);
    }
  }
  for (int k = 0; k < width; ++k) {
    for (int i = k + 1; i < width; ++i) {
      const double factor = left[k * n + i];
      for (int c = 0; c < columns; ++c) {
        beside[c * n + first + i] -= factor * beside[c * n + first + k];
      }
    }
  }
  eliminate_below<columns>(left + width, beside + first, width, n, n - first - width,
                           beside + first + width);
}

bool DenseLu::factorise(int n, Budget& budget, double reserve_us) {
  n_ = n;
  for (int first = 0; first < n; first += panel) {
    if (!budget.look(reserve_us)) return false;
    const int width = std::min(panel, n - first);
    if (!factorise_panel(first, width)) return false;
    int j = first + width;
    for (; j + 4 <= n; j += 4) eliminate_beside<4>(first, width, j);
    for (; j < n; ++j) eliminate_beside<1>(first, width, j);
  }
  return true;
}

void DenseLu::solve(VecX& x) const {
  const Eigen::Map<const MatX> A(values_.data(), n_, n_);
  for (int first = 0; first < n_; first += panel) {
    // columns keep the order of rows that they were eliminated in
    const int last = std::min(first + panel, n_);
    for (int k = first; k < last; ++k) std::swap(x[k], x[exchange_[uz(k)]]);
    for (int k = first; k < last; ++k) {
      x.segment(k + 1, n_ - k - 1).noalias() -= x[k] * A.col(k).segment(k + 1, n_ - k - 1);
    }
  }
  for (int k = n_ - 1; k >= 0; --k) {
    x[k] /= A(k, k);
    x.head(k).noalias() -= x[k] * A.col(k).head(k);
  }
}

}  // namespace stickslip
