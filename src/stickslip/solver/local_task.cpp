#include "stickslip/solver/local_task.hpp"

#include <algorithm>
#include <limits>

#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void LocalTask::reserve(const ProblemSize& largest) {
  problem_.reserve(largest);
  reserve_vectors();
}

void LocalTask::prepare(const ContactProblem& problem) {
  problem_.prepare(problem);
  reserve_vectors();
}

void LocalTask::reserve_vectors() {
  slip_.reserve(uz(problem_.capacity() / 4));
  reserve(best_);
}

void LocalTask::reserve(LocalForce& force) const {
  if (force.f.size() >= problem_.capacity()) return;
  force.f.setZero(problem_.capacity());
  force.delta.setZero(problem_.capacity());
}

bool LocalTask::start(const ContactProblem& problem, std::span<const ContactBlock> blocks,
                      std::span<const int> contacts, const LocalGoal& goal, Budget& budget) {
  goal_ = goal;
  budget_ = &budget;
  us_per_ns_ = auto_policy.cost.us_per_ns;
  const bool is_other = !std::ranges::equal(contacts, problem_.contacts());
  if (is_other) problem_.gather(problem, blocks, contacts);
  slip_.assign(uz(problem_.contact_count()), 0.0);
  best_.squared_map = std::numeric_limits<double>::infinity();

  // where sweeps are long, or shorter than an extrapolation, one follows on several
  const bool is_large_dense =
      problem_.is_dense() &&
      problem_.contact_count() >= auto_policy.extrapolation.large_dense_group;
  sweeps_at_once_ = is_large()       ? auto_policy.extrapolation.sweeps_of_large_group
                    : is_large_dense ? auto_policy.extrapolation.sweeps_of_large_dense_group
                                     : 1;
  return is_other;
}

bool LocalTask::sweep(LocalForce& force) {
  const int stride = problem_.stride();
  for (int i = 0; i < problem_.contact_count(); ++i) {
    if (i % contacts_per_look == 0 && !budget_->look(goal_.reserve_us)) return false;
    auto f_i = force.f.segment<3>(stride * i);
    const Vec3 delta_i = force.delta.segment<3>(stride * i);
    const Vec3 f_before = f_i;
    if (delta_i[0] >= 0.0 && f_before == Vec3::Zero()) continue;
    const ContactBlock& block = problem_.block(i);
    f_i = block.solve(delta_i - block.matrix() * f_before, slip_[uz(i)]);
    const Vec3 change = f_i - f_before;
    if (change != Vec3::Zero()) problem_.add_column(i, change, force.delta);
  }
  return true;
}

bool LocalTask::sweep_and_judge(LocalForce& force) {
  const double start_us = budget_->is_limited() ? budget_->elapsed_us() : 0.0;
  bool is_in_time = true;
  for (int k = 0; k < sweeps_at_once_ && is_in_time; ++k) is_in_time = sweep(force);
  if (budget_->is_limited()) {
    const double sweeps_us = budget_->elapsed_us() - start_us;
    us_per_ns_ = std::max(us_per_ns_, sweeps_us / sweeps_ns());
    sweep_us_ = sweeps_us / sweeps_at_once_;
  }
  judge(force);
  if (is_reached(force)) {
    // the updates of delta carry rounding
    refresh(force);
    judge(force);
  }
  note_best(force);
  return is_in_time;
}

void LocalTask::judge(LocalForce& force) const {
  const int stride = problem_.stride();
  force.squared_map = 0.0;
  for (int i = 0; i < problem_.contact_count(); ++i) {
    force.squared_map += squared_natural_map(goal_.force_scale * force.f.segment<3>(stride * i),
                                             force.delta.segment<3>(stride * i), problem_.mu(i));
  }
}

void LocalTask::copy(const LocalForce& from, LocalForce& to) const {
  to.f.head(problem_.size()) = from.f.head(problem_.size());
  to.delta.head(problem_.size()) = from.delta.head(problem_.size());
  to.squared_map = from.squared_map;
}

void LocalTask::keep_in_cones(LocalForce& force) const {
  for (int i = 0; i < problem_.contact_count(); ++i) {
    auto f_i = force.f.segment<3>(problem_.stride() * i);
    const double limit = problem_.mu(i) * f_i[0];
    if (f_i[0] >= 0.0 && f_i[1] * f_i[1] + f_i[2] * f_i[2] <= limit * limit) continue;
    const Vec3 inside = FrictionCone{problem_.mu(i)}.project(f_i);
    const Vec3 change = inside - f_i;
    if (change == Vec3::Zero()) continue;
    f_i = inside;
    problem_.add_column(i, change, force.delta);
  }
}

bool LocalTask::runs_away(const LocalForce& force) const {
  return !(force.f.head(problem_.size()).lpNorm<Eigen::Infinity>() < runaway_force);
}

void LocalTask::note_best(const LocalForce& force) {
  if (!(force.squared_map < best_.squared_map)) return;
  if (force.f.head(problem_.size()).allFinite()) copy(force, best_);
}

bool LocalTask::is_large() const {
  return !problem_.is_dense() && problem_.contact_count() >= auto_policy.extrapolation.large_group;
}

double LocalTask::sweep_ns() const {
  return auto_policy.cost.contact_ns * problem_.contact_count() +
         (problem_.is_dense() ? auto_policy.cost.dense_block_ns
                              : auto_policy.cost.sparse_block_ns) *
             problem_.block_count();
}

bool LocalTask::has_time(double cost_ns) const {
  return budget_->has(goal_.reserve_us + auto_policy.cost.slowest_share * us_per_ns_ * cost_ns);
}

double LocalTask::start_us(const ContactProblem& problem, std::span<const int> contacts) const {
  double numbers = 0.0;
  const auto k = static_cast<double>(contacts.size());
  if (problem.W.is_dense()) {
    numbers = 9.0 * k * k;
  } else {
    for (const int i : contacts) {
      numbers += 30.0 * static_cast<double>(problem.W.column(i).rows.size());
    }
    numbers += k <= 16.0 ? 9.0 * k * k : 0.0;
  }
  return auto_policy.cost.slowest_share * us_per_ns_ *
         (auto_policy.cost.number_ns * numbers + 2.0 * auto_policy.cost.contact_ns * k);
}

}  // namespace stickslip
