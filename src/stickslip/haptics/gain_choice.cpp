#include "stickslip/haptics/gain_choice.hpp"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/haptics/simulated_device.hpp"
#include "stickslip/haptics/spring_stability.hpp"
#include "stickslip/haptics/tool_stability.hpp"
#include "stickslip/haptics/two_port.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// what devices have whose makers do not tell
constexpr double usual_mass = 0.072;   // [kg]
constexpr double usual_damping = 0.1;  // [N s/m]
/// A step of the force that a hand barely feels. [N]
constexpr double barely_felt = 0.1;
constexpr double stable_share = 0.5;
/// No coupling is stiffer. [N/m]
constexpr double stiffest = 1e7;
constexpr double squared_lever = handle_lever * handle_lever;

/// Damping for a stiffness: twice what a spring held over a tick gives away.
double damping_for(double stiffness, double tick_s) {
  return stiffness * tick_s;
}

DeviceAxis mechanics_of(const DeviceLimits& device) {
  DeviceAxis axis;
  axis.mass = device.mass > 0.0 ? device.mass : usual_mass;
  axis.damping = device.damping > 0.0 ? device.damping : usual_damping;
  return axis;
}

/// One kind of axis of a coupling, as felt at the handle; rotation is felt at its lever.
struct FeltAxis {
  const CouplingPlace& place;
  std::array<double, 2> masses;  ///< of the body

  bool is_stable_against_wall(const HandAxis& hand, double stiffness, double damping) const {
    const SampledSpring spring{.device = mechanics_of(place.device),
                               .hand = hand,
                               .tick_s = place.tick_s,
                               .stiffness = stiffness,
                               .damping = damping};
    return spectral_radius(spring) < 1.0;
  }

  /// Whether the simulation answers at once or as late as it may.
  bool is_stable_with_body(const HandAxis& hand, double stiffness, double damping) const {
    CoupledTool tool{.device = mechanics_of(place.device),
                     .hand = hand,
                     .tick_s = place.tick_s,
                     .mode = place.mode,
                     .stiffness = stiffness,
                     .damping = damping};
    tool.ticks_per_step = std::max(1, static_cast<int>(std::lround(place.dt / place.tick_s)));
    for (const double mass : masses) {
      tool.mass = mass;
      for (const int latency : {1, tool.ticks_per_step}) {
        tool.latency_ticks = latency;
        if (!stickslip::is_stable(tool)) return false;
      }
    }
    return true;
  }

  /// As if all went at the pace of the simulation.
  bool is_absolutely_stable(double stiffness, double damping) const {
    const DeviceAxis device = mechanics_of(place.device);
    return stickslip::is_absolutely_stable(
        {device.mass, device.damping, std::max(place.dt, place.tick_s), stiffness, damping});
  }

  bool is_stable(double stiffness, double damping) const {
    const auto hands = known_hand_models();
    return std::all_of(hands.begin(), hands.end(), [&](const HandModel& hand) {
      return hand.is_clamped || (is_stable_against_wall(hand.translation, stiffness, damping) &&
                                 is_stable_with_body(hand.translation, stiffness, damping));
    });
  }
};

