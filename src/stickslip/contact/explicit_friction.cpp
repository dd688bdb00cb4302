#include "stickslip/contact/explicit_friction.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void ExplicitFriction::reserve(const ProblemSize& largest) {
  ContactLaw::reserve(largest);
  solver_->reserve(largest);
  stable_.reserve(largest.contacts);
  normals_.reserve(largest);
  friction_.reserve(3 * largest.contacts);
}

void ExplicitFriction::find_friction(const ContactGroup& group, VecView friction) {
  if (!options_.friction_velocity) {
    stable_.find(group.problem.W, StableStiffness::Along::tangents);
  }
  friction.setZero();
  for (int i = 0; i < group.count(); ++i) {
    const Contact& contact = group.contact(i);
    const double limit = contact.mu * contact.initial_force[0];
    if (limit <= 0.0) continue;
    const double threshold = options_.friction_velocity
                                 ? *options_.friction_velocity
                                 : limit / (stable_share * stable_.of(i) * group.dt);
    const Eigen::Vector2d v = contact.velocity.tail<2>();
    friction.segment<2>(3 * i + 1) = -limit / std::max(v.norm(), threshold) * v;
  }
}

SolveResult ExplicitFriction::find_forces(const ContactGroup& group, VecView f) {
  friction_.resize(f.size());
  find_friction(group, friction_);
  normals_.resize_vectors(group.count());
  normals_.W = group.problem.W;
  normals_.W.multiply(friction_, normals_.delta_free);
  normals_.delta_free += group.problem.delta_free;
  normals_.mu.setZero();
  const SolveResult result = solver_->solve(normals_, group.options, f);
  f += friction_;
  return result;
}

}  // namespace stickslip
