#include "apps/cli/haptics_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "apps/json_values.hpp"
#include "stickslip/version.hpp"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string mode_name(RenderingMode mode) {
  return mode == RenderingMode::resolved ? "two-rate" : "plain";
}

double rate_hz(int ticks_per_step) {
  return std::round(1.0 / (ticks_per_step * bench_tick));
}

double rate_hz(const TrialSetup& setup) {
  return rate_hz(setup.ticks_per_step);
}

Json or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// What all tables begin with.
Json setup_json(const TrialSetup& setup) {
  return {{"device", setup.device.limits.name},
          {"hand", setup.hand.name},
          {"rendering", mode_name(setup.mode)},
          {"rate_hz", rate_hz(setup)},
          {"stiffness_N_m", setup.gains.stiffness}};
}

Json energy_json(const PortEnergy& energy) {
  return {{"energy_min_J", energy.least},
          {"energy_min_observed_J", energy.least_observed},
          {"removed_J", energy.removed},
          {"acting_share", energy.acting}};
}

Json hand_json(const HandFigures& hand) {
  Json json = setup_json(hand.setup);
  json["stable_N_m"] = hand.stable_still;
  json["stable_after_stall_N_m"] = or_null(hand.stable_after_stall);
  json["stable_swaying_N_m"] = or_null(hand.stable_swaying);
  json["hold_ripple_N"] = or_null(hand.hold.ripple);
  json["hold_amplitude_m"] = hand.hold.amplitude;
  json["step_at_update_N"] = hand.exercise.steps.at_updates;
  json["step_elsewhere_N"] = hand.exercise.steps.elsewhere;
  json["step_at_update_stalled_N"] = hand.stalled.steps.at_updates;
  json.update(energy_json(hand.exercise.energy));
  json["energy_min_stalled_J"] = hand.stalled.energy.least;
  return json;
}

Json fidelity_json(const FidelityFigures& figures) {
  Json json = setup_json(figures.setup);
  json.erase("hand");
  json["drag_N"] = figures.fidelity.drag;
  json["force_error"] = figures.fidelity.force_error;
  json["torque_error"] = figures.fidelity.torque_error;
  json["onset_ticks"] = figures.fidelity.onset_ticks;
  return json;
}

Json spring_json(const SpringFigures& spring) {
  return {{"device", spring.device},
          {"hand", spring.hand},
          {"simulated_N_m", spring.oracle.simulated},
          {"eigenvalue_N_m", spring.oracle.eigenvalue},
          {"difference", spring.oracle.difference()}};
}

Json endurance_json(const EnduranceFigures& figures) {
  const EnduranceResult& result = figures.result;
  Json json = setup_json(figures.setup);
  json["seconds"] = figures.seconds;
  json.update(energy_json(result.energy));
  json["removed_W"] = result.removed_power();
  json["force_max_N"] = result.force_max;
  json["touching_share"] = result.touching;
  json["stopped_ticks"] = result.stopped_ticks;
  json["contacts_max"] = result.steps.contacts().max;
  json["penetration_max_m"] = result.steps.penetration_max();
  json["counted_ticks"] = result.counted_ticks;
  json["minor_faults"] = result.of_ticks.minor_faults;
  json["major_faults"] = result.of_ticks.major_faults;
  json["preemptions"] = result.of_ticks.preemptions;
  json["simulation_minor_faults"] = result.of_steps.minor_faults;
  return json;
}

Json clock_json(const ClockFigures& clock) {
  const TickTimes& times = clock.report.ticks;
  return {{"kernel", clock.kernel},
          {"granted", clock.report.granted},
          {"ticks", times.ticks},
          {"missed_per_million", clock.missed_per_million},
          {"wake_us", times_json(times.wake_us)},
          {"compute_us", times_json(times.compute_us)},
          {"minor_faults", clock.load.minor_faults},
          {"major_faults", clock.load.major_faults},
          {"preemptions", clock.load.preemptions}};
}

bool has_first(const TouchFigures& touch) {
  return touch.first.peak_ratio > 0.0;
}

