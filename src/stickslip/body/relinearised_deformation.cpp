#include "stickslip/body/relinearised_deformation.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "stickslip/body/load_cases.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/node_gram.hpp"
#include "stickslip/fem/point_forces.hpp"
#include "stickslip/fem/rigid_modes.hpp"

namespace stickslip {

namespace {

// a slope without what falls may have nothing left in a direction; this share of the stiffness at
// rest is added to it
constexpr double least_stiffness = 1e-3;
// forces and energies that differ by less, relative to themselves, are the same but for rounding
constexpr double rounding = 1e-10;
// a gain beyond this share of the work is one
constexpr double gain_share = 1e-6;
// Newton's steps of a time step, where the first ones would gain energy
constexpr int most_newton_steps = 10;
// shares of a step that are tried before it is left as it is
constexpr double least_share = 1e-3;

}  // namespace

struct RelinearisedDeformation::NewtonStep : Deformation::Step {
  VecX loads;     ///< of the load cases
  VecX external;  ///< those and the contact forces
  VecX place;     ///< where it was linearised
  VecX at_place;  ///< what pulls the body back to rest there, inertia included
  VecX forces;    ///< the same anywhere
  VecX u_end;
  VecX product;
  VecX moved;
  VecX active;  ///< unknowns of the factorisation
  SparseMatrix slope;
  SparseMatrix K_tilde;
  SparseCholesky factor;
  SparseCholesky::Workspace solver;
  NodeGram gram;
  double energy_at_begin = 0.0;
  double energy_at_place = 0.0;  ///< elastic
  double merit_at_place = 0.0;   ///< without the part of the external forces
  int newton_steps = 0;
  double imbalance_N = 0.0;
  bool is_balanced = true;
  bool is_to_go_on = false;  ///< it gains energy, or was shortened
};

RelinearisedDeformation::RelinearisedDeformation(const DeformationModel& model,
                                                 std::span<const int> held_nodes,
                                                 const NewtonOptions& options)
    : options_(options),
      M_(model.M),
      D_(model.D.pruned()),
      load_cases_(with_gravity(model, held_nodes, options.load_cases)),
      pattern_(model.K),
      active_(uz(model.K.rows()), 0) {
  if (held_nodes.empty()) {
    throw InputError("a relinearised deformation must be held somewhere: name its nodes");
  }
  if (options.is_dynamic && !(options.dt > 0.0)) {
    throw InputError("dynamic deformation needs a positive step dt in seconds");
  }
  if (!options.is_dynamic) refuse_loose_parts(model, held_nodes);
  for (const int node : held_nodes) {
    for (int d = 0; d < 3; ++d) active_[uz(3 * node + d)] = -1;
  }
  int count = 0;
  for (int& unknown : active_) {
    if (unknown == 0) unknown = count++;
  }
  if (count == 0) throw InputError("all nodes are held: nothing can move");

  // entries of the slope, by their numbers from 1 on, in the union of all patterns
  SparseMatrix numbers = pattern_;
  std::iota(numbers.valuePtr(), numbers.valuePtr() + numbers.nonZeros(), 1.0);
  const double per_dt = options.is_dynamic ? 1.0 / options.dt : 0.0;
  const SparseMatrix inertial = per_dt * per_dt * M_ + per_dt * D_;
  const SparseMatrix found = restricted(0.0 * inertial + numbers, active_);
  inertial_ = restricted(inertial + 0.0 * pattern_, active_);
  rest_.setZero(found.nonZeros());
  for (int k = 0; k < found.nonZeros(); ++k) {
    source_.push_back(static_cast<int>(found.valuePtr()[k]) - 1);
    if (source_.back() >= 0) rest_[k] = model.K.valuePtr()[source_.back()];
  }

  // rounding of strains of one: of the body at twice its size
  VecX places(M_.rows());
  for (int n = 0; n < model.node_count(); ++n) places.segment<3>(3 * n) = model.nodes[uz(n)];
  energy_noise_ = std::numeric_limits<double>::epsilon() * places.dot(model.K * places);
}

DeformationState RelinearisedDeformation::rest() const {
  const auto size = M_.rows();
  return {Displacement(VecX::Zero(size)), VecX::Zero(options_.is_dynamic ? size : 0)};
}

std::unique_ptr<Deformation::Step> RelinearisedDeformation::make_step(int max_points) const {
  auto step = std::make_unique<NewtonStep>();
  step->u_free = rest().u;
  step->v_free = rest().v;
  for (VecX* vector : {&step->loads, &step->external, &step->place, &step->at_place, &step->forces,
                       &step->u_end, &step->product, &step->moved}) {
    vector->setZero(M_.rows());
  }
  step->active.setZero(inertial_.rows());
  step->load_displacement.setZero(load_cases_.cols());
  step->slope = pattern_;
  step->K_tilde = inertial_;
  // any positive definite matrix of the pattern serves to order it
  SparseMatrix ordering = inertial_;
  std::fill_n(ordering.valuePtr(), ordering.nonZeros(), 0.0);
  for (int i = 0; i < ordering.rows(); ++i) ordering.coeffRef(i, i) = 1.0;
  step->factor = SparseCholesky(ordering);
  step->solver = step->factor.make_workspace(3 * max_points);
  step->gram = NodeGram(static_cast<int>(M_.rows() / 3), max_points);
  return step;
}

void RelinearisedDeformation::solve(VecX& full, NewtonStep& step) const {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] >= 0) step.active[active_[i]] = full[static_cast<int>(i)];
  }
  step.factor.solve_in_step(step.active, step.solver);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    full[static_cast<int>(i)] = active_[i] < 0 ? 0.0 : step.active[active_[i]];
  }
}

