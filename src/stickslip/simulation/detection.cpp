#include "stickslip/simulation/detection.hpp"

#include <algorithm>

#include "stickslip/simulation/exact_bend.hpp"
#include "stickslip/simulation/phase_timer.hpp"

namespace stickslip {

namespace {

// how far, in alarm distances, gaps may be from what the solve took them for
constexpr double linearisation_share = 1e-4;

/// Where the surfaces are in the given states of the bodies.
void place_surfaces(const Scene& scene, const std::vector<BodyState>& states, StepData& data) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    PlacedSurface& surface = data.surfaces[b];
    surface.R = states[b].frame.orientation.toRotationMatrix();
    surface.position = states[b].frame.position;
    surface.has_new_shape = body.deformation() != nullptr;
    if (!surface.has_new_shape) continue;
    if (data.proximity->takes_displacements()) {
      surface.displacement = &states[b].deformation.u;
    } else {
      body.deformed_points(states[b], data.points[b]);
    }
  }
}

/// What is near there.
void find_in(const Scene& scene, const std::vector<BodyState>& states, StepData& data,
             std::vector<Proximity>& found) {
  place_surfaces(scene, states, data);
  data.proximity->find(data.surfaces, scene.simulation.alarm_distance, found);
}

/// The same on corrected positions, which the next step may begin with.
void find_at_end(const Scene& scene, StepData& data) {
  find_in(scene, data.next, data, data.found_again);
  if (!data.proximity->depends_on_places_alone()) return;
  data.states_at_end = data.next;
  data.alarm_distance_at_end = scene.simulation.alarm_distance;
  data.found_at_end = data.found_again;
}

/// Whether the last look at corrected positions was at these.
bool was_looked_at(const Scene& scene, std::span<const BodyState> states, const StepData& data) {
  if (data.alarm_distance_at_end != scene.simulation.alarm_distance) return false;
  return std::equal(states.begin(), states.end(), data.states_at_end.begin(),
                    data.states_at_end.end(), [](const BodyState& a, const BodyState& b) {
                      return a.frame.position == b.frame.position &&
                             a.frame.orientation.coeffs() == b.frame.orientation.coeffs() &&
                             a.deformation.u == b.deformation.u;
                    });
}

/// Adds the contacts that carried force and were not found again, as far as they still exist.
void follow_loaded_contacts(const Scene& scene, const State& state, StepData& data) {
  const auto remembered = state.contacts.contacts();
  data.is_known.assign(remembered.size(), 0);
  for (const Proximity& proximity : data.found) {
    const RememberedContact* before = state.contacts.find(proximity);
    if (before) data.is_known[uz(before - remembered.data())] = 1;
  }
  for (std::size_t k = 0; k < remembered.size(); ++k) {
    if (data.is_known[k] || remembered[k].force.isZero(0.0)) continue;
    Proximity known = remembered[k].where;
    if (data.proximity->follow(data.surfaces, scene.simulation.alarm_distance, known)) {
      data.found.push_back(known);
    }
  }
}

/// From Q to P, in the given states of the bodies.
Vec3 separation(const Scene& scene, const std::vector<BodyState>& states, const Proximity& where) {
  const auto b1 = uz(where.body_1);
  const auto b2 = uz(where.body_2);
  return scene.bodies[b1].body.position(states[b1], where.P) -
         scene.bodies[b2].body.position(states[b2], where.Q);
}

/// Another direction, with the same gap where P and Q are so far apart.
void turn(const Vec3& normal, const Vec3& QP, Proximity& where) {
  where.normal = normal.normalized();
  where.bend = where.gap - where.normal.dot(QP);
}

/// The direction that a contact has at the end of the step would push along the way that led there,
/// and give energy that nobody put in, where the bodies have come round a bend: it acts square to
/// the way instead, or as near to that as the direction it had at the beginning.
Vec3 square_to_way(const Vec3& at_end, const Vec3& at_begin, const Vec3& way) {
  const double along_end = way.dot(at_end);
  const double along_begin = way.dot(at_begin);
  if (along_end <= 0.0 || along_begin >= along_end) return at_end;
  const double share = along_begin >= 0.0 ? 1.0 : along_end / (along_end - along_begin);
  return at_end + share * (at_begin - at_end);
}