Json touch_json(const TouchFigures& touch) {
  return {{"floor", young_name(touch.setup.floor_young)},
          {"tool", young_name(touch.setup.tool_young)},
          {"rate_hz", rate_hz(touch.setup.ticks_per_step)},
          {"contact_force_N", touch.still.contact_force},
          {"felt_over_contact", touch.still.felt_over_contact},
          {"torque_error", touch.still.torque_error},
          {"ripple_N", touch.still.ripple},
          {"rms_against_1khz", touch.followed.rms},
          {"largest_against_1khz", touch.followed.largest},
          {"torque_rms_against_1khz", touch.followed.torque_rms},
          {"torque_largest_against_1khz", touch.followed.torque_largest},
          {"first_contact_delay_s", has_first(touch) ? Json(touch.first.delay_s) : Json()},
          {"first_contact_peak_ratio", has_first(touch) ? Json(touch.first.peak_ratio) : Json()}};
}

Json link_json(const LinkFigures& link) {
  return {{"delay_s", link.setup.device.delay_s},
          {"jitter_s", link.setup.device.jitter_s},
          {"stiffness_N_m", link.setup.gains.stiffness},
          {"damping_N_s_m", link.setup.gains.damping},
          {"worst_hand", link.setup.hand.name},
          {"hold_ripple_N", or_null(link.hold.ripple)},
          {"sway_ripple_N", or_null(link.swaying.ripple)},
          {"hold_amplitude_m", link.hold.amplitude}};
}

std::string bound_name(const AskedFigure& figure) {
  return figure.is_least ? "at least" : "at most";
}

Json asked_json(const AskedFigure& figure) {
  return {{"figure", figure.name},
          {"unit", figure.unit},
          {"bound", bound_name(figure)},
          {"asked", figure.asked},
          {"measured", or_null(figure.measured)},
          {"met", figure.is_met()}};
}

template <class Rows, class ToJson>
Json list_json(const Rows& rows, const ToJson& to_json) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(to_json(row));
  return list;
}

/// The figures of all hands, device by device, rendering by rendering, rate by rate.
std::vector<std::span<const HandFigures>> by_setup(const HapticsBench& bench) {
  const std::size_t count = known_hand_models().size();
  std::vector<std::span<const HandFigures>> groups;
  for (std::size_t i = 0; i + count <= bench.hands.size(); i += count) {
    groups.push_back(std::span(bench.hands).subspan(i, count));
  }
  return groups;
}

std::string stiffness_cell(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{}{:.2f}", value >= largest_bench_stiffness ? ">" : "", 1e-3 * value);
}

/// Stable stiffness, a line for each device, rendering and rate at which it was looked for, and a
/// column for each hand. [kN/m]
std::string stiffness_text(const HapticsBench& bench, double HandFigures::*stiffness) {
  std::string text = fmt::format("{:<10}{:<10}{:>6}", "device", "rendering", "Hz");
  for (const HandModel& hand : known_hand_models()) text += fmt::format("{:>9}", hand.name);
  text += "\n";
  for (const std::span<const HandFigures> hands : by_setup(bench)) {
    const TrialSetup& setup = hands.front().setup;
    std::string line = fmt::format("{:<10}{:<10}{:>6.0f}", setup.device.limits.name,
                                   mode_name(setup.mode), rate_hz(setup));
    bool has_any = false;
    for (const HandFigures& hand : hands) {
      line += fmt::format("{:>9}", stiffness_cell(hand.*stiffness));
      has_any |= !std::isnan(hand.*stiffness);
    }
    if (has_any) text += line + "\n";
  }
  return text;
}

/// The worst hand of each device, rendering and rate.
std::string exercise_text(const HapticsBench& bench) {
  std::string text =
      fmt::format("{:<10}{:<10}{:>6}{:>10}{:>10}{:>12}{:>11}{:>10}{:>12}\n", "device", "rendering",
                  "Hz", "step N", "stall N", "energy mJ", "removed mJ", "acts %", "swing um");
  for (const std::span<const HandFigures> hands : by_setup(bench)) {
    const TrialSetup& setup = hands.front().setup;
    double step = 0.0;
    double stall = 0.0;
    double least = 0.0;
    double removed = 0.0;
    double acting = 0.0;
    double amplitude = 0.0;
    for (const HandFigures& hand : hands) {
      step = std::max(step, hand.exercise.steps.at_updates);
      stall = std::max(stall, hand.stalled.steps.at_updates);
      least = std::min({least, hand.exercise.energy.least, hand.stalled.energy.least});
      removed = std::max(removed, hand.exercise.energy.removed);
      acting = std::max(acting, hand.exercise.energy.acting);
      amplitude = std::max(amplitude, hand.hold.amplitude);
    }
    text +=
        fmt::format("{:<10}{:<10}{:>6.0f}{:>10.3f}{:>10.3f}{:>12.4f}{:>11.4f}{:>10.3f}{:>12.2f}\n",
                    setup.device.limits.name, mode_name(setup.mode), rate_hz(setup), step, stall,
                    1e3 * least, 1e3 * removed, 100.0 * acting, 1e6 * amplitude);
  }
  return text;
}