/// The stiffness up to which something holds of it and its damping; infinite where it always does.
template <class Predicate>
double largest(double tick_s, const Predicate& holds_for) {
  const auto holds = [&](double stiffness) {
    return holds_for(stiffness, damping_for(stiffness, tick_s));
  };
  // up until it does not, then halving
  double low = 0.0;
  double high = 1.0;
  while (holds(high)) {
    low = high;
    high *= 1.2;
    if (high > stiffest) return unknown;
  }
  while (high - low > 1e-3 * high) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

StiffnessLimits limits_of(const FeltAxis& axis) {
  const CouplingPlace& place = axis.place;
  StiffnessLimits limits;
  limits.absolute = largest(place.tick_s, [&](double stiffness, double damping) {
    return axis.is_absolutely_stable(stiffness, damping);
  });
  limits.against_wall = limits.with_body = unknown;
  for (const HandModel& hand : known_hand_models()) {
    if (hand.is_clamped) continue;
    const double wall = largest(place.tick_s, [&](double stiffness, double damping) {
      return axis.is_stable_against_wall(hand.translation, stiffness, damping);
    });
    const double body = largest(place.tick_s, [&](double stiffness, double damping) {
      return axis.is_stable_with_body(hand.translation, stiffness, damping);
    });
    if (std::min(wall, body) < limits.stable()) limits.hand = hand.name;
    limits.against_wall = std::min(limits.against_wall, wall);
    limits.with_body = std::min(limits.with_body, body);
  }
  const DeviceLimits& device = place.device;
  limits.ripple = device.resolution > 0.0 ? barely_felt / device.resolution : unknown;
  limits.of_device = device.stiffness > 0.0 ? device.stiffness : unknown;
  return limits;
}

/// What a stiffness in the world feels like at the handle, over itself.
double felt_share(const WorkspaceMap& map) {
  return map.motion_scale * map.force_scale;
}

double felt_turning(const WorkspaceMap& map) {
  return map.force_scale / squared_lever;
}

FeltAxis translation_of(const CouplingPlace& place) {
  const double share = felt_share(place.map);
  return {place, {share * place.held.lightest, share * place.held.heaviest}};
}

FeltAxis rotation_of(const CouplingPlace& place) {
  const double share = felt_turning(place.map);
  return {place, {share * place.held.least_inertia, share * place.held.largest_inertia}};
}

std::string text_of(double limit) {
  return std::isinf(limit) ? "any stiffness" : fmt::format("{:.4g} N/m", limit);
}

/// What is wrong with a stiffness, named by its key and unit; `felt` is what one of it feels like.
std::string warning_of(double stiffness, double damping, double felt, const FeltAxis& axis,
                       const StiffnessLimits& limits, std::string_view key, std::string_view unit) {
  if (!axis.is_stable(felt * stiffness, felt * damping)) {
    return fmt::format(
        "a coupling of {:.4g} {} with a damping of {:.4g} is unstable on this device with this "
        "body: at most {:.4g} {} with the damping that is chosen; lower {}, or leave it out",
        stiffness, unit, damping, limits.stable() / felt, unit, key);
  }
  if (felt * stiffness > 1.0001 * limits.recommended()) {
    return fmt::format(
        "a coupling of {:.4g} {} may be felt to rattle on this device: {:.4g} {} are recommended; "
        "lower {}, or leave it out",
        stiffness, unit, limits.recommended() / felt, unit, key);
  }
  return {};
}

}  // namespace

HeldMass held_mass(const RigidFrame& frame, const Grip& grip) {
  // inverse of what a push at the grip moves, if the body may turn under it
  const Mat3 arm = skew(grip.point);
  const Mat3 mobility = Mat3::Identity() / frame.mass() - arm * frame.inertia().inverse() * arm;
  const Mat3 about_grip = frame.inertia() - frame.mass() * arm * arm;
  const auto eigenvalues = [](const Mat3& matrix) {
    return Vec3(Eigen::SelfAdjointEigenSolver<Mat3>(matrix, Eigen::EigenvaluesOnly).eigenvalues());
  };
  return {.lightest = 1.0 / eigenvalues(mobility).maxCoeff(),
          .heaviest = frame.mass(),
          .least_inertia = eigenvalues(frame.inertia()).minCoeff(),
          .largest_inertia = eigenvalues(about_grip).maxCoeff()};
}

double StiffnessLimits::stable() const {
  return std::min(against_wall, with_body);
}

double StiffnessLimits::recommended() const {
  // the criterion of two ports knows nothing of answers that come late; eigenvalues do
  const double safe = absolute < stable() ? absolute : 0.0;
  return std::min({std::max(safe, stable_share * stable()), ripple, of_device});
}

CouplingLimits coupling_limits(const CouplingPlace& place) {
  return {limits_of(translation_of(place)), limits_of(rotation_of(place))};
}

CouplingGains choose_gains(const CouplingLimits& limits, const CouplingPlace& place) {
  const double stiffness = limits.translation.recommended() / felt_share(place.map);
  const double turning = limits.rotation.recommended() / felt_turning(place.map);
  return {.stiffness = stiffness,
          .damping = damping_for(stiffness, place.tick_s),
          .rotational_stiffness = turning,
          .rotational_damping = damping_for(turning, place.tick_s)};
}

GainReport report_gains(const CouplingGains& gains, const CouplingLimits& limits,
                        const CouplingPlace& place) {
  const StiffnessLimits& along = limits.translation;
  const double felt = gains.stiffness * felt_share(place.map);
  GainReport report;
  report.text = fmt::format(
      "coupling {:.4g} N/m, felt as {:.4g} N/m: {:.2g} of the largest stable in the worst hand "
      "({}), which is {} against a wall and {} with the body of {:.4g} kg free; in any hand, with "
      "any body, up to {}",
      gains.stiffness, felt, felt / along.stable(), along.hand, text_of(along.against_wall),
      text_of(along.with_body), place.held.heaviest, text_of(along.absolute));
  report.warning = warning_of(gains.stiffness, gains.damping, felt_share(place.map),
                              translation_of(place), along, "hand.stiffness", "N/m");
  // a torque that is not rendered cannot shake the hand
  if (report.warning.empty() && place.device.actuated_dofs == 6) {
    report.warning =
        warning_of(gains.rotational_stiffness, gains.rotational_damping, felt_turning(place.map),
                   rotation_of(place), limits.rotation, "hand.rotational_stiffness", "N m/rad");
  }
  return report;
}

}  // namespace stickslip