/// Whether the contacts that were solved for hold where the step ends: nothing overlaps, and what
/// carries force touches. `index` is that of the contacts.
bool was_linearised_well(const Scene& scene, const StepData& data) {
  const double tolerance = linearisation_share * scene.simulation.alarm_distance;
  return std::all_of(data.found_again.begin(), data.found_again.end(), [&](const Proximity& again) {
    const int c = data.index.find(again);
    // the places of exact contacts go with the faces that turn under them, and their bend is known
    if (c >= 0 && is_exact(again.kind)) return true;
    return again.gap > -tolerance && (c < 0 || data.f[3 * c] == 0.0 || again.gap < tolerance);
  });
}

/// A contact found where the step ends, for another solve from its beginning on.
void take_back(const Scene& scene, const State& state, const StepData& data, Proximity& again) {
  const int c = data.index.find(again);
  if (c < 0) {
    // no overlap at the beginning of the step
    again.gap = std::max(0.0, again.gap);
    return;
  }
  const Contact& before = data.contacts[uz(c)];
  if (is_exact(again.kind)) {
    again = before.where;
    return;
  }
  // where a body slides easily over what is bent, each direction would lead to a place with quite
  // another one, to and fro: once found again, a contact keeps its own
  const Vec3 QP = separation(scene, data.next, again);
  const Vec3 normal = before.axes.row(0);
  const Vec3 way = QP - separation(scene, state.bodies, again);
  turn(data.report.passes > 1 ? normal : square_to_way(again.normal, normal, way), QP, again);
  again.gap = before.where.gap;
}

}  // namespace

void keep_to_budget(const Scene& scene, const State& state, StepData& data) {
  const int budget = scene.simulation.contact_budget;
  if (static_cast<int>(data.found.size()) <= budget) return;
  data.carried_force.clear();
  data.places.clear();
  for (const Proximity& proximity : data.found) {
    const RememberedContact* before = state.contacts.find(proximity);
    data.carried_force.push_back(before && !before->force.isZero(0.0) ? 1 : 0);
    const auto b = uz(proximity.body_1);
    data.places.push_back(scene.bodies[b].body.position(state.bodies[b], proximity.P));
  }
  choose_contacts(data.found, data.places, data.carried_force, budget, data.choice, data.chosen);
  for (std::size_t k = 0; k < data.chosen.size(); ++k)
    data.found[k] = data.found[uz(data.chosen[k])];
  data.found.resize(data.chosen.size());
}

void find_proximities(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::proximity);
  data.proximity->restore(state.proximity_memory);
  if (was_looked_at(scene, state.bodies, data)) {
    place_surfaces(scene, state.bodies, data);
    data.found = data.found_at_end;
  } else {
    find_in(scene, state.bodies, data, data.found);
  }
  for (const Proximity& proximity : data.found) {
    data.report.penetration_m = std::max(data.report.penetration_m, -proximity.gap);
  }
  follow_loaded_contacts(scene, state, data);
  keep_to_budget(scene, state, data);
  for (Proximity& where : data.found) where.bend += exact_bend(scene, state.bodies, where);
}

bool find_proximities_again(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::proximity);
  find_at_end(scene, data);
  data.index.clear();
  for (const Contact& contact : data.contacts) data.index.add(contact.where);
  data.index.sort();
  if (was_linearised_well(scene, data)) return false;
  for (Proximity& again : data.found_again) take_back(scene, state, data, again);

  // those not found again stay: the bodies may come back to them
  data.index.clear();
  for (const Proximity& again : data.found_again) data.index.add(again);
  data.index.sort();
  for (const Contact& contact : data.contacts) {
    if (data.index.find(contact.where) < 0) data.found_again.push_back(contact.where);
  }
  std::swap(data.found, data.found_again);
  keep_to_budget(scene, state, data);
  return true;
}

}  // namespace stickslip
