#include "stickslip/body/linear_deformation.hpp"

#include <algorithm>
#include <cassert>

#include "stickslip/body/load_cases.hpp"
#include "stickslip/fem/point_forces.hpp"

namespace stickslip {

namespace {

double theta_of(Integration integration) {
  return integration == Integration::implicit_euler ? 1.0 : 0.5;
}

SparseMatrix effective_stiffness(const DeformationModel& model, double theta, double dt) {
  return model.M / (theta * dt * dt) + model.D / dt + theta * model.K;
}

}  // namespace

struct QuasiStaticDeformation::LinearStep : Deformation::Step {
  Compliance::Workspace workspace;
  VecX load_weights;
  VecX nodal_forces;
  std::vector<int> loaded_nodes;
};

QuasiStaticDeformation::QuasiStaticDeformation(const DeformationModel& model,
                                               std::span<const int> held_nodes,
                                               const MatX& load_cases,
                                               const ComplianceOptions& options)
    : compliance_(std::make_shared<Compliance>(model, model.K, held_nodes, options)) {
  const MatX loads = with_gravity(model, held_nodes, load_cases);
  MatX answers = loads;
  compliance_->solve(answers);
  load_answers_ = answers.topRows(3 * model.surface_count());
  load_gram_ = loads.transpose() * answers;
  if (compliance_->is_precomputed()) {
    answers_ = std::make_shared<SurfaceAnswers>(compliance_, load_answers_, load_gram_);
  }
}

DeformationState QuasiStaticDeformation::rest() const {
  if (answers_) return {Displacement(answers_), VecX()};
  return {Displacement(VecX::Zero(load_answers_.rows())), VecX()};
}

std::unique_ptr<Deformation::Step> QuasiStaticDeformation::make_step(int max_points) const {
  auto step = std::make_unique<LinearStep>();
  step->u_free = rest().u;
  step->load_weights.setZero(load_answers_.cols());
  step->load_displacement.setZero(load_answers_.cols());
  step->workspace = compliance_->make_workspace(max_points);
  step->nodal_forces.setZero(load_answers_.rows());
  step->loaded_nodes.reserve(uz(3 * max_points));
  return step;
}

void QuasiStaticDeformation::compute_free_motion(const DeformationState& /*state*/,
                                                 std::span<const double> load_weights,
                                                 double /*dt*/, Step& step) const {
  auto& linear = static_cast<LinearStep&>(step);
  linear.load_weights.setZero();
  for (std::size_t k = 0; k < load_weights.size(); ++k) {
    linear.load_weights[static_cast<int>(k)] = load_weights[k];
  }
  if (answers_) {
    step.u_free.take_loads([&](SurfaceLoads& loads) { loads.weights = linear.load_weights; });
    return;
  }
  VecX& u_free = step.u_free.own();
  u_free.setZero();
  add_weighted_columns(load_answers_, load_weights, u_free);
}

void QuasiStaticDeformation::compute_compliance(const NodeShares& points, Step& step,
                                                Eigen::Ref<MatX> C) const {
  compliance_->compute_compliance(points, static_cast<LinearStep&>(step).workspace, C);
}

void QuasiStaticDeformation::gather_loads(std::span<const SurfacePoint> points,
                                          std::span<const Vec3> forces, LinearStep& step,
                                          SurfaceLoads& loads) {
  std::vector<int>& loaded = step.loaded_nodes;
  loaded.clear();
  const auto visit = [&](const auto& each) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (forces[i].isZero(0.0)) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        if (points[i].weight[c] != 0.0) each(points[i].corner[c], points[i].weight[c] * forces[i]);
      }
    }
  };
  visit([&](int node, const Vec3& /*force*/) {
    step.nodal_forces.segment<3>(3 * node).setZero();
    loaded.push_back(node);
  });
  visit([&](int node, const Vec3& force) { step.nodal_forces.segment<3>(3 * node) += force; });
  std::sort(loaded.begin(), loaded.end());
  loaded.erase(std::unique(loaded.begin(), loaded.end()), loaded.end());
  loads.weights = step.load_weights;
  loads.nodes = loaded;
  loads.forces.clear();
  for (const int node : loaded) loads.forces.emplace_back(step.nodal_forces.segment<3>(3 * node));
}

void QuasiStaticDeformation::correct(std::span<const SurfacePoint> points,
                                     std::span<const Vec3> forces, Step& step,
                                     DeformationState& state) const {
  auto& linear = static_cast<LinearStep&>(step);
  if (answers_) {
    state.u.take_loads([&](SurfaceLoads& loads) { gather_loads(points, forces, linear, loads); });
    state.u.ask(state.u.loads().nodes);
  } else {
    VecX& u = state.u.own();
    u = step.u_free.all();
    compliance_->add_surface_displacement(points, forces, linear.workspace, u);
  }

  // u K u = u (H^T f + L w)
  step.load_displacement.noalias() = load_gram_ * linear.load_weights;
  step.energy = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (forces[i].isZero(0.0)) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      if (points[i].weight[c] == 0.0) continue;
      const int node = points[i].corner[c];
      const Vec3 force = points[i].weight[c] * forces[i];
      step.load_displacement.noalias() += load_answers_.middleRows<3>(3 * node).transpose() * force;
      step.energy += 0.5 * force.dot(state.u.node(node));
    }
  }
  step.energy += 0.5 * linear.load_weights.dot(step.load_displacement);
}