std::string fidelity_text(const HapticsBench& bench) {
  std::string text = fmt::format("{:<10}{:<10}{:>6}{:>10}{:>12}{:>12}{:>13}\n", "device",
                                 "rendering", "Hz", "drag N", "force %", "torque %", "onset ticks");
  for (const FidelityFigures& figures : bench.fidelity) {
    const Fidelity& fidelity = figures.fidelity;
    text += fmt::format("{:<10}{:<10}{:>6.0f}{:>10.4f}{:>12.3f}{:>12.3f}{:>13}\n",
                        figures.setup.device.limits.name, mode_name(figures.setup.mode),
                        rate_hz(figures.setup), fidelity.drag, 100.0 * fidelity.force_error,
                        100.0 * fidelity.torque_error, fidelity.onset_ticks);
  }
  return text;
}

std::string touch_text(const HapticsBench& bench) {
  std::string text = fmt::format("{:<10}{:<10}{:>6}{:>10}{:>11}{:>9}{:>9}{:>10}{:>10}{:>11}{:>8}\n",
                                 "floor", "tool", "Hz", "felt %", "ripple mN", "rms %", "max %",
                                 "t. rms %", "t. max %", "first ms", "peak");
  for (const TouchFigures& touch : bench.touches) {
    text += fmt::format(
        "{:<10}{:<10}{:>6.0f}{:>10.3f}{:>11.4f}{:>9.2f}{:>9.2f}{:>10.2f}{:>10.2f}{}\n",
        young_name(touch.setup.floor_young), young_name(touch.setup.tool_young),
        rate_hz(touch.setup.ticks_per_step), 100 * touch.still.felt_over_contact,
        1e3 * touch.still.ripple, 100 * touch.followed.rms, 100 * touch.followed.largest,
        100 * touch.followed.torque_rms, 100 * touch.followed.torque_largest,
        has_first(touch)
            ? fmt::format("{:>11.1f}{:>8.2f}", 1e3 * touch.first.delay_s, touch.first.peak_ratio)
            : "");
  }
  return text;
}

std::string link_text(const HapticsBench& bench) {
  std::string text = fmt::format("{:>10}{:>11}{:>8}{:>9}  {:<10}{:>8}{:>8}\n", "delay ms",
                                 "jitter ms", "N/m", "N s/m", "hand", "hold N", "sway N");
  for (const LinkFigures& link : bench.links) {
    text += fmt::format("{:>10.1f}{:>11.1f}{:>8.0f}{:>9.2f}  {:<10}{:>8.3f}{:>8.3f}\n",
                        1e3 * link.setup.device.delay_s, 1e3 * link.setup.device.jitter_s,
                        link.setup.gains.stiffness, link.setup.gains.damping, link.setup.hand.name,
                        link.hold.ripple, link.swaying.ripple);
  }
  return text;
}

std::string endurance_text(const EnduranceFigures& figures) {
  const EnduranceResult& result = figures.result;
  return fmt::format(
      "{} in hand {}, {:.0f} Hz, {:g} min: energy at least {:.4f} mJ, removed {:.4f} mW, acting in "
      "{:.3f} % of the ticks; up to {:.1f} N, touching in {:.0f} %; {} ticks after the warm-up: {} "
      "minor and {} major page faults (simulation {}), preempted {} times\n",
      figures.setup.device.limits.name, figures.setup.hand.name, rate_hz(figures.setup),
      figures.seconds / 60.0, 1e3 * result.energy.least, 1e3 * result.removed_power(),
      100.0 * result.energy.acting, result.force_max, 100.0 * result.touching, result.counted_ticks,
      result.of_ticks.minor_faults, result.of_ticks.major_faults, result.of_steps.minor_faults,
      result.of_ticks.preemptions);
}

