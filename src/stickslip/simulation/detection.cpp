#include "stickslip/simulation/detection.hpp"

#include <algorithm>

#include "stickslip/simulation/exact_bend.hpp"
#include "stickslip/simulation/phase_timer.hpp"

namespace stickslip {

namespace {

// how far, in alarm distances, gaps may be from what the solve took them for
constexpr double linearisation_share = 1e-4;

/// What is near in the given states of the bodies.
void find_in(const Scene& scene, const std::vector<BodyState>& states, StepData& data,
             std::vector<Proximity>& found) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    PlacedSurface& surface = data.surfaces[b];
    surface.R = states[b].frame.orientation.toRotationMatrix();
    surface.position = states[b].frame.position;
    surface.has_new_shape = body.deformation() != nullptr;
    if (surface.has_new_shape) body.deformed_points(states[b], data.points[b]);
  }
  data.proximity->find(data.surfaces, scene.simulation.alarm_distance, found);
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
  find_in(scene, state.bodies, data, data.found);
  for (const Proximity& proximity : data.found) {
    data.report.penetration_m = std::max(data.report.penetration_m, -proximity.gap);
  }
  follow_loaded_contacts(scene, state, data);
  keep_to_budget(scene, state, data);
  for (Proximity& where : data.found) where.bend += exact_bend(scene, state.bodies, where);
}

bool find_proximities_again(const Scene& scene, const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::proximity);
  find_in(scene, data.next, data, data.found_again);
  const double tolerance = linearisation_share * scene.simulation.alarm_distance;
  bool was_right = true;
  for (Proximity& again : data.found_again) {
    const auto before =
        std::find_if(data.contacts.begin(), data.contacts.end(),
                     [&](const Contact& contact) { return is_same_contact(contact.where, again); });
    const bool is_known = before != data.contacts.end();
    if (is_known && is_exact(again.kind)) {
      // its place goes with the faces that turn under it, and its bend is known
      again = before->where;
      continue;
    }
    was_right &= again.gap > -tolerance;
    const Vec3 QP = separation(scene, data.next, again);
    if (!is_known) {
      // no overlap at the beginning of the step
      again.gap = std::max(0.0, again.gap);
    } else {
      const auto c = static_cast<int>(before - data.contacts.begin());
      was_right &= data.f[3 * c] == 0.0 || again.gap < tolerance;
      // where a body slides easily over what is bent, each direction would lead to a place with
      // quite another one, to and fro: once found again, a contact keeps its own
      const Vec3 normal = before->frame.row(0);
      const Vec3 way = QP - separation(scene, state.bodies, again);
      turn(data.report.passes > 1 ? normal : square_to_way(again.normal, normal, way), QP, again);
      again.gap = before->where.gap;
    }
  }
  if (was_right) return false;

  // those not found again stay: the bodies may come back to them
  for (const Contact& contact : data.contacts) {
    if (std::none_of(data.found_again.begin(), data.found_again.end(),
                     [&](const Proximity& p) { return is_same_contact(contact.where, p); })) {
      data.found_again.push_back(contact.where);
    }
  }
  std::swap(data.found, data.found_again);
  keep_to_budget(scene, state, data);
  return true;
}

}  // namespace stickslip
