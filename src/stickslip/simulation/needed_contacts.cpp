#include "stickslip/simulation/needed_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/simulation/phase_timer.hpp"

namespace stickslip {

namespace {

// a contact is needed if it could close within so many steps
constexpr double steps_ahead = 2.0;
// so many contacts, or all where there are less, are at hand between two steps
constexpr int felt_contacts = 16;

/// Whether the method solves with a part of the contacts at all.
bool may_leave_out(const Scene& scene) {
  const SimulationOptions& options = scene.simulation;
  return options.contact_method == ContactMethod::exact && !options.all_contacts;
}

/// How far the contact forces bring P away from Q along the normal, as W has it. [m]
double opened_by_forces(const Contact& contact, std::span<const MovingBody> moving,
                        std::span<const BodyState> next) {
  const auto moved = [&](int b, const SurfacePoint& point) {
    const MovingBody& body = moving[uz(b)];
    return body.body->answer_to_forces(*body.state, *body.step, next[uz(b)], point);
  };
  const Proximity& where = contact.where;
  return contact.axes.row(0).dot(moved(where.body_1, where.P) - moved(where.body_2, where.Q));
}

/// Whether its free motion takes back at once what contact forces did to its shape.
bool springs_back(const MovingBody& body) {
  return body.body->deformation() != nullptr && body.state->deformation.v.size() == 0;
}

/// Whether a contact that carried no force may carry some now. Where bodies spring back, their free
/// motion closes gaps that stay open: there the last step tells how the gap changes.
bool may_close(const Contact& contact, std::span<const MovingBody> moving, double dt) {
  if (contact.delta_free[0] >= 0.0) return false;
  if (!springs_back(moving[uz(contact.where.body_1)]) &&
      !springs_back(moving[uz(contact.where.body_2)])) {
    return true;
  }
  return contact.where.gap <= steps_ahead * dt * -contact.velocity[0];
}

/// Between two steps hands may go elsewhere, and the contacts are solved for that: the nearest ones
/// are taken as well.
void take_felt_contacts(StepData& data) {
  data.chosen.clear();
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    if (!data.is_needed[c]) data.chosen.push_back(static_cast<int>(c));
  }
  const auto needed = std::count(data.is_needed.begin(), data.is_needed.end(), 1);
  const std::size_t room = uz(std::max(0, felt_contacts - static_cast<int>(needed)));
  if (data.chosen.size() > room) {
    const auto end = data.chosen.begin() + static_cast<std::ptrdiff_t>(room);
    std::nth_element(data.chosen.begin(), end, data.chosen.end(), [&](int a, int b) {
      const double gap_a = data.contacts[uz(a)].where.gap;
      const double gap_b = data.contacts[uz(b)].where.gap;
      return gap_a != gap_b ? gap_a < gap_b : a < b;
    });
    data.chosen.erase(end, data.chosen.end());
  }
  for (const int c : data.chosen) data.is_needed[uz(c)] = 1;
}

}  // namespace

void choose_needed_contacts(const Scene& scene, StepData& data) {
  data.is_needed.assign(data.contacts.size(), 1);
  if (may_leave_out(scene)) {
    for (std::size_t c = 0; c < data.contacts.size(); ++c) {
      const Contact& contact = data.contacts[c];
      if (contact.is_new || !contact.initial_force.isZero(0.0)) continue;
      data.is_needed[c] = may_close(contact, data.moving, scene.simulation.dt) ? 1 : 0;
    }
    if (!scene.hands.empty()) take_felt_contacts(data);
  }
  data.groups.build(data.contacts, data.is_needed, data.moving);
}

bool add_needed_contacts(const Scene& scene, StepData& data) {
  if (!may_leave_out(scene)) return false;
  const PhaseTimer timer(data.report, Phase::contact_space);
  double scale = 0.0;
  for (const Contact& contact : data.contacts) {
    scale = std::max(scale, std::abs(contact.delta_free[0]));
  }
  data.gaps_left.assign(data.contacts.size(), 0.0);
  double deepest = 0.0;
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    if (data.is_needed[c]) continue;
    const Contact& contact = data.contacts[c];
    data.gaps_left[c] = contact.delta_free[0] + opened_by_forces(contact, data.moving, data.next);
    deepest = std::max(deepest, -data.gaps_left[c]);
  }
  if (deepest <= scene.simulation.tolerance * scale) return false;

  // what is no farther apart than these overlap may be next
  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    if (data.gaps_left[c] < deepest) data.is_needed[c] = 1;
  }

  for (std::size_t c = 0; c < data.contacts.size(); ++c) {
    data.contacts[c].initial_force = data.f.segment<3>(static_cast<int>(3 * c));
  }
  data.groups.build(data.contacts, data.is_needed, data.moving);
  return true;
}

}  // namespace stickslip
