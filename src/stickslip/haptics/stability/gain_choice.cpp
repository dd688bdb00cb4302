#include "stickslip/haptics/stability/gain_choice.hpp"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stickslip/haptics/loop/safety.hpp"
#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/haptics/stability/slew_stability.hpp"
#include "stickslip/haptics/stability/spring_stability.hpp"
#include "stickslip/haptics/stability/tool_stability.hpp"
#include "stickslip/haptics/stability/two_port.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

// so that the work is bounded
constexpr double most_delay_ticks = 12.0;
constexpr int most_ticks_per_step = 50;
/// Of devices that do not tell. [N s/m]
constexpr double least_damping = 0.1;
/// A step of the force that a hand barely feels. [N]
constexpr double barely_felt = 0.1;
constexpr double stable_share = 0.5;
/// No coupling is stiffer, and none softer that is of use. [N/m]
constexpr double stiffest = 1e6;
constexpr double softest = 1e-3;
constexpr double squared_lever = handle_lever * handle_lever;

/// One kind of axis of a coupling, as felt at the handle; rotation is felt at its lever.
struct FeltAxis {
  const CouplingPlace& place;
  std::array<double, 2> masses;     ///< of the body
  std::vector<DeviceAxis> devices;  ///< that it may be
  double delay_s = 0.0;
  bool is_slewed = false;  ///< there is a largest force

  FeltAxis(const CouplingPlace& at, double lightest, double heaviest, double peak)
      : place(at),
        masses{lightest, heaviest},
        devices(mechanics_of(at.device)),
        delay_s(at.worst_delay_s()),
        is_slewed(peak > 0.0 && std::isfinite(peak)) {}

  SampledSpring wall(const DeviceAxis& device, const HandAxis& hand, double stiffness,
                     double damping) const {
    return {.device = device,
            .hand = hand,
            .tick_s = place.tick_s,
            .delay_s = delay_s,
            .stiffness = stiffness,
            .damping = damping};
  }

  bool is_stable_against_wall(const HandAxis& hand, double stiffness, double damping) const {
    return std::all_of(devices.begin(), devices.end(), [&](const DeviceAxis& device) {
      return spectral_radius(wall(device, hand, stiffness, damping)) < 1.0;
    });
  }

  bool swing_dies_out(const HandAxis& hand, double stiffness, double damping) const {
    return std::all_of(devices.begin(), devices.end(), [&](const DeviceAxis& device) {
      return stickslip::swing_dies_out(
          {wall(device, hand, stiffness, damping), SafetyLimits::slew_s});
    });
  }

  bool is_stable_with_body(const HandAxis& hand, double stiffness, double damping) const {
    return std::all_of(devices.begin(), devices.end(), [&](const DeviceAxis& device) {
      return is_stable_with_body(device, hand, stiffness, damping);
    });
  }

  /// Whether the simulation answers at once or as late as it may.
  bool is_stable_with_body(const DeviceAxis& device, const HandAxis& hand, double stiffness,
                           double damping) const {
    CoupledTool tool{.device = device,
                     .hand = hand,
                     .tick_s = place.tick_s,
                     .mode = place.mode,
                     .stiffness = stiffness,
                     .damping = damping,
                     .delay_s = delay_s};
    const double ticks = std::clamp(place.dt / place.tick_s, 1.0, 1.0 * most_ticks_per_step);
    tool.ticks_per_step = static_cast<int>(std::lround(ticks));
    const int latencies = tool.ticks_per_step > 1 ? 2 : 1;
    const std::size_t bodies = masses[0] == masses[1] ? 1 : 2;
    for (std::size_t body = 0; body < bodies; ++body) {
      tool.mass = masses[body];
      for (int i = 0; i < latencies; ++i) {
        tool.latency_ticks = i == 0 ? 1 : tool.ticks_per_step;
        if (!stickslip::is_stable(tool)) return false;
      }
    }
    return true;
  }

