#include "stickslip/contact/explicit_friction.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void ExplicitFriction::find_friction(const ContactGroup& group, VecX& friction) {
  if (!options_.friction_velocity) {
    stable_.find(group.problem.W, StableStiffness::Along::tangents);
  }
  friction.setZero(3 * group.count());
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

SolveResult ExplicitFriction::find_forces(const ContactGroup& group, VecX& f) {
  Scratch& scratch = scratch_.at(uz(group.count()));
  find_friction(group, scratch.friction);
  group.problem.W.multiply(scratch.friction, scratch.moved);
  scratch.normals.W = group.problem.W;
  scratch.normals.delta_free = group.problem.delta_free + scratch.moved;
  scratch.normals.mu.setZero(group.count());
  const SolveResult result = solver_->solve(scratch.normals, group.options, f);
  f += scratch.friction;
  return result;
}

}  // namespace stickslip
