#include "stickslip/solver/lemke.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double tie_tolerance = 1e-12;
constexpr double smallest_pivot = 1e-11;

}  // namespace

void Lemke::reserve(int n) {
  if (n <= value_.size()) return;
  const Eigen::Index size = n;
  tableau_.resize(size * (size + 1));
  factor_.resize(size * size);
  for (VecX* vector : {&value_, &pivot_column_, &right_side_}) vector->resize(size);
  for (std::vector<int>* list : {&basic_, &nonbasic_, &w_column_, &positive_}) {
    list->reserve(uz(n) + 1);
  }
}

Lemke::Outcome Lemke::solve(const Matrix& M, const Vector& q, int max_pivots, Budget& budget,
                            Eigen::Ref<VecX> z, double reserve_us) {
  start(M, q);
  z.setZero();
  if (n_ == 0 || q.minCoeff() >= 0.0) return Outcome::solved;

  // the artificial variable enters where q is lowest; of equals the last is the lowest after the
  // lexicographic perturbation
  int row = 0;
  for (int i = 1; i < n_; ++i) {
    if (q[i] <= q[row]) row = i;
  }
  int entering = n_;
  while (pivot_count_ < max_pivots) {
    if (!budget.look(reserve_us)) return Outcome::deadline;
    const int leaving = basic_[uz(row)];
    pivot(row, entering);
    ++pivot_count_;
    if (leaving == 2 * n_) {
      for (int i = 0; i < n_; ++i) {
        if (basic_[uz(i)] >= n_) z[basic_[uz(i)] - n_] = std::max(value_[i], 0.0);
      }
      polish(M, q, z);
      return Outcome::solved;
    }
    // the complement of what left enters next
    const int complement = leaving < n_ ? leaving + n_ : leaving - n_;
    entering = static_cast<int>(std::find(nonbasic_.begin(), nonbasic_.end(), complement) -
                                nonbasic_.begin());
    row = leaving_row(entering);
    if (row < 0) return Outcome::ray;
  }
  return Outcome::pivots;
}

void Lemke::start(const Matrix& M, const Vector& q) {
  n_ = static_cast<int>(q.size());
  reserve(n_);
  pivot_count_ = 0;
  dictionary().leftCols(n_) = M;
  dictionary().col(n_).setOnes();
  value_.head(n_) = q;
  basic_.resize(uz(n_));
  nonbasic_.resize(uz(n_) + 1);
  w_column_.assign(uz(n_), -1);
  for (int i = 0; i < n_; ++i) {
    basic_[uz(i)] = i;
    nonbasic_[uz(i)] = n_ + i;
  }
  nonbasic_[uz(n_)] = 2 * n_;
}

int Lemke::leaving_row(int entering_column) const {
  const Eigen::Map<const MatX> T = dictionary();
  const auto column = T.col(entering_column);
  const double floor = smallest_pivot * std::max(1.0, column.lpNorm<Eigen::Infinity>());
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n_; ++i) {
    if (column[i] < -floor) least = std::min(least, std::max(value_[i], 0.0) / -column[i]);
  }
  if (!std::isfinite(least)) return -1;

  // among the rows that tie: the artificial variable, or else the lexicographically least
  int best = -1;
  const double bound = least + tie_tolerance * (1.0 + least);
  for (int i = 0; i < n_; ++i) {
    if (column[i] >= -floor || std::max(value_[i], 0.0) / -column[i] > bound) continue;
    if (basic_[uz(i)] == 2 * n_) return i;
    if (best < 0 || is_lexicographically_less(i, best, entering_column)) best = i;
  }
  return best;
}

bool Lemke::is_lexicographically_less(int row, int other, int column) const {
  const double row_pivot = -dictionary()(row, column);
  const double other_pivot = -dictionary()(other, column);
  for (int j = 0; j < n_; ++j) {
    const double difference =
        perturbation(row, j) / row_pivot - perturbation(other, j) / other_pivot;
    if (std::abs(difference) > tie_tolerance) return difference < 0.0;
  }
  return row < other;
}

double Lemke::perturbation(int row, int j) const {
  // how the basic variable of the row follows a small rise of q_j
  if (w_column_[uz(j)] >= 0) return -dictionary()(row, w_column_[uz(j)]);
  return basic_[uz(row)] == j ? 1.0 : 0.0;
}

