#include "stickslip/solver/squeeze.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/no_solution.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

// of a contact's own entry: below, its column is a sum of those that are there
constexpr double dependent = 1e-13;
// of what is left: a slope below is rounding
constexpr double flat = 1e-9;
// what is left where there may be a proof; proves_no_solution decides
constexpr double maybe = 1e-6;

/// Whether up to twice the force that gave delta opens all gaps but for the slack: then there is no
/// squeeze.
bool does_more_force_open(const ContactProblem& problem, const ConstVecView& delta, double slack) {
  double least = 0.0;
  double most = 1.0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const double gap = delta[3 * i] + slack;
    const double opened = delta[3 * i] - problem.delta_free[3 * i];
    if (gap + least * opened >= 0.0 && gap + most * opened >= 0.0) continue;
    if (opened == 0.0) return false;
    (opened > 0.0 ? least : most) = -gap / opened;
    if (!(least <= most)) return false;
  }
  return true;
}

/// At least zero.
double deepest_overlap(const ConstVecView& delta) {
  double deepest = 0.0;
  for (Eigen::Index i = 0; i < delta.size(); i += 3) deepest = std::max(deepest, -delta[i]);
  return deepest;
}

}  // namespace

double allowed_overlap(const ContactProblem& problem, const ConstVecView& f,
                       const ConstVecView& delta, double scale, double tolerance) {
  const double free_size = problem.delta_free.norm();
  const double of_lengths = tolerance * std::max(free_size, delta.norm());
  const double deepest = deepest_overlap(delta);
  if (deepest <= of_lengths) return of_lengths;
  if (deepest >= 0.5 * deepest_overlap(problem.delta_free)) return of_lengths;
  const double w = problem.W.mean_diagonal();
  const double explained = w > 0.0 ? std::min(f.norm(), free_size / w) : f.norm();
  return std::max(of_lengths, tolerance * scale * explained);
}

bool may_have_run_away(const ContactProblem& problem, const ConstVecView& f,
                       const ConstVecView& delta, double scale, double tolerance) {
  const double hidden = tolerance * problem.W.mean_diagonal() * f.norm();
  return hidden > 0.01 * problem.delta_free.norm() ||
         deepest_overlap(delta) > allowed_overlap(problem, f, delta, scale, tolerance);
}

bool has_dead_overlap(const ContactProblem& problem) {
  for (int i = 0; i < problem.contact_count(); ++i) {
    if (problem.delta_free[3 * i] < 0.0 && problem.W.block(i, i)(0, 0) == 0.0) return true;
  }
  return false;
}

void Squeeze::reserve(int contact_count) {
  const int n = std::min(contact_count, auto_policy.search.most_squeezed);
  gap_.reserve(contact_count);
  inverse_size_.reserve(contact_count);
  moved_.reserve(3 * contact_count);
  place_.reserve(uz(contact_count));
  if (n <= capacity_) return;
  capacity_ = n;
  support_.reserve(uz(n));
  // not to be touched before use: most solves never do
  for (VecX* values : {&gram_, &factor_}) values->resize(Eigen::Index{n} * n);
  for (VecX* values : {&y_, &wish_, &residual_}) values->resize(n);
}

Eigen::Map<MatX, 0, Eigen::OuterStride<>> Squeeze::matrix(VecX& values) const {
  const auto n = static_cast<Eigen::Index>(support_.size());
  return {values.data(), n, n, Eigen::OuterStride<>(capacity_)};
}

Eigen::Map<const MatX, 0, Eigen::OuterStride<>> Squeeze::matrix(const VecX& values) const {
  const auto n = static_cast<Eigen::Index>(support_.size());
  return {values.data(), n, n, Eigen::OuterStride<>(capacity_)};
}

bool Squeeze::proves_no_solution_of(const ContactProblem& problem, const ConstVecView& delta,
                                    double slack, Budget& budget, double reserve_us) {
  if (!start(problem, delta, slack)) return false;
  for (int tries = 0; tries < 2 * capacity_; ++tries) {
    if (!budget.look(reserve_us)) return false;
    const double left_before = left_;
    const int contact = most_helpful(problem);
    if (contact < 0) return false;
    if (!join(problem, contact)) continue;
    if (!settle()) return false;
    if (!(left_ < left_before)) {
      // its slope was rounding
      if (place_[uz(contact)] == Place::inside) return false;
      place_[uz(contact)] = Place::barred;
      continue;
    }
    if (left_ < maybe && proves_no_solution(problem, support_, pushes())) return true;
    if (static_cast<int>(support_.size()) == capacity_) return false;
  }
  return false;
}

bool Squeeze::start(const ContactProblem& problem, const ConstVecView& delta, double slack) {
  const int m = problem.contact_count();
  const double deepest = deepest_overlap(delta) - slack;
  if (!(deepest > 0.0) || !std::isfinite(deepest)) return false;
  if (does_more_force_open(problem, delta, slack)) return false;

  const double w = problem.W.mean_diagonal();
  w_ = w > 0.0 ? w : 1.0;
  gap_.resize(m);
  inverse_size_.resize(m);
  moved_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    gap_[i] = (delta[3 * i] + slack) / deepest;
    const double own = problem.W.block(i, i)(0, 0) / w_ + gap_[i] * gap_[i];
    inverse_size_[i] = own > 0.0 ? 1.0 / std::sqrt(own) : 0.0;
  }
  place_.assign(uz(m), Place::outside);
  support_.clear();
  left_ = 1.0;
  return true;
}