  /// As if all went at the pace of the simulation; a delay is like a force that is held longer.
  bool is_absolutely_stable(double stiffness, double damping) const {
    const double pace = std::max(place.dt, place.tick_s) + 2.0 * delay_s;
    return std::all_of(devices.begin(), devices.end(), [&](const DeviceAxis& device) {
      return stickslip::is_absolutely_stable(
          {device.mass, device.damping, pace, stiffness, damping});
    });
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
double largest(const CouplingPlace& place, const Predicate& holds_for) {
  const auto holds = [&](double stiffness) {
    return holds_for(stiffness, place.damping_for(stiffness));
  };
  // up until it does not, then halving
  double low = 0.0;
  double high = 10.0;
  while (holds(high)) {
    low = high;
    high *= 1.3;
    if (high > stiffest) return unknown;
  }
  while (high - low > 1e-3 * high && high > softest) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

StiffnessLimits limits_of(const FeltAxis& axis) {
  const CouplingPlace& place = axis.place;
  StiffnessLimits limits;
  limits.absolute = largest(place, [&](double stiffness, double damping) {
    return axis.is_absolutely_stable(stiffness, damping);
  });
  limits.against_wall = limits.with_body = limits.in_swing = unknown;
  for (const HandModel& hand : known_hand_models()) {
    if (hand.is_clamped) continue;
    const double wall = largest(place, [&](double stiffness, double damping) {
      return axis.is_stable_against_wall(hand.translation, stiffness, damping);
    });
    const double body = largest(place, [&](double stiffness, double damping) {
      return axis.is_stable_with_body(hand.translation, stiffness, damping);
    });
    if (std::min(wall, body) < limits.stable()) limits.hand = hand.name;
    limits.against_wall = std::min(limits.against_wall, wall);
    limits.with_body = std::min(limits.with_body, body);
    // what nobody holds is thrown about anyway
    if (!axis.is_slewed || hand.translation.stiffness == 0.0) continue;
    limits.in_swing =
        std::min(limits.in_swing, largest(place, [&](double stiffness, double damping) {
                   return axis.swing_dies_out(hand.translation, stiffness, damping);
                 }));
  }
  // a device that does not tell its mass is taken for one of its class in all that it does not tell
  const DeviceLimits& device = place.device;
  const bool is_unknown = device.mass == 0.0;
  const DeviceClass& kind = class_of(device);
  const auto told = [&](double value, double usual) {
    return value == 0.0 && is_unknown ? usual : value;
  };
  const double resolution = told(device.resolution, kind.resolution);
  const double stiffness = told(device.stiffness, kind.stiffness);
  // the damping that a delay asks for makes more of a count
  const double felt_count = resolution * (1.0 + axis.delay_s / place.tick_s);
  limits.ripple = felt_count > 0.0 ? barely_felt / felt_count : unknown;
  limits.of_device = stiffness > 0.0 ? stiffness : unknown;
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
  return {place, share * place.held.lightest, share * place.held.heaviest, place.device.peak_force};
}

FeltAxis rotation_of(const CouplingPlace& place) {
  const double share = felt_turning(place.map);
  return {place, share * place.held.least_inertia, share * place.held.largest_inertia,
          place.device.peak_torque};
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

std::vector<DeviceAxis> mechanics_of(const DeviceLimits& device) {
  const DeviceClass& kind = class_of(device);
  DeviceAxis axis;
  axis.mass = device.mass;
  axis.damping = device.damping > 0.0 ? device.damping : least_damping;
  if (device.mass > 0.0) return {axis};
  std::vector<DeviceAxis> ends(2, axis);
  ends[0].mass = kind.lightest;
  ends[1].mass = kind.heaviest;
  return ends;
}

double CouplingPlace::worst_delay_s() const {
  const double waiting = link.rate_hz > 0.0 ? std::max(0.0, 1.0 / link.rate_hz - tick_s) : 0.0;
  return std::min(link.delay_s + link.jitter_s + waiting, most_delay_ticks * tick_s);
}

double CouplingPlace::damping_for(double stiffness) const {
  return stiffness * (tick_s + 2.0 * worst_delay_s());
}

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
  return std::min({std::max(safe, stable_share * stable()), in_swing, ripple, of_device, stiffest});
}

CouplingLimits coupling_limits(const CouplingPlace& place) {
  return {limits_of(translation_of(place)), limits_of(rotation_of(place))};
}

CouplingGains choose_gains(const CouplingLimits& limits, const CouplingPlace& place) {
  const double stiffness = limits.translation.recommended() / felt_share(place.map);
  const double turning = limits.rotation.recommended() / felt_turning(place.map);
  return {.stiffness = stiffness,
          .damping = place.damping_for(stiffness),
          .rotational_stiffness = turning,
          .rotational_damping = place.damping_for(turning)};
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
  if (place.worst_delay_s() > 0.0) {
    report.text += fmt::format(", by a link of {:.2g} ms and {:.2g} ms of jitter",
                               1e3 * place.link.delay_s, 1e3 * place.link.jitter_s);
  }
  if (place.device.mass == 0.0) {
    report.text += fmt::format("; its mass is not known: that of a {} device, {:g} to {:g} kg",
                               class_of(place.device).name, class_of(place.device).lightest,
                               class_of(place.device).heaviest);
  }
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
