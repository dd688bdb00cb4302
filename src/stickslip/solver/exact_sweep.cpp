#include "stickslip/solver/exact_sweep.hpp"

namespace stickslip {

void ExactSweep::reserve(int contact_count) {
  blocks_.reserve(uz(contact_count));
  order_.reserve(uz(contact_count));
  slip_.reserve(uz(contact_count));
}

void ExactSweep::prepare(const ContactProblem& problem, const SolverOptions& options) {
  problem_ = &problem;
  const int m = problem.contact_count();
  fill_order(options, m, order_);
  blocks_.resize(uz(m));
  slip_.assign(uz(m), 0.0);
  for (int i = 0; i < m; ++i) {
    blocks_[uz(i)] = ContactBlock(problem.W.block(i, i), problem.mu[i]);
  }
}

void ExactSweep::refresh(const ConstVecView& f, VecView delta) const {
  problem_->W.multiply(f, delta);
  delta += problem_->delta_free;
}

void ExactSweep::set_force(int i, const Vec3& f_i, VecView f, VecView delta) const {
  const Vec3 change = f_i - f.segment<3>(3 * i);
  if (change == Vec3::Zero()) return;
  f.segment<3>(3 * i) = f_i;
  problem_->W.add_column(i, change, delta);
}

bool ExactSweep::run(VecView f, VecView delta, Budget& budget, double reserve_us) {
  const int m = problem_->contact_count();
  for (int visit = 0; visit < m; ++visit) {
    if (visit % contacts_per_look == 0 && !budget.look(reserve_us)) return false;
    const int i = order_[uz(visit)];
    const Vec3 f_before = f.segment<3>(3 * i);
    if (delta[3 * i] >= 0.0 && f_before == Vec3::Zero()) continue;

    // (Eq. 25) delta_i - A f_i is what the other contacts and the free motion give
    const ContactBlock& block = blocks_[uz(i)];
    const Vec3 b = delta.segment<3>(3 * i) - block.matrix() * f_before;
    set_force(i, block.solve(b, slip_[uz(i)]), f, delta);
  }
  return true;
}

}  // namespace stickslip