void Lemke::pivot(int row, int column) {
  // solve the row for the entering variable
  Eigen::Map<MatX> T = dictionary();
  auto pivot_column = pivot_column_.head(n_);
  const double p = T(row, column);
  pivot_column = T.col(column);
  pivot_column[row] = 0.0;
  T.col(column) = pivot_column / p;
  T(row, column) = 1.0 / p;

  // and put it into the others
  for (int j = 0; j <= n_; ++j) {
    if (j == column) continue;
    const double factor = -T(row, j) / p;
    if (factor != 0.0) T.col(j) += factor * pivot_column;
    T(row, j) = factor;
  }
  const double entering_value = -value_[row] / p;
  value_.head(n_) += entering_value * pivot_column;
  value_[row] = entering_value;

  std::swap(basic_[uz(row)], nonbasic_[uz(column)]);
  if (nonbasic_[uz(column)] < n_) w_column_[uz(nonbasic_[uz(column)])] = column;
  if (basic_[uz(row)] < n_) w_column_[uz(basic_[uz(row)])] = -1;
}

void Lemke::polish(const Matrix& M, const Vector& q, Eigen::Ref<VecX> z) {
  // M_PP z_P = -q_P on the positive ones, afresh: many pivots leave rounding
  positive_.clear();
  for (const int variable : basic_) {
    if (variable >= n_ && variable < 2 * n_) positive_.push_back(variable - n_);
  }
  const int p = static_cast<int>(positive_.size());
  Eigen::Map<MatX> A(factor_.data(), p, p);
  auto x = right_side_.head(p);
  for (int j = 0; j < p; ++j) {
    x[j] = -q[positive_[uz(j)]];
    for (int i = 0; i < p; ++i) A(i, j) = M(positive_[uz(i)], positive_[uz(j)]);
  }
  if (!eliminate(A, x)) return;
  if (!x.allFinite() || (p > 0 && x.minCoeff() < -1e-9)) return;
  for (int k = 0; k < p; ++k) z[positive_[uz(k)]] = std::max(x[k], 0.0);
}

bool Lemke::eliminate(Eigen::Map<MatX>& A, Eigen::Ref<VecX> x) const {
  // with partial pivoting, then back substitution
  const int p = static_cast<int>(x.size());
  for (int k = 0; k < p; ++k) {
    Eigen::Index offset = 0;
    A.col(k).tail(p - k).cwiseAbs().maxCoeff(&offset);
    const int chosen = k + static_cast<int>(offset);
    if (std::abs(A(chosen, k)) < smallest_pivot) return false;
    if (chosen != k) {
      A.row(k).swap(A.row(chosen));
      std::swap(x[k], x[chosen]);
    }
    A.col(k).tail(p - k - 1) /= A(k, k);
    for (int j = k + 1; j < p; ++j) {
      A.col(j).tail(p - k - 1) -= A(k, j) * A.col(k).tail(p - k - 1);
    }
    x.tail(p - k - 1) -= x[k] * A.col(k).tail(p - k - 1);
  }
  for (int k = p - 1; k >= 0; --k) {
    x[k] /= A(k, k);
    x.head(k) -= x[k] * A.col(k).head(k);
  }
  return true;
}

SolveResult judge_lemke(const ContactProblem& problem, const SolverOptions& options,
                        Lemke::Outcome outcome, const ConstVecView& f, VecView delta) {
  problem.W.multiply(f, delta);
  delta += problem.delta_free;
  SolveResult result;
  result.error = natural_map_of(problem, f, delta, force_scale(problem, options.criterion));
  switch (outcome) {
    case Lemke::Outcome::solved:
      if (!options.tolerance || result.error <= *options.tolerance) {
        result.status = SolveStatus::converged;
      } else {
        result.message =
            "the complementarity problem is solved; on the exact laws its error stays above the "
            "tolerance";
      }
      break;
    case Lemke::Outcome::ray:
      result.message = "Lemke's method ended on a ray: no solution, or W is not copositive";
      break;
    case Lemke::Outcome::pivots:
      result.status = SolveStatus::max_iterations;
      break;
    case Lemke::Outcome::deadline:
      result.status = SolveStatus::deadline;
      break;
  }
  return result;
}

}  // namespace stickslip
