#include "stickslip/contact/penalty.hpp"

#include <algorithm>

#include "stickslip/problem/friction_cone.hpp"

namespace stickslip {

namespace {

// stiffness of implicit springs over the mean stiffness of the bodies
constexpr double implicit_ratio = 100.0;

}  // namespace

void ExplicitPenalty::reserve(const ProblemSize& largest) {
  ContactLaw::reserve(largest);
  stable_.reserve(largest.contacts);
}

SolveResult ExplicitPenalty::find_forces(const ContactGroup& group, VecView f) {
  f.setZero();
  if (!options_.penalty_stiffness) stable_.find(group.problem.W, StableStiffness::Along::all);
  for (int i = 0; i < group.count(); ++i) {
    Contact& contact = group.contact(i);
    if (contact.where.gap >= 0.0) continue;
    const double k =
        options_.penalty_stiffness ? *options_.penalty_stiffness : stable_share * stable_.of(i);
    const double b = options_.penalty_damping.value_or(k * group.dt);
    const Vec3 damper = -b * contact.velocity;
    const double f_n = std::max(0.0, -k * contact.where.gap + damper[0]);

    // the spring across, stretched by the slip of the last step, and its damper
    Vec3 spring = contact.initial_spring - k * group.dt * contact.velocity;
    spring[0] = f_n;
    Vec3 force = spring + damper;
    force[0] = f_n;
    const Vec3 limited = FrictionCone{contact.mu}.limit_friction(force);
    contact.viscous_friction.setZero();
    // where it slides, the spring keeps what the cone allows
    if (limited == force) contact.viscous_friction.tail<2>() = damper.tail<2>();
    f.segment<3>(3 * i) = limited;
  }
  return {.status = SolveStatus::converged, .iterations = 1, .message = {}};
}

void ImplicitPenalty::reserve(const ProblemSize& largest) {
  ContactLaw::reserve(largest);
  solver_->reserve(largest);
  softened_.reserve(largest);
}

SolveResult ImplicitPenalty::find_forces(const ContactGroup& group, VecView f) {
  const double k = options_.penalty_stiffness.value_or(
      implicit_ratio / std::max(group.problem.W.mean_diagonal(), 1e-300));
  const double b = options_.penalty_damping.value_or(0.0);
  const double whole = k + b / group.dt;
  const double viscous_share = 1.0 - k / whole;

  // f_n = -whole delta_n + b/dt gap, f_t = spring - whole (delta_t - slip)
  softened_.W = group.problem.W;
  softened_.mu = group.problem.mu;
  softened_.delta_free = group.problem.delta_free;
  for (int i = 0; i < group.count(); ++i) {
    const Contact& contact = group.contact(i);
    softened_.W.add_block(i, i, Mat3::Identity() / whole);
    softened_.delta_free[3 * i] -= viscous_share * std::min(0.0, contact.where.gap);
    softened_.delta_free.segment<2>(3 * i + 1) -= contact.initial_spring.tail<2>() / whole;
  }
  const SolveResult result = solver_->solve(softened_, group.options, f);

  for (int i = 0; i < group.count(); ++i) {
    Contact& contact = group.contact(i);
    contact.viscous_friction.setZero();
    if (f[3 * i] == 0.0) continue;
    contact.viscous_friction.tail<2>() =
        viscous_share * (f.segment<2>(3 * i + 1) - contact.initial_spring.tail<2>());
  }
  return result;
}

}  // namespace stickslip
