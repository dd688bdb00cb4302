#include <algorithm>

#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/scene/scene_surfaces.hpp"
#include "stickslip/simulation/step.hpp"
#include "stickslip/simulation/step_memory.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {

namespace {

/// Room for the problems of all groups, whichever way the budget of contacts falls into them: the
/// k-th largest has at most a k-th of it, so that all take less than twice the room of the first.
void make_solvers(const Scene& scene, StepData& data) {
  const SimulationOptions& options = scene.simulation;
  const ProblemSize largest = largest_problem(scene);
  data.solver = make_solver(options.solver, options.pyramid_sides);
  data.solver->reserve(largest);
  data.law = make_contact_law(options.contact_method, options.law,
                              make_solver(options.solver, options.pyramid_sides));
  if (data.law) data.law->reserve(largest);
  data.problems.resize(uz(most_groups(scene)));
  for (std::size_t k = 0; k < data.problems.size(); ++k) {
    const int share = largest.contacts / static_cast<int>(k + 1);
    data.problems[k].reserve({.contacts = share, .is_dense = largest.is_dense});
  }
  data.lift.reserve(largest);
}

int most_nodes_a_point(const Scene& scene) {
  int most = 0;
  for (const SceneBody& part : scene.bodies) most = std::max(most, part.body.nodes_a_point());
  return most;
}

}  // namespace

std::unique_ptr<ProximityMethod> mesh_proximity(const Scene& scene) {
  MeshProximityOptions options;
  options.interpolate_normals = scene.simulation.interpolate_normals;
  if (scene.simulation.proximity == ProximityKind::stochastic) {
    return std::make_unique<StochasticProximity>(proximity_bodies(scene), scene.excluded_pairs,
                                                 scene.simulation.stochastic, options);
  }
  return std::make_unique<MeshProximity>(proximity_bodies(scene), scene.excluded_pairs, options);
}

StepData::StepData(const Scene& scene)
    : delassus(static_cast<int>(scene.bodies.size()), scene.simulation.contact_budget,
               most_nodes_a_point(scene)),
      unbuilt(static_cast<int>(scene.bodies.size())) {
  const int budget = scene.simulation.contact_budget;
  const std::size_t count = scene.bodies.size();
  proximity = scene.make_proximity ? scene.make_proximity(scene) : mesh_proximity(scene);
  proximity->reserve(budget);
  // the scene's own method knows surfaces that we do not, and penalties need their overlaps
  if (scene.simulation.fast_motion && !scene.make_proximity &&
      !lives_by_overlap(scene.simulation.contact_method)) {
    fast_motion = std::make_unique<FastMotion>(scene);
  }
  load_cases.resize(count);
  points.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    const SceneBody& part = scene.bodies[b];
    next.push_back(part.body.initial_state(part.position, part.orientation));
    initial_frames.push_back(next.back().frame);
    before.push_back(next.back());
    body_steps.push_back(part.body.make_step(budget));
    load_cases[b].resize(uz(part.body.load_case_count()));
    points[b] = part.body.surface().points;
    surfaces.push_back({.points = points[b]});
  }
  inputs.resize(scene.drives.size());
  loads.resize(count);
  hand_inputs.resize(scene.hands.size());
  couplings.resize(scene.hands.size());
  targets_before.resize(scene.hands.size());
  hands_before.resize(scene.hands.size());
  hand_wrenches.assign(scene.hands.size(), Vec6::Zero());
  moving.resize(count);
  found.reserve(uz(4 * budget));
  found_again.reserve(uz(4 * budget));
  found_at_end.reserve(uz(4 * budget));
  index.reserve(4 * budget);
  is_known.reserve(uz(budget));
  choice.squared_spacing.reserve(uz(4 * budget));
  choice.is_chosen.reserve(uz(4 * budget));
  carried_force.reserve(uz(4 * budget));
  places.reserve(uz(4 * budget));
  states_at_end = next;
  chosen.reserve(uz(budget));
  contacts.reserve(uz(budget));
  is_needed.reserve(uz(budget));
  gaps_left.reserve(uz(budget));
  groups.reserve(static_cast<int>(count), budget);
  group_gains.reserve(count);
  f.setZero(3 * budget);
  lift_f.setZero(3 * budget);
  lift_contacts.reserve(uz(budget));
  make_solvers(scene, *this);
  body_forces.reserve(static_cast<int>(count), budget);
  ways.reserve(uz(budget));
}

State initial_state(const Scene& scene) {
  State state;
  for (const SceneBody& part : scene.bodies) {
    BodyState body = part.body.initial_state(part.position, part.orientation);
    body.frame.velocity = part.velocity;
    body.frame.angular_velocity = part.angular_velocity;
    state.bodies.push_back(body);
    state.load_displacements.emplace_back(
        VecX::Zero(part.body.deformation() ? 3 + part.body.load_case_count() : 0));
  }
  for (const Drive& drive : scene.drives) state.inputs.push_back(drive.table.at(0.0));
  state.contacts.reserve(scene.simulation.contact_budget);
  state.hands.resize(scene.hands.size());
  return state;
}

}  // namespace stickslip
