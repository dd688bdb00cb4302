#include "stickslip/contact/imposed_motion.hpp"

#include <limits>

namespace stickslip {

namespace {

// of the mean compliance, on the diagonal: contacts of a rigid body may leave forces undecided
constexpr double regularisation = 1e-10;

bool holds(const Contact& contact, double dt) {
  if (contact.initial_force[0] != 0.0) return contact.initial_force[0] > 0.0;
  return contact.where.gap + dt * contact.velocity[0] <= 0.0;
}

/// Whether the contact is at a node of the softer body, where that deforms: more places within its
/// faces than it has nodes could not all be held.
bool is_at_node(const Proximity& where, int master, std::span<const MovingBody> bodies) {
  const bool first_follows = master == where.body_2;
  const int slave = first_follows ? where.body_1 : where.body_2;
  if (where.kind == FeatureKind::supplied || !bodies[uz(slave)].body->deformation()) return true;
  if (is_exact(where.kind)) {
    return where.kind == (first_follows ? FeatureKind::exact_1 : FeatureKind::exact_2);
  }
  return where.kind == (first_follows ? FeatureKind::vertex_face : FeatureKind::face_vertex);
}

}  // namespace

void ImposedMotion::reserve(const ProblemSize& largest) {
  ContactLaw::reserve(largest);
  masters_.reserve(uz(largest.contacts));
  active_.reserve(uz(largest.contacts));
  W_.reserve(largest.contacts, largest.is_dense);
  lu_.reserve(largest.contacts);
  multipliers_.resize(largest.contacts);
}

SolveResult ImposedMotion::find_forces(const ContactGroup& group, VecView f) {
  const int m = group.count();
  f.setZero();
  masters_.clear();
  active_.clear();
  for (int i = 0; i < m; ++i) {
    const Proximity& where = group.contact(i).where;
    const bool first_is_stiffer =
        group.delassus.mean_compliance(where.body_1) < group.delassus.mean_compliance(where.body_2);
    masters_.push_back(first_is_stiffer ? where.body_1 : where.body_2);
    if (is_at_node(where, masters_.back(), group.bodies) && holds(group.contact(i), group.dt)) {
      active_.push_back(i);
    }
  }
  const int count = static_cast<int>(active_.size());
  SolveResult result{.status = SolveStatus::converged, .iterations = 1, .message = {}};
  if (count == 0) return result;

  // (W_nn of the softer bodies) f_n = -delta_n_free
  group.delassus.build(group.contacts, group.group, group.bodies, Motion::whole, W_, masters_);
  lu_.reserve(count);
  Eigen::Map<MatX> A = lu_.matrix(count);
  VecX& f_n = multipliers_;
  if (f_n.size() < count) f_n.resize(count);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i < count; ++i) A(i, j) = W_.block(active_[uz(i)], active_[uz(j)])(0, 0);
    A(j, j) += regularisation * W_.mean_diagonal();
    f_n[j] = -group.problem.delta_free[3 * active_[uz(j)]];
  }
  Budget unlimited(std::numeric_limits<double>::infinity());
  if (!lu_.factorise(count, unlimited, 0.0)) {
    result.status = SolveStatus::failed;
    return result;
  }
  lu_.solve(f_n);
  for (int j = 0; j < count; ++j) f[3 * active_[uz(j)]] = f_n[j];
  return result;
}

}  // namespace stickslip
