#include "stickslip/solver/condensed_states.hpp"

namespace stickslip {

void CondensedStates::reserve(int contacts) {
  if (contacts <= capacity_) return;
  capacity_ = contacts;
  inverse_.reserve(3 * contacts);
  conditions_.reserve(3 * uz(contacts));
  reactions_.setZero(3 * contacts);
  missing_.setZero(3 * contacts);
}

void CondensedStates::forget() {
  inverse_is_ = Inverse::none;
}

bool CondensedStates::solve(const LocalProblem& problem, const VecX& delta, DenseLu& lu,
                            Budget& budget, double reserve_us, VecX& step) {
  if (inverse_is_ == Inverse::none) {
    const bool is_held = inverse_.invert(problem, budget, reserve_us);
    if (!is_held && !budget.look(reserve_us)) return false;
    inverse_is_ = is_held ? Inverse::held : Inverse::refused;
  }
  if (inverse_is_ == Inverse::refused) return false;

  // as if all stuck, but for what reactions alone can give: it need not be small
  const Eigen::Index size = 3 * problem.contact_count();
  const int count = static_cast<int>(conditions_.size());
  missing_.head(size) = -delta.head(size);
  for (const Condition& condition : conditions_) {
    if (condition.stiffness > 0.0) continue;
    auto missing = missing_.segment<3>(3 * condition.contact);
    missing -=
        condition.reaction * (condition.reaction.dot(missing) / condition.reaction.squaredNorm());
  }
  step.head(size) = missing_.head(size);
  inverse_.solve(step);
  if (count == 0) return step.head(size).allFinite();

  // reactions that meet the conditions
  fill_conditions(lu);
  for (int k = 0; k < count; ++k) {
    const Condition& condition = conditions_[uz(k)];
    const double missed = condition.on_step.dot(step.segment<3>(3 * condition.contact));
    reactions_[k] = condition.stiffness > 0.0 ? condition.stiffness * missed : missed;
  }
  if (!lu.factorise(count, budget, reserve_us)) return false;
  lu.solve(reactions_);
  step.head(size) = missing_.head(size);
  for (int k = 0; k < count; ++k) {
    const Condition& condition = conditions_[uz(k)];
    step.segment<3>(3 * condition.contact) -= reactions_[k] * condition.reaction;
  }
  inverse_.solve(step);
  return step.head(size).allFinite();
}

void CondensedStates::fill_conditions(DenseLu& lu) {
  // c_k . (W^-1)_kl b_l for all k and l
  const int count = static_cast<int>(conditions_.size());
  Eigen::Map<MatX> A = lu.matrix(count);
  for (int l = 0; l < count; ++l) {
    const Condition& from = conditions_[uz(l)];
    const float* column_0 = inverse_.column(3 * from.contact);
    const float* column_1 = inverse_.column(3 * from.contact + 1);
    const float* column_2 = inverse_.column(3 * from.contact + 2);
    double* to = A.data() + Eigen::Index{count} * l;
    for (int k = 0; k < count; ++k) {
      const Condition& at = conditions_[uz(k)];
      double sum = 0.0;
      for (int r = 0; r < 3; ++r) {
        const int row = 3 * at.contact + r;
        sum +=
            at.on_step[r] * (from.reaction[0] * column_0[row] + from.reaction[1] * column_1[row] +
                             from.reaction[2] * column_2[row]);
      }
      to[k] = at.stiffness > 0.0 ? at.stiffness * sum : sum;
    }
    if (from.stiffness > 0.0) to[l] += 1.0;
  }
}

}  // namespace stickslip