/// Adds to the forces at u what inertia and damping do over the step; returns the potential of
/// that.
double RelinearisedDeformation::add_inertia(const VecX& u, const DeformationState& begin,
                                            VecX& forces, NewtonStep& step) const {
  if (!options_.is_dynamic) return 0.0;
  const double dt = options_.dt;
  VecX& moved = step.moved;
  moved = u - begin.u.all();
  double potential = 0.0;
  if (D_.nonZeros() > 0) {
    step.product.noalias() = D_ * moved;
    forces += step.product / dt;
    potential += 0.5 * step.product.dot(moved) / dt;
  }
  moved -= dt * begin.v;
  step.product.noalias() = M_ * moved;
  forces += step.product / (dt * dt);
  return potential + 0.5 * step.product.dot(moved) / (dt * dt);
}

double RelinearisedDeformation::kinetic_energy(const VecX& v, NewtonStep& step) const {
  if (!options_.is_dynamic) return 0.0;
  step.product.noalias() = M_ * v;
  return 0.5 * v.dot(step.product);
}

void RelinearisedDeformation::factorise(NewtonStep& step) const {
  double* value = step.K_tilde.valuePtr();
  for (const Slope kind : {Slope::exact, Slope::not_negative}) {
    step.energy_at_place = respond(step.place, kind, step.at_place, step.slope);
    const double* slope = step.slope.valuePtr();
    const double share = kind == Slope::exact ? 0.0 : least_stiffness;
    for (std::size_t k = 0; k < source_.size(); ++k) {
      const double own = source_[k] < 0 ? 0.0 : slope[source_[k]];
      value[k] = inertial_.valuePtr()[k] + own + share * rest_[static_cast<int>(k)];
    }
    if (step.factor.refactorize(step.K_tilde)) return;
  }
  // numbers beyond all bounds: the stiffness at rest
  for (int k = 0; k < rest_.size(); ++k) value[k] = inertial_.valuePtr()[k] + rest_[k];
  step.factor.refactorize(step.K_tilde);
}

void RelinearisedDeformation::linearise_at(const VecX& u, const DeformationState& begin,
                                           NewtonStep& step) const {
  // (Eq. 2) K-tilde = M/dt^2 + D/dt + K'(u), between the unknowns that are not held
  step.place = u;
  factorise(step);
  step.gram.forget();
  step.merit_at_place = step.energy_at_place + add_inertia(u, begin, step.at_place, step);
  ++step.newton_steps;

  // K-tilde (u_t - u) = f - K(u) - M ((u - u_{t-1})/dt - u'_{t-1})/dt - D (u - u_{t-1})/dt
  VecX& u_free = step.u_free.own();
  u_free = step.loads - step.at_place;
  solve(u_free, step);
  u_free += u;
  if (options_.is_dynamic) step.v_free = (u_free - begin.u.all()) / options_.dt;
}

