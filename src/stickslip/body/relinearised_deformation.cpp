#include "stickslip/body/relinearised_deformation.hpp"

#include <algorithm>
#include <cassert>

#include "stickslip/body/load_cases.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/point_forces.hpp"

namespace stickslip {

struct RelinearisedDeformation::NonlinearStep : Deformation::Step {
  VecX inner_forces;
  VecX work;
  SparseMatrix slope;
  SparseMatrix K_tilde;
  SparseCholesky factor;
  SparseCholesky::Workspace solver;
  PointColumns columns;
};

RelinearisedDeformation::RelinearisedDeformation(const DeformationModel& model,
                                                 std::span<const int> held_nodes,
                                                 const MatX& load_cases, double dt)
    : dt_(dt),
      M_(model.M),
      load_cases_(with_gravity(model, held_nodes, load_cases)),
      pattern_(model.K),
      inertial_(model.M / (dt * dt) + model.D / dt + 0.0 * model.K),
      active_(uz(model.K.rows()), 0) {
  if (held_nodes.empty()) {
    throw InputError("a relinearised deformation must be held somewhere: name its nodes");
  }
  for (const int node : held_nodes) {
    for (int d = 0; d < 3; ++d) active_[uz(3 * node + d)] = -1;
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] == 0) active_[i] = static_cast<int>(i);
  }
  // both patterns have ascending rows
  for (int j = 0; j < pattern_.cols(); ++j) {
    int at = inertial_.outerIndexPtr()[j];
    for (SparseMatrix::InnerIterator entry(pattern_, j); entry; ++entry) {
      while (inertial_.innerIndexPtr()[at] != entry.row()) ++at;
      slope_entry_.push_back(at);
    }
  }
}

DeformationState RelinearisedDeformation::rest() const {
  return {Displacement(VecX::Zero(M_.rows())), VecX::Zero(M_.rows())};
}

std::unique_ptr<Deformation::Step> RelinearisedDeformation::make_step(int max_points) const {
  auto step = std::make_unique<NonlinearStep>();
  const auto size = M_.rows();
  step->u_free = rest().u;
  step->v_free.setZero(size);
  step->inner_forces.setZero(size);
  step->work.setZero(size);
  step->slope = pattern_;
  step->K_tilde = inertial_;
  // any positive definite matrix of the pattern serves to order it
  SparseMatrix ordering = inertial_;
  std::fill_n(ordering.valuePtr(), ordering.nonZeros(), 0.0);
  for (int i = 0; i < size; ++i) ordering.coeffRef(i, i) = 1.0;
  step->factor = SparseCholesky(ordering);
  step->solver = step->factor.make_workspace(3 * max_points);
  step->columns = PointColumns(max_points);
  return step;
}

void RelinearisedDeformation::compute_free_motion(const DeformationState& state,
                                                  std::span<const double> load_weights, double dt,
                                                  Step& base) const {
  assert(dt == dt_);
  auto& step = static_cast<NonlinearStep&>(base);

  // (Eq. 2) K-tilde = M/dt^2 + D/dt + K'(u); held unknowns are cut off
  linearise(state.u.all(), step.inner_forces, step.slope);
  std::copy_n(inertial_.valuePtr(), inertial_.nonZeros(), step.K_tilde.valuePtr());
  for (std::size_t k = 0; k < slope_entry_.size(); ++k) {
    step.K_tilde.valuePtr()[slope_entry_[k]] += step.slope.valuePtr()[k];
  }
  for (int j = 0; j < step.K_tilde.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(step.K_tilde, j); entry; ++entry) {
      if (active_[uz(j)] < 0 || active_[uz(entry.row())] < 0) {
        entry.valueRef() = entry.row() == j ? 1.0 : 0.0;
      }
    }
  }
  const bool is_definite = step.factor.refactorize(step.K_tilde);
  assert(is_definite);
  static_cast<void>(is_definite);

  // K-tilde (u_t - u_{t-1}) = f - K(u_{t-1}) + M u'/dt
  step.work = state.v / dt;
  VecX& u_free = step.u_free.own();
  u_free.noalias() = M_ * step.work;
  u_free -= step.inner_forces;
  add_weighted_columns(load_cases_, load_weights, u_free);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] < 0) u_free[static_cast<int>(i)] = 0.0;
  }
  step.factor.solve_in_step(u_free, step.solver);
  step.v_free = u_free / dt;
  u_free += state.u.all();
}

void RelinearisedDeformation::compute_compliance(const NodeShares& points, Step& base,
                                                 Eigen::Ref<MatX> C) const {
  auto& step = static_cast<NonlinearStep&>(base);
  C.setZero();
  step.factor.add_gram(step.columns.fill(points, active_), step.solver, C);
}

void RelinearisedDeformation::correct(std::span<const SurfacePoint> points,
                                      std::span<const Vec3> forces, Step& base,
                                      DeformationState& state) const {
  auto& step = static_cast<NonlinearStep&>(base);
  step.work.setZero();
  add_nodal_forces(points, forces, step.work);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] < 0) step.work[static_cast<int>(i)] = 0.0;
  }
  step.factor.solve_in_step(step.work, step.solver);
  state.u = step.u_free.all() + step.work;
  state.v = step.v_free + step.work / dt_;
}

}  // namespace stickslip
