#include "stickslip/solver/lemke.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double tie_tolerance = 1e-12;
constexpr double smallest_pivot = 1e-11;

}  // namespace

Lemke::Outcome Lemke::solve(const MatX& M, const VecX& q, int max_pivots, Budget& budget, VecX& z) {
  start(M, q);
  z.setZero(n_);
  if (n_ == 0 || q.minCoeff() >= 0.0) return Outcome::solved;

  // the artificial variable enters where q is lowest; of equals the last is the lowest after the
  // lexicographic perturbation
  int row = 0;
  for (int i = 1; i < n_; ++i) {
    if (q[i] <= q[row]) row = i;
  }
  int entering = n_;
  while (pivot_count_ < max_pivots) {
    if (!budget.look(0.0)) return Outcome::deadline;
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

void Lemke::start(const MatX& M, const VecX& q) {
  n_ = static_cast<int>(q.size());
  pivot_count_ = 0;
  T_.resize(n_, n_ + 1);
  T_.leftCols(n_) = M;
  T_.col(n_).setOnes();
  value_ = q;
  pivot_column_.resize(n_);
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
  const auto column = T_.col(entering_column);
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
  const double row_pivot = -T_(row, column);
  const double other_pivot = -T_(other, column);
  for (int j = 0; j < n_; ++j) {
    const double difference =
        perturbation(row, j) / row_pivot - perturbation(other, j) / other_pivot;
    if (std::abs(difference) > tie_tolerance) return difference < 0.0;
  }
  return row < other;
}

double Lemke::perturbation(int row, int j) const {
  // how the basic variable of the row follows a small rise of q_j
  if (w_column_[uz(j)] >= 0) return -T_(row, w_column_[uz(j)]);
  return basic_[uz(row)] == j ? 1.0 : 0.0;
}

void Lemke::pivot(int row, int column) {
  // solve the row for the entering variable
  const double p = T_(row, column);
  pivot_column_ = T_.col(column);
  pivot_column_[row] = 0.0;
  T_.col(column) = pivot_column_ / p;
  T_(row, column) = 1.0 / p;

  // and put it into the others
  for (int j = 0; j <= n_; ++j) {
    if (j == column) continue;
    const double factor = -T_(row, j) / p;
    if (factor != 0.0) T_.col(j) += factor * pivot_column_;
    T_(row, j) = factor;
  }
  const double entering_value = -value_[row] / p;
  value_ += entering_value * pivot_column_;
  value_[row] = entering_value;

  std::swap(basic_[uz(row)], nonbasic_[uz(column)]);
  if (nonbasic_[uz(column)] < n_) w_column_[uz(nonbasic_[uz(column)])] = column;
  if (basic_[uz(row)] < n_) w_column_[uz(basic_[uz(row)])] = -1;
}

void Lemke::polish(const MatX& M, const VecX& q, VecX& z) {
  // M_PP z_P = -q_P on the positive ones, afresh: many pivots leave rounding
  positive_.clear();
  positive_.reserve(uz(n_));
  for (const int variable : basic_) {
    if (variable >= n_ && variable < 2 * n_) positive_.push_back(variable - n_);
  }
  const int p = static_cast<int>(positive_.size());
  factor_.resize(n_, n_);
  right_side_.resize(n_);
  for (int j = 0; j < p; ++j) {
    right_side_[j] = -q[positive_[uz(j)]];
    for (int i = 0; i < p; ++i) factor_(i, j) = M(positive_[uz(i)], positive_[uz(j)]);
  }
  // elimination with partial pivoting, then back substitution
  for (int k = 0; k < p; ++k) {
    Eigen::Index offset = 0;
    factor_.col(k).segment(k, p - k).cwiseAbs().maxCoeff(&offset);
    const int chosen = k + static_cast<int>(offset);
    if (std::abs(factor_(chosen, k)) < smallest_pivot) return;
    if (chosen != k) {
      factor_.row(k).head(p).swap(factor_.row(chosen).head(p));
      std::swap(right_side_[k], right_side_[chosen]);
    }
    factor_.col(k).segment(k + 1, p - k - 1) /= factor_(k, k);
    for (int j = k + 1; j < p; ++j) {
      factor_.col(j).segment(k + 1, p - k - 1) -=
          factor_(k, j) * factor_.col(k).segment(k + 1, p - k - 1);
    }
    right_side_.segment(k + 1, p - k - 1) -=
        right_side_[k] * factor_.col(k).segment(k + 1, p - k - 1);
  }
  for (int k = p - 1; k >= 0; --k) {
    right_side_[k] /= factor_(k, k);
    right_side_.head(k) -= right_side_[k] * factor_.col(k).head(k);
  }
  if (!right_side_.head(p).allFinite() || (p > 0 && right_side_.head(p).minCoeff() < -1e-9)) return;
  for (int k = 0; k < p; ++k) z[positive_[uz(k)]] = std::max(right_side_[k], 0.0);
}

SolveResult judge_lemke(const ContactProblem& problem, const SolverOptions& options,
                        Lemke::Outcome outcome, const VecX& f, VecX& delta) {
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
