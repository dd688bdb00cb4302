#include "stickslip/solver/dense_lu.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

namespace {

constexpr int panel = 16;

}  // namespace

void DenseLu::reserve(int n) {
  if (n <= capacity_) return;
  capacity_ = n;
  values_.resize(Eigen::Index{n} * n);
  exchange_.resize(uz(n));
}

bool DenseLu::factorise(int n, Budget& budget, double reserve_us) {
  n_ = n;
  Eigen::Map<MatX> A = matrix(n);
  for (int first = 0; first < n; first += panel) {
    if (!budget.look(reserve_us)) return false;
    const int width = std::min(panel, n - first);
    const int last = first + width;

    // the panel by itself
    for (int k = first; k < last; ++k) {
      Eigen::Index offset = 0;
      const double size = A.col(k).segment(k, n - k).cwiseAbs().maxCoeff(&offset);
      if (!(size > 0.0) || !std::isfinite(size)) return false;
      const int chosen = k + static_cast<int>(offset);
      exchange_[uz(k)] = chosen;
      if (chosen != k) {
        for (int j = first; j < last; ++j) std::swap(A(k, j), A(chosen, j));
      }
      const double inverse = 1.0 / A(k, k);
      A.col(k).segment(k + 1, n - k - 1) *= inverse;
      for (int j = k + 1; j < last; ++j) {
        A.col(j).segment(k + 1, n - k - 1).noalias() -=
            A(k, j) * A.col(k).segment(k + 1, n - k - 1);
      }
    }

    // its exchanges in the other columns, and the rows beside it
    for (int j = 0; j < n; ++j) {
      if (j >= first && j < last) continue;
      double* column = A.data() + Eigen::Index{j} * n;
      for (int k = first; k < last; ++k) std::swap(column[k], column[exchange_[uz(k)]]);
      if (j < first) continue;
      for (int k = first; k < last; ++k) {
        const double factor = column[k];
        for (int i = k + 1; i < last; ++i) column[i] -= factor * A(i, k);
      }
    }

    // the rest
    const int rest = n - last;
    if (rest > 0) {
      A.bottomRightCorner(rest, rest).noalias() -=
          A.block(last, first, rest, width) * A.block(first, last, width, rest);
    }
  }
  return true;
}

void DenseLu::solve(VecX& x) const {
  const Eigen::Map<const MatX> A(values_.data(), n_, n_);
  for (int k = 0; k < n_; ++k) std::swap(x[k], x[exchange_[uz(k)]]);
  for (int k = 0; k < n_; ++k) {
    x.segment(k + 1, n_ - k - 1).noalias() -= x[k] * A.col(k).segment(k + 1, n_ - k - 1);
  }
  for (int k = n_ - 1; k >= 0; --k) {
    x[k] /= A(k, k);
    x.head(k).noalias() -= x[k] * A.col(k).head(k);
  }
}

}  // namespace stickslip