std::string clock_text(const ClockFigures& clock) {
  const TickTimes& times = clock.report.ticks;
  return fmt::format(
      "{}; {}\n{} ticks, {:.0f} missed per million; woken {:.1f} us late (p99 {:.1f}, max {:.1f}), "
      "computed {:.1f} us (p99 {:.1f}, max {:.1f}); {} page faults, preempted {} times\n",
      clock.kernel, clock.report.granted, times.ticks, clock.missed_per_million,
      times.wake_us.quantile(0.5), times.wake_us.quantile(0.99), times.wake_us.max(),
      times.compute_us.quantile(0.5), times.compute_us.quantile(0.99), times.compute_us.max(),
      clock.load.minor_faults + clock.load.major_faults, clock.load.preemptions);
}

bool has_any(const HapticsBench& bench, double HandFigures::*stiffness) {
  return std::any_of(bench.hands.begin(), bench.hands.end(),
                     [&](const HandFigures& hand) { return std::isfinite(hand.*stiffness); });
}

}  // namespace

std::string bench_text(const HapticsBench& bench) {
  std::string text = "largest stable stiffness in a still hold of 3 N, kN/m\n" +
                     stiffness_text(bench, &HandFigures::stable_still);
  if (has_any(bench, &HandFigures::stable_after_stall)) {
    text += "\nthe same after a stall of 500 ms\n" +
            stiffness_text(bench, &HandFigures::stable_after_stall);
  }
  if (has_any(bench, &HandFigures::stable_swaying)) {
    text += "\nthe same while the hand sways between 2 and 4 N\n" +
            stiffness_text(bench, &HandFigures::stable_swaying);
  }
  text +=
      "\ntaps and strokes, worst hand: force steps at updates, energy at the port, swing in a "
      "hold\n" +
      exercise_text(bench);
  text +=
      "\na clamped hand: drag in free space, errors of a press and a tilt, onset of a contact\n" +
      fidelity_text(bench);
  text += fmt::format("\na rendered spring without damping, N/m\n{:<10}{:<10}{:>12}{:>12}{:>12}\n",
                      "device", "hand", "simulated", "eigenvalue", "differ %");
  for (const SpringFigures& spring : bench.springs) {
    text += fmt::format("{:<10}{:<10}{:>12.1f}{:>12.1f}{:>12.3f}\n", spring.device, spring.hand,
                        spring.oracle.simulated, spring.oracle.eigenvalue,
                        100.0 * spring.oracle.difference());
  }
  text += "\nelastic bodies: felt over contact force when still, ripple; along a motion the " +
          std::string("difference from the scene stepped at 1 kHz, over the peak (t.: torque); ") +
          "delay and peak of a first contact at 0.5 m/s\n" + touch_text(bench);
  text += "\na phantom behind a link, with the gains chosen for it, in the worst hand\n" +
          link_text(bench);
  text += "\nrestless hands\n";
  for (const EnduranceFigures& figures : bench.endurance) text += endurance_text(figures);
  text += "\nby the clock\n" + clock_text(bench.clock);
  text += fmt::format("\n{:<50}{:>20}{:>14}\n", "asked", "", "measured");
  for (const AskedFigure& figure : asked_figures(bench)) {
    text += fmt::format("{:<50}{:>20}{:>14.4g} {:<4}{}\n", figure.name,
                        fmt::format("{} {:g}", bound_name(figure), figure.asked), figure.measured,
                        figure.unit, figure.is_met() ? "met" : "MISSED");
  }
  return text;
}

Json bench_json(const HapticsBench& bench) {
  const Json asked = list_json(asked_figures(bench), asked_json);
  const bool is_met = std::all_of(asked.begin(), asked.end(),
                                  [](const Json& figure) { return figure["met"].get<bool>(); });
  return {{"version", version},
          {"ok", is_met},
          {"asked", asked},
          {"hands", list_json(bench.hands, hand_json)},
          {"fidelity", list_json(bench.fidelity, fidelity_json)},
          {"springs", list_json(bench.springs, spring_json)},
          {"touches", list_json(bench.touches, touch_json)},
          {"links", list_json(bench.links, link_json)},
          {"endurance", list_json(bench.endurance, endurance_json)},
          {"clock", clock_json(bench.clock)}};
}

}  // namespace stickslip::cli
