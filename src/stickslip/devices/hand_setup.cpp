#include "stickslip/devices/hand_setup.hpp"

#include <cmath>

#include "stickslip/devices/device_spec.hpp"

namespace stickslip {

namespace {

void fill(double& gain, double chosen) {
  if (std::isnan(gain)) gain = chosen;
}

}  // namespace

std::vector<ReadyHand> prepare_hands(Scene& scene, double tick_s) {
  std::vector<ReadyHand> ready;
  for (Hand& hand : scene.hands) {
    DeviceChoice choice;
    choice.intention = hand.intention;
    choice.tick_s = tick_s;
    ReadyHand& made = ready.emplace_back();
    made.setup.device = make_device(hand.device, choice);
    made.setup.map = hand.map;
    made.setup.force_limit = hand.max_force;
    made.setup.torque_limit = hand.max_torque;
    made.setup.starts_holding = hand.starts_holding;

    const StiffnessLimits limits = stiffness_limits(made.setup.device->limits(), tick_s);
    const CouplingGains chosen = choose_gains(limits, hand.map, tick_s);
    fill(hand.gains.stiffness, chosen.stiffness);
    fill(hand.gains.damping, hand.gains.stiffness * tick_s);
    fill(hand.gains.rotational_stiffness, chosen.rotational_stiffness);
    fill(hand.gains.rotational_damping, hand.gains.rotational_stiffness * tick_s);
    made.gains = report_gains(hand.gains, limits, hand.map);
  }
  return ready;
}

}  // namespace stickslip
