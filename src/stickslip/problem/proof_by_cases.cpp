#include "stickslip/problem/proof_by_cases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/problem/proof_tolerance.hpp"

namespace stickslip {

namespace {

// a quarter is halved so often at most
constexpr int most_halvings = 10;
constexpr double narrowest = 0.5 * std::numbers::pi / (1 << most_halvings);
// any is cut, closed is cut, a quarter is halved
constexpr int most_cuts = 2 + most_halvings;

double along(const Vec3& v, double angle) {
  return v[1] * std::cos(angle) + v[2] * std::sin(angle);
}

/// The most that v_t has along a direction between two angles.
double most_along(const Vec3& v, double from, double to) {
  const double own = std::atan2(v[2], v[1]);
  const double turn = 2.0 * std::numbers::pi;
  const bool is_between = from + std::fmod(std::fmod(own - from, turn) + turn, turn) <= to;
  return is_between ? std::hypot(v[1], v[2]) : std::max(along(v, from), along(v, to));
}

/// Whether y.d >= 0 for all displacements of the case; `none` is rounding.
bool never_opposes(const Vec3& y, double none, const ContactCase& is) {
  using State = ContactCase::State;
  switch (is.state) {
    case State::any:
    case State::open:
      return y[0] >= 0.0 && y[1] == 0.0 && y[2] == 0.0;
    case State::closed:
      return y[1] == 0.0 && y[2] == 0.0;
    case State::sticks:
      return true;
    case State::slips:
      break;
  }
  return along(y, is.from) >= -none && along(y, is.to) >= -none;
}

/// The most that v.f can be for a force of the case with f_n = 1.
double most_work(const Vec3& v, double mu, const ContactCase& is) {
  using State = ContactCase::State;
  if (is.state == State::open) return 0.0;
  // friction against the slip
  if (is.state == State::slips) return v[0] + mu * most_along(-v, is.from, is.to);
  return v[0] + mu * std::hypot(v[1], v[2]);
}

}  // namespace

int ContactCase::part_count() const {
  if (state == State::any) return 2;
  if (state == State::closed) return 5;
  return state == State::slips && to - from > narrowest ? 2 : 0;
}

ContactCase ContactCase::part(int k) const {
  if (state == State::any) return {.state = k == 0 ? State::open : State::closed};
  if (state == State::slips) {
    const double middle = 0.5 * (from + to);
    return k == 0 ? ContactCase{State::slips, from, middle} : ContactCase{State::slips, middle, to};
  }
  if (k == 0) return {.state = State::sticks};
  // the end of one quarter is the beginning of the next, to the last bit
  constexpr double quarter = 0.5 * std::numbers::pi;
  return {State::slips, (k - 1) * quarter, k * quarter};
}

void ProofByCases::reserve(int contact_count) {
  supposed_.reserve(uz(contact_count));
  cuts_.reserve(uz(contact_count * most_cuts));
}

void ProofByCases::start(const ContactProblem& problem) {
  problem_ = &problem;
  supposed_.assign(uz(problem.contact_count()), ContactCase{});
  cuts_.clear();
  is_complete_ = false;
}

bool ProofByCases::refute(const Eigen::Ref<const VecX>& y) {
  if (is_complete_ || !is_refuted_by(y)) return false;
  next();
  return true;
}

bool ProofByCases::can_cut(int contact) const {
  return !is_complete_ && supposed_[uz(contact)].part_count() > 0;
}

void ProofByCases::cut(int contact) {
  const ContactCase whole = supposed_[uz(contact)];
  cuts_.push_back({contact, 0, whole});
  supposed_[uz(contact)] = whole.part(0);
}

void ProofByCases::next() {
  for (; !cuts_.empty(); cuts_.pop_back()) {
    Cut& last = cuts_.back();
    if (++last.part < last.whole.part_count()) {
      supposed_[uz(last.contact)] = last.whole.part(last.part);
      return;
    }
    supposed_[uz(last.contact)] = last.whole;
  }
  is_complete_ = true;
}

bool ProofByCases::is_refuted_by(const Eigen::Ref<const VecX>& y) const {
  const int m = problem_->contact_count();
  if (y.size() != 3 * m || !y.allFinite()) return false;
  double work = 0.0;
  double size = 0.0;
  double most = 0.0;
  for (int i = 0; i < m; ++i) {
    const Vec3 y_i = y.segment<3>(3 * i);
    if (!never_opposes(y_i, proof::rounding * y.norm(), supposed_[uz(i)])) return false;
    const Vec3 parts = y_i.cwiseProduct(problem_->delta_free.segment<3>(3 * i));
    work += parts.sum();
    size += parts.cwiseAbs().sum();
    const Vec3 W_ii = problem_->W.block(i, i).diagonal().cwiseMax(0.0);
    most += y_i.cwiseAbs().dot(W_ii.cwiseSqrt());
  }
  if (!(work < -proof::clearly * size)) return false;

  // |W_ij| <= sqrt(W_ii W_jj)
  for (int j = 0; j < m; ++j) {
    if (supposed_[uz(j)].state == ContactCase::State::open) continue;
    Vec3 answer = Vec3::Zero();
    for (int i = 0; i < m; ++i) {
      const Vec3 y_i = y.segment<3>(3 * i);
      if (!y_i.isZero(0.0)) answer += problem_->W.block(i, j).transpose() * y_i;
    }
    const Vec3 W_jj = problem_->W.block(j, j).diagonal().cwiseMax(0.0).cwiseSqrt();
    const double mu = problem_->mu[j];
    const double none = proof::rounding * most * (W_jj[0] + mu * std::hypot(W_jj[1], W_jj[2]));
    if (!(most_work(answer, mu, supposed_[uz(j)]) <= none)) return false;
  }
  return true;
}

}  // namespace stickslip