int Squeeze::most_helpful(const ContactProblem& problem) {
  moved_.setZero();
  double pressed = 1.0;
  for (std::size_t k = 0; k < support_.size(); ++k) {
    const int i = support_[k];
    const double push = y_[static_cast<Eigen::Index>(k)];
    problem.W.add_column(i, {push, 0.0, 0.0}, moved_);
    pressed += push * gap_[i];
  }
  // the steepest slope, each contact in the unit in which its own entry is one
  int best = -1;
  double lowest = -flat * std::sqrt(left_);
  for (int i = 0; i < static_cast<int>(gap_.size()); ++i) {
    if (place_[uz(i)] != Place::outside) continue;
    const double slope = (moved_[3 * i] / w_ + gap_[i] * pressed) * inverse_size_[i];
    if (slope >= lowest) continue;
    lowest = slope;
    best = i;
  }
  return best;
}

bool Squeeze::join(const ContactProblem& problem, int contact) {
  const auto n = static_cast<Eigen::Index>(support_.size());
  support_.push_back(contact);
  auto gram = matrix(gram_);
  for (Eigen::Index k = 0; k <= n; ++k) {
    const int i = support_[uz(k)];
    const double W_nn = (problem.W.block(i, contact)(0, 0) + problem.W.block(contact, i)(0, 0)) / 2;
    gram(n, k) = gram(k, n) = W_nn / w_ + gap_[i] * gap_[contact];
  }
  y_[n] = 0.0;
  if (factorise_from(static_cast<int>(n))) {
    place_[uz(contact)] = Place::inside;
    return true;
  }
  support_.pop_back();
  place_[uz(contact)] = Place::barred;
  return false;
}

void Squeeze::leave(int place) {
  const auto n = static_cast<Eigen::Index>(support_.size());
  place_[uz(support_[uz(place)])] = Place::outside;
  auto gram = matrix(gram_);
  for (Eigen::Index k = place; k + 1 < n; ++k) {
    gram.col(k) = gram.col(k + 1);
    y_[k] = y_[k + 1];
  }
  for (Eigen::Index k = place; k + 1 < n; ++k)
    gram.row(k).head(n - 1) = gram.row(k + 1).head(n - 1);
  support_.erase(support_.begin() + place);
}

bool Squeeze::factorise_from(int place) {
  // column after column: those before stay as they are
  const auto gram = matrix(static_cast<const VecX&>(gram_));
  auto factor = matrix(factor_);
  for (Eigen::Index k = place; k < gram.rows(); ++k) {
    auto column = factor.col(k).head(k);
    column = gram.col(k).head(k);
    for (Eigen::Index r = 0; r < k; ++r) {
      const double known = factor.col(r).head(r).dot(column.head(r));
      column[r] = (column[r] - known) / factor(r, r);
    }
    const double pivot = gram(k, k) - column.squaredNorm();
    if (!(pivot > dependent * gram(k, k))) return false;
    factor(k, k) = std::sqrt(pivot);
  }
  return true;
}

void Squeeze::solve(Eigen::Ref<VecX> x) const {
  const auto factor = matrix(factor_);
  factor.triangularView<Eigen::Upper>().transpose().solveInPlace(x);
  factor.triangularView<Eigen::Upper>().solveInPlace(x);
}

bool Squeeze::settle() {
  while (!support_.empty()) {
    // the least squares of the support, whatever the signs
    const auto n = static_cast<Eigen::Index>(support_.size());
    auto wish = wish_.head(n);
    auto residual = residual_.head(n);
    for (Eigen::Index k = 0; k < n; ++k) wish[k] = -gap_[support_[uz(k)]];
    solve(wish);
    for (Eigen::Index k = 0; k < n; ++k) residual[k] = -gap_[support_[uz(k)]];
    residual.noalias() -= matrix(static_cast<const VecX&>(gram_)) * wish;
    solve(residual);
    wish += residual;
    if (!wish.allFinite()) return false;
    if (wish.minCoeff() > 0.0) {
      y_.head(n) = wish;
      left_ = 1.0;
      for (Eigen::Index k = 0; k < n; ++k) left_ += wish[k] * gap_[support_[uz(k)]];
      return true;
    }
    // as far towards it as nobody pulls; who would first leaves
    double share = 1.0;
    Eigen::Index first = n - 1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (wish[k] > 0.0) continue;
      const double reach = y_[k] > 0.0 ? y_[k] / (y_[k] - wish[k]) : 0.0;
      if (reach >= share) continue;
      share = reach;
      first = k;
    }
    y_.head(n) += share * (wish - y_.head(n));
    leave(static_cast<int>(first));
    if (!factorise_from(static_cast<int>(first))) return false;
  }
  return false;
}

}  // namespace stickslip