void RelinearisedDeformation::compute_free_motion(const DeformationState& state,
                                                  std::span<const double> load_weights, double dt,
                                                  Step& base) const {
  assert(!options_.is_dynamic || dt == options_.dt);
  static_cast<void>(dt);
  auto& step = static_cast<NewtonStep&>(base);
  step.loads.setZero();
  add_weighted_columns(load_cases_, load_weights, step.loads);
  step.newton_steps = 0;
  linearise_at(state.u.all(), state, step);
  step.energy_at_begin = step.energy_at_place + kinetic_energy(state.v, step);
}

void RelinearisedDeformation::compute_compliance(const NodeShares& points, Step& base,
                                                 Eigen::Ref<MatX> C) const {
  auto& step = static_cast<NewtonStep&>(base);
  step.gram.compute(step.factor, active_, points, step.solver, C);
}

/// Goes from where the step was linearised towards u, all the way or as far as the potential under
/// the external forces is no higher than there. Leaves the forces at the end; returns the elastic
/// energy.
double RelinearisedDeformation::go_downhill(const DeformationState& begin, VecX& u,
                                            NewtonStep& step) const {
  step.is_to_go_on = false;
  for (double share = 1.0;; share *= 0.5) {
    const double energy = respond(u, Slope::none, step.forces, step.slope);
    const double merit = energy + add_inertia(u, begin, step.forces, step);
    step.moved = u - step.place;
    const double work = step.external.dot(step.moved);
    const double blur = rounding * (std::abs(step.merit_at_place) + std::abs(work)) + energy_noise_;
    if (merit - step.merit_at_place <= work + blur || share < least_share) return energy;
    step.is_to_go_on = true;
    u = 0.5 * (u + step.place);
  }
}

void RelinearisedDeformation::correct(std::span<const SurfacePoint> points,
                                      std::span<const Vec3> forces, Step& base,
                                      DeformationState& state) const {
  auto& step = static_cast<NewtonStep&>(base);
  step.forces.setZero();
  add_nodal_forces(points, forces, step.forces);
  step.external = step.loads + step.forces;
  if (!points.empty()) solve(step.forces, step);
  VecX& u = step.u_end;
  u = step.u_free.all() + step.forces;
  const double elastic = go_downhill(state, u, step);

  // what is left unbalanced
  step.imbalance_N = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i] < 0) continue;
    const auto k = static_cast<int>(i);
    step.imbalance_N = std::max(step.imbalance_N, std::abs(step.external[k] - step.forces[k]));
    largest = std::max({largest, std::abs(step.external[k]), std::abs(step.forces[k])});
  }
  step.is_balanced = step.imbalance_N <= rounding * largest;

  // whether more is gained than the work of the forces
  step.moved = u - state.u.all();
  const double work = step.external.dot(step.moved);
  if (options_.is_dynamic) state.v = step.moved / options_.dt;
  step.energy = elastic + kinetic_energy(state.v, step);
  const double gain = step.energy - step.energy_at_begin - work;
  step.is_to_go_on |=
      gain > gain_share * std::abs(work) + rounding * step.energy_at_begin + energy_noise_;
  step.load_displacement.noalias() = load_cases_.transpose() * u;
  state.u = u;
}

bool RelinearisedDeformation::relinearise(const DeformationState& begin,
                                          const DeformationState& end, Step& base) const {
  auto& step = static_cast<NewtonStep&>(base);
  const int wanted =
      step.is_to_go_on ? std::max(options_.newton_steps, most_newton_steps) : options_.newton_steps;
  if (step.is_balanced || step.newton_steps >= wanted) return false;
  linearise_at(end.u.all(), begin, step);
  return true;
}

double RelinearisedDeformation::imbalance(const Step& step) {
  return static_cast<const NewtonStep&>(step).imbalance_N;
}

}  // namespace stickslip
