#include "stickslip/haptics/gain_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/haptics/simulated_device.hpp"
#include "stickslip/haptics/spring_stability.hpp"

namespace stickslip {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// what devices have whose makers do not tell
constexpr double usual_mass = 0.072;   // [kg]
constexpr double usual_damping = 0.1;  // [N s/m]
/// A step of the force that a hand barely feels. [N]
constexpr double barely_felt = 0.1;
constexpr double stable_share = 0.5;

/// Damping for a stiffness: twice what a spring held over a tick gives away.
double damping_for(double stiffness, double tick_s) {
  return stiffness * tick_s;
}

double largest_stable(const DeviceLimits& device, const HandAxis& hand, double tick_s) {
  SampledSpring spring;
  spring.device.mass = device.mass > 0.0 ? device.mass : usual_mass;
  spring.device.damping = device.damping > 0.0 ? device.damping : usual_damping;
  spring.hand = hand;
  spring.tick_s = tick_s;
  const auto is_stable = [&](double stiffness) {
    spring.stiffness = stiffness;
    spring.damping = damping_for(stiffness, tick_s);
    return spectral_radius(spring) < 1.0;
  };
  // up until it is not, then halving
  double low = 0.0;
  double high = 10.0;
  while (is_stable(high) && high < 1e7) {
    low = high;
    high *= 1.5;
  }
  while (high - low > 1e-3 * high) {
    const double middle = 0.5 * (low + high);
    (is_stable(middle) ? low : high) = middle;
  }
  return low;
}

/// What a stiffness in the world feels like at the handle, and back.
double felt_share(const WorkspaceMap& map) {
  return map.motion_scale * map.force_scale;
}

}  // namespace

double StiffnessLimits::recommended() const {
  return std::min({stable_share * stable, ripple, of_device});
}

StiffnessLimits stiffness_limits(const DeviceLimits& device, double tick_s) {
  StiffnessLimits limits;
  limits.passive = passive_stiffness(device.damping, tick_s, 0.0);
  limits.stable = unknown;
  for (const HandModel& hand : known_hand_models()) {
    if (hand.is_clamped) continue;
    const double stable = largest_stable(device, hand.translation, tick_s);
    if (stable >= limits.stable) continue;
    limits.stable = stable;
    limits.hand = hand.name;
  }
  limits.ripple = device.resolution > 0.0 ? barely_felt / device.resolution : unknown;
  limits.of_device = device.stiffness > 0.0 ? device.stiffness : unknown;
  return limits;
}

CouplingGains choose_gains(const StiffnessLimits& limits, const WorkspaceMap& map, double tick_s) {
  const double stiffness = limits.recommended() / felt_share(map);
  const double turning = handle_lever * handle_lever * limits.recommended() / map.force_scale;
  return {.stiffness = stiffness,
          .damping = damping_for(stiffness, tick_s),
          .rotational_stiffness = turning,
          .rotational_damping = damping_for(turning, tick_s)};
}

GainReport report_gains(const CouplingGains& gains, const StiffnessLimits& limits,
                        const WorkspaceMap& map) {
  const double felt = gains.stiffness * felt_share(map);
  GainReport report;
  report.text = fmt::format(
      "coupling {:.4g} N/m, felt as {:.4g} N/m: {:.2g} of the largest stable in the worst hand "
      "({}), {:.4g} N/m; passive in any hand up to {:.4g} N/m",
      gains.stiffness, felt, felt / limits.stable, limits.hand, limits.stable, limits.passive);
  if (felt > limits.stable) {
    report.warning = fmt::format(
        "a coupling of {:.4g} N/m is unstable on this device: at most {:.4g} N/m; lower hand."
        "stiffness, or leave it out",
        gains.stiffness, limits.stable / felt_share(map));
  } else if (felt > 1.0001 * limits.recommended()) {
    report.warning = fmt::format(
        "a coupling of {:.4g} N/m may be felt to rattle on this device: {:.4g} N/m are "
        "recommended; lower hand.stiffness, or leave it out",
        gains.stiffness, limits.recommended() / felt_share(map));
  }
  return report;
}

}  // namespace stickslip