struct DynamicDeformation::LinearStep : Deformation::Step {
  Compliance::Workspace workspace;
  VecX du;
  VecX momentum;
  // of the trapezoidal rule in contact
  std::vector<Vec3> bounce_forces;  ///< the parts of the contact forces that cause the bounce
  VecX bounce;                      ///< the velocity that they leave
};

DynamicDeformation::DynamicDeformation(const DeformationModel& model,
                                       std::span<const int> held_nodes, const MatX& load_cases,
                                       Integration integration, double dt,
                                       const ComplianceOptions& options)
    : theta_(theta_of(integration)),
      dt_(dt),
      M_(model.M),
      D_(model.D),
      K_(model.K),
      load_cases_(with_gravity(model, held_nodes, load_cases)),
      compliance_(model, effective_stiffness(model, theta_, dt), held_nodes, options,
                  Stiffness::with_inertia) {}

DeformationState DynamicDeformation::rest() const {
  return {Displacement(VecX::Zero(M_.rows())), VecX::Zero(M_.rows())};
}

std::unique_ptr<Deformation::Step> DynamicDeformation::make_step(int max_points) const {
  auto step = std::make_unique<LinearStep>();
  step->u_free = rest().u;
  step->v_free.setZero(M_.rows());
  step->du.setZero(M_.rows());
  step->momentum.setZero(M_.rows());
  step->bounce.setZero(M_.rows());
  step->bounce_forces.reserve(uz(max_points));
  step->load_displacement.setZero(load_cases_.cols());
  step->workspace = compliance_.make_workspace(max_points);
  return step;
}

void DynamicDeformation::compute_free_motion(const DeformationState& state,
                                             std::span<const double> load_weights, double dt,
                                             Step& base) const {
  assert(dt == dt_);
  auto& step = static_cast<LinearStep&>(base);

  // right-hand side of the theta-method
  const VecX& u = state.u.all();
  VecX& u_free = step.u_free.own();
  step.du = (u / dt + state.v) / (theta_ * dt);
  u_free.noalias() = M_ * step.du;
  step.du = u / dt;
  u_free.noalias() += D_ * step.du;
  if (theta_ < 1.0) {
    step.du = (1.0 - theta_) * u;
    u_free.noalias() -= K_ * step.du;
  }
  add_weighted_columns(load_cases_, load_weights, u_free);
  compliance_.solve_in_step(u_free, step.workspace);
  step.v_free = (u_free - u) / (theta_ * dt) - (1.0 - theta_) / theta_ * state.v;
}

void DynamicDeformation::compute_compliance(const NodeShares& points, Step& step,
                                            Eigen::Ref<MatX> C) const {
  compliance_.compute_compliance(points, static_cast<LinearStep&>(step).workspace, C);
}

void DynamicDeformation::find_bounce(std::span<const SurfacePoint> points,
                                     std::span<const Vec3> forces, const DeformationState& before,
                                     LinearStep& step) const {
  step.bounce_forces.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    Vec3 displaced = Vec3::Zero();  // by the contact forces
    Vec3 passed_by = Vec3::Zero();  // how far the end velocity is beyond the mean one
    for (std::size_t c = 0; c < 3; ++c) {
      const int corner = points[i].corner[c];
      const int row = 3 * corner;
      const Vec3 du = step.du.segment<3>(row);
      const Vec3 moved = step.u_free.node(corner) - before.u.node(corner) + du;
      displaced += points[i].weight[c] * du;
      passed_by += points[i].weight[c] * (moved / dt_ - before.v.segment<3>(row));
    }
    const double forced = forces[i].dot(displaced);
    const double share =
        forced > 0.0 ? std::clamp(dt_ * forces[i].dot(passed_by) / forced, 0.0, 1.0) : 0.0;
    step.bounce_forces.emplace_back(share * forces[i]);
  }
  step.bounce.setZero();
  add_nodal_forces(points, step.bounce_forces, step.bounce);
  compliance_.solve_in_step(step.bounce, step.workspace);
  step.bounce /= dt_;
}

void DynamicDeformation::take_out_bounce(LinearStep& step, DeformationState& state) const {
  step.momentum.noalias() = M_ * step.bounce;
  const double inertia = step.momentum.dot(step.bounce);
  if (!(inertia > 0.0)) return;
  state.v -= std::clamp(step.momentum.dot(state.v) / inertia, 0.0, 1.0) * step.bounce;
}

void DynamicDeformation::correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                                 Step& base, DeformationState& state) const {
  auto& step = static_cast<LinearStep&>(base);
  if (points.empty()) {
    state.u = step.u_free;
    state.v = step.v_free;
  } else {
    // displacement of all nodes under the contact forces, and its velocity
    step.du.setZero();
    add_nodal_forces(points, forces, step.du);
    compliance_.solve_in_step(step.du, step.workspace);
    if (theta_ < 1.0) find_bounce(points, forces, state, step);
    state.u = step.u_free.all() + step.du;
    state.v = step.v_free + 1.0 / (theta_ * dt_) * step.du;
    if (theta_ < 1.0) take_out_bounce(step, state);
  }

  step.momentum.noalias() = M_ * state.v;
  step.energy = 0.5 * state.v.dot(step.momentum);
  const VecX& u = state.u.all();
  step.momentum.noalias() = K_ * u;
  step.energy += 0.5 * u.dot(step.momentum);
  step.load_displacement.noalias() = load_cases_.transpose() * u;
}

double DynamicDeformation::energy(const DeformationState& state) const {
  return 0.5 * state.v.dot(M_ * state.v) + 0.5 * state.u.all().dot(K_ * state.u.all());
}

}  // namespace stickslip
