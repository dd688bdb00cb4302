#include "stickslip/devices/hand_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "stickslip/devices/device_rate.hpp"
#include "stickslip/devices/device_spec.hpp"
#include "stickslip/error.hpp"

namespace stickslip {

namespace {

void fill(double& gain, double chosen) {
  if (std::isnan(gain)) gain = chosen;
}

/// How long a link is measured before gains are chosen. [s]
constexpr double link_measured_s = 0.3;

/// Of what is reached over a link, by an exchange with zero force.
LinkTimes measured_link(Device& device, const DeviceSpec& spec) {
  const bool has_link =
      spec.kind == DeviceSpec::Kind::haply || spec.kind == DeviceSpec::Kind::bridge;
  if (has_link) measure_rate(device, link_measured_s);
  return device.link();
}

/// The range of all that it may hold.
HeldMass held_by(const Hand& hand, const Scene& scene) {
  const auto mass_at = [&](const Handle& handle) {
    return held_mass(scene.bodies[uz(handle.body)].body.frame(), handle.grip);
  };
  HeldMass held = mass_at(hand.handles.front());
  for (const Handle& handle : hand.handles) {
    const HeldMass other = mass_at(handle);
    held.lightest = std::min(held.lightest, other.lightest);
    held.heaviest = std::max(held.heaviest, other.heaviest);
    held.least_inertia = std::min(held.least_inertia, other.least_inertia);
    held.largest_inertia = std::max(held.largest_inertia, other.largest_inertia);
  }
  return held;
}

/// Two hands must not push with one device, neither of which would know of the other's force.
void refuse_shared_devices(const std::vector<Hand>& hands) {
  for (std::size_t h = 0; h < hands.size(); ++h) {
    const DeviceSpec spec = parse_device_spec(hands[h].device);
    for (std::size_t before = 0; before < h; ++before) {
      if (!may_be_one_device(parse_device_spec(hands[before].device), spec)) continue;
      throw InputError(
          fmt::format("hand.{}.device = '{}' may be the device of hand.{}; give each hand its own "
                      "(haply?device=ID, bridge:PORT)",
                      hands[h].name, hands[h].device, hands[before].name));
    }
  }
}

}  // namespace

std::string link_trouble(const LinkTimes& chosen_for, const LinkTimes& now) {
  // half as late again, and by more than a loop's own unrest
  constexpr double later_share = 1.5;
  constexpr double unrest_s = 1e-3;
  const double before = chosen_for.delay_s + chosen_for.jitter_s;
  const double late = now.delay_s + now.jitter_s;
  if (late <= later_share * before + unrest_s) return {};
  return fmt::format(
      "the link takes {:.2g} ms now, its gains were chosen for {:.2g} ms: begin anew, or lower "
      "hand.stiffness",
      1e3 * late, 1e3 * before);
}

std::vector<ReadyHand> prepare_hands(Scene& scene, double tick_s, RenderingMode mode) {
  refuse_shared_devices(scene.hands);
  std::vector<ReadyHand> ready;
  for (Hand& hand : scene.hands) {
    DeviceChoice choice;
    choice.intention = hand.intention;
    choice.map = hand.map;
    choice.tick_s = tick_s;
    ReadyHand& made = ready.emplace_back();
    const DeviceSpec spec = parse_device_spec(hand.device);
    made.setup.device = make_device(spec, choice);
    made.setup.map = hand.map;
    made.setup.force_limit = hand.max_force;
    made.setup.torque_limit = hand.max_torque;
    made.setup.starts_holding = hand.starts_holding;

    const CouplingPlace place{.device = made.setup.device->limits(),
                              .map = hand.map,
                              .held = held_by(hand, scene),
                              .tick_s = tick_s,
                              .dt = scene.simulation.dt,
                              .mode = mode,
                              .link = measured_link(*made.setup.device, spec)};
    made.link = place.link;
    const CouplingLimits limits = coupling_limits(place);
    const CouplingGains chosen = choose_gains(limits, place);
    fill(hand.gains.stiffness, chosen.stiffness);
    fill(hand.gains.damping, place.damping_for(hand.gains.stiffness));
    fill(hand.gains.rotational_stiffness, chosen.rotational_stiffness);
    fill(hand.gains.rotational_damping, place.damping_for(hand.gains.rotational_stiffness));
    made.gains = report_gains(hand.gains, limits, place);
  }
  return ready;
}

}  // namespace stickslip
