#include "stickslip/studies/haptics_bench.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/haptics/stability/gain_choice.hpp"

namespace stickslip {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t seed = 2006;
/// Of a tick by the clock, for the solves in it.
constexpr double deadline_share = 0.4;

struct Plan {
  std::vector<DeviceModel> devices;
  std::vector<RenderingMode> modes;
  std::vector<int> ticks_per_step;
  std::vector<double> youngs;  ///< of floors and tools [Pa]
  double endurance_s;
  double clock_s;
};

Plan make_plan(bool is_quick) {
  if (is_quick) {
    return {{find_device_model("phantom"), find_device_model("large")},
            {RenderingMode::resolved},
            {1, 20},
            {1e4, 1e7},
            60.0,
            1.0};
  }
  const auto devices = known_device_models();
  return {{devices.begin(), devices.end()},
          {RenderingMode::resolved, RenderingMode::plain},
          {1, 3, 10, 20},
          {1e4, 1e5, 1e6, 1e7, 1e8, 1e9},
          600.0,
          3.0};
}

HandFigures measure_hand(const TrialSetup& setup, bool is_quick) {
  const bool is_nobody = setup.hand.name == "none";
  const bool is_end_of_range = setup.ticks_per_step == 1 || setup.ticks_per_step == 20;
  HandFigures figures{setup, 0.0, unknown, unknown, {}, {}, {}};
  figures.stable_still = find_stable_stiffness(setup, HoldKind::still);
  if (!is_quick && !is_nobody) {
    figures.stable_after_stall = find_stable_stiffness(setup, HoldKind::after_stall);
  }
  if (is_end_of_range && (!is_quick || setup.hand.name == "light")) {
    figures.stable_swaying = find_stable_stiffness(setup, HoldKind::swaying);
  }
  figures.hold = tap_and_hold(setup, HoldKind::still);
  figures.exercise = exercise(setup, false);
  if (!is_nobody) figures.stalled = exercise(setup, true);
  return figures;
}

/// Rigid and elastic floors under rigid and elastic tools, at each rate.
template <class Show>
std::vector<TouchFigures> measure_touches(const Plan& plan, const Show& show) {
  constexpr double rigid = std::numeric_limits<double>::infinity();
  constexpr double fast_hand = 0.5;
  std::vector<std::pair<double, double>> pairs = {{rigid, rigid}};
  for (const double young : plan.youngs) {
    pairs.insert(pairs.end(), {{young, rigid}, {rigid, young}, {young, young}});
  }
  const RecordedMotion motion = record_touch();
  std::vector<TouchFigures> touches;
  for (const auto& [floor, tool] : pairs) {
    std::vector<Vec6> stepped;
    for (const int ticks_per_step : plan.ticks_per_step) {
      TouchSetup setup;
      setup.floor_young = floor;
      setup.tool_young = tool;
      setup.ticks_per_step = ticks_per_step;
      if (stepped.empty()) stepped = stepped_wrenches(setup, motion);
      touches.push_back(
          {setup, measure_still_touch(setup), measure_followed_touch(setup, motion, stepped), {}});
      if (std::isinf(tool)) touches.back().first = measure_first_touch(setup, fast_hand);
      show(static_cast<double>(touches.size()) /
           static_cast<double>(pairs.size() * plan.ticks_per_step.size()));
    }
  }
  return touches;
}

/// A phantom as one gets it: its peak, its motors' steps, and a link.
LinkFigures measure_link(double delay_s, double jitter_s) {
  TrialSetup setup{find_device_model("phantom"), {}, RenderingMode::resolved, 3, {}};
  setup.device.delay_s = delay_s;
  setup.device.jitter_s = jitter_s;
  setup.device.force_resolution = 0.005;
  setup.device.limits.peak_force = find_known_device("touch-x")->limits.peak_force;
  const Scene scene = make_tool_scene(setup.ticks_per_step * bench_tick, bench_gains(1.0));
  const CouplingPlace place{.device = setup.device.limits,
                            .map = {},
                            .held = held_mass(scene.bodies[1].body.frame(), {}),
                            .tick_s = bench_tick,
                            .dt = scene.simulation.dt,
                            .link = {delay_s, jitter_s, 1.0 / bench_tick}};
  setup.gains = choose_gains(coupling_limits(place), place);
  LinkFigures worst;
  double largest = -1.0;
  for (const HandModel& hand : known_hand_models()) {
    if (hand.name == "none") continue;
    setup.hand = hand;
    const LinkFigures figures{setup, tap_and_hold(setup, HoldKind::still),
                              tap_and_hold(setup, HoldKind::swaying)};
    const double ripple = std::max(figures.hold.ripple, figures.swaying.ripple);
    if (ripple <= largest) continue;
    largest = ripple;
    worst = figures;
  }
  return worst;
}

ClockFigures measure_clock(double seconds) {
  const CouplingGains gains = bench_gains(asked_stiffness("phantom"));
  const HandModel& hand = *find_hand_model("medium");
  const Scene scene = make_blade_scene(3.0 * bench_tick, gains);
  State state = initial_state(scene);
  StepData data(scene);
  HandSetup setup;
  setup.device = std::make_shared<SimulatedDevice>(
      find_device_model("phantom"),
      Operator{hand, restless_operator(hand, gains.stiffness, seconds, seed)});
  setup.starts_holding = true;
  LoopOptions options;
  options.tick = bench_tick;
  options.rendering.deadline_us = deadline_share * bench_tick * 1e6;
  HapticSession session(scene, state, data, {setup}, options);

  ClockFigures figures;
  SystemLoad before;
  std::int64_t ticks = 0;
  const std::atomic<bool> never = false;
  figures.report = run_live(session, seconds, never, {}, [&](const TickTimes&) {
    ++ticks;
    if (ticks == 100) before = system_load();
    if (ticks > 100 && ticks % 100 == 0) figures.load = system_load() - before;
  });
  const TickTimes& times = figures.report.ticks;
  figures.missed_per_million =
      1e6 * static_cast<double>(times.missed) / static_cast<double>(times.ticks + times.missed);
  utsname system{};
  if (uname(&system) == 0) {
    const std::string version = system.version;
    figures.kernel = std::string(system.sysname) + " " + system.release;
    figures.kernel += version.find("PREEMPT_RT") != std::string::npos ? ", real-time"
                      : version.find("PREEMPT") != std::string::npos  ? ", preemptible"
                                                                      : ", ordinary";
  }
  return figures;
}

}  // namespace

double asked_stiffness(const std::string& device) {
  return device == "large" ? 8e3 : 3e3;
}

double HapticsBench::worst_stiffness(const std::string& device, RenderingMode mode,
                                     int ticks_per_step) const {
  double worst = std::numeric_limits<double>::infinity();
  for (const HandFigures& figures : hands) {
    const TrialSetup& setup = figures.setup;
    if (setup.device.limits.name != device || setup.mode != mode) continue;
    if (setup.ticks_per_step == ticks_per_step) worst = std::min(worst, figures.stable_still);
  }
  return worst;
}

double HapticsBench::worst_swaying(const std::string& device, int ticks_per_step) const {
  double worst = std::numeric_limits<double>::infinity();
  for (const HandFigures& figures : hands) {
    const TrialSetup& setup = figures.setup;
    if (setup.device.limits.name != device || setup.mode != RenderingMode::resolved) continue;
    if (setup.ticks_per_step != ticks_per_step || setup.hand.name == "none") continue;
    if (!std::isnan(figures.stable_swaying)) worst = std::min(worst, figures.stable_swaying);
  }
  return worst;
}

HapticsBench run_haptics_bench(const HapticsBenchOptions& options) {
  const Plan plan = make_plan(options.is_quick);
  HapticsBench bench;
  const auto show = [&](double share) {
    if (options.progress) options.progress(share);
  };

  // each device in each hand, by each rendering at each rate
  constexpr double share_of_hands = 0.45;
  constexpr double share_of_touches = 0.4;
  const auto hands = known_hand_models();
  const double count = static_cast<double>(plan.devices.size() * plan.modes.size() *
                                           plan.ticks_per_step.size() * hands.size());
  for (const DeviceModel& device : plan.devices) {
    const CouplingGains gains = bench_gains(asked_stiffness(device.limits.name));
    for (const RenderingMode mode : plan.modes) {
      for (const int ticks_per_step : plan.ticks_per_step) {
        TrialSetup setup{device, {}, mode, ticks_per_step, gains};
        bench.fidelity.push_back({setup, measure_fidelity(setup)});
        for (const HandModel& hand : hands) {
          setup.hand = hand;
          bench.hands.push_back(measure_hand(setup, options.is_quick));
          show(share_of_hands * static_cast<double>(bench.hands.size()) / count);
        }
      }
    }
    for (const HandModel& hand : hands) {
      if (hand.is_clamped) continue;
      bench.springs.push_back({device.limits.name, hand.name, compare_with_spring(device, hand)});
    }
  }

  // elastic bodies, and links
  bench.touches =
      measure_touches(plan, [&](double share) { show(share_of_hands + share_of_touches * share); });
  for (const double delay_s : {0.0, 1e-3, 2e-3, 5e-3}) {
    for (const double jitter_s : {0.0, 1e-3})
      bench.links.push_back(measure_link(delay_s, jitter_s));
  }

  // a long time in restless hands
  std::vector<TrialSetup> setups = {{find_device_model("phantom"), *find_hand_model("medium"),
                                     RenderingMode::resolved, 3, bench_gains(3e3)}};
  if (!options.is_quick) {
    setups.push_back({find_device_model("large"), *find_hand_model("firm"), RenderingMode::resolved,
                      10, bench_gains(8e3)});
  }
  for (std::size_t i = 0; i < setups.size(); ++i) {
    const EnduranceResult result = endure(setups[i], plan.endurance_s, seed, [&](double share) {
      const double done = (static_cast<double>(i) + share) / static_cast<double>(setups.size());
      constexpr double before = share_of_hands + share_of_touches;
      show(before + (1.0 - before) * done);
    });
    bench.endurance.push_back({setups[i], plan.endurance_s, result});
  }

  // by the clock, last, since the loop's thread locks all memory where it may
  bench.clock = measure_clock(plan.clock_s);
  show(1.0);
  return bench;
}

namespace {

/// The worst of all touches.
void ask_touches(const HapticsBench& bench, std::vector<AskedFigure>& figures) {
  StillTouch still;
  FollowedTouch followed;
  double felt_error = 0.0;
  for (const TouchFigures& touch : bench.touches) {
    felt_error = std::max(felt_error, std::abs(touch.still.felt_over_contact - 1.0));
    still.torque_error = std::max(still.torque_error, touch.still.torque_error);
    still.ripple = std::max(still.ripple, touch.still.ripple);
    followed.rms = std::max(followed.rms, touch.followed.rms);
    followed.largest = std::max(followed.largest, touch.followed.largest);
    followed.torque_rms = std::max(followed.torque_rms, touch.followed.torque_rms);
    followed.torque_largest = std::max(followed.torque_largest, touch.followed.torque_largest);
  }
  figures.push_back({"still hand: felt against contact force", "%", false, 1.0, 100 * felt_error});
  figures.push_back(
      {"still hand: felt against contact torque", "%", false, 1.0, 100 * still.torque_error});
  figures.push_back({"still hand: ripple", "mN", false, 1.0, 1e3 * still.ripple});
  figures.push_back({"motion: force against 1 kHz, rms", "%", false, 3.0, 100 * followed.rms});
  figures.push_back(
      {"motion: force against 1 kHz, largest", "%", false, 10.0, 100 * followed.largest});
  figures.push_back(
      {"motion: torque against 1 kHz, rms", "%", false, 3.0, 100 * followed.torque_rms});
  figures.push_back(
      {"motion: torque against 1 kHz, largest", "%", false, 10.0, 100 * followed.torque_largest});
}

void ask_links(const HapticsBench& bench, std::vector<AskedFigure>& figures) {
  double ripple = 0.0;
  for (const LinkFigures& link : bench.links) {
    ripple = std::max({ripple, link.hold.ripple, link.swaying.ripple});
  }
  figures.push_back({"links of 0 to 5 ms, chosen gains: ripple", "N", false, 0.15, ripple});
}

}  // namespace

std::vector<AskedFigure> asked_figures(const HapticsBench& bench) {
  std::vector<AskedFigure> figures;
  for (const char* device : {"phantom", "large"}) {
    const double at_once = bench.worst_stiffness(device, RenderingMode::resolved, 1);
    const double seldom = bench.worst_stiffness(device, RenderingMode::resolved, 20);
    figures.push_back({std::string(device) + ", worst hand, 1 kHz: stable stiffness", "N/m", true,
                       asked_stiffness(device), at_once});
    figures.push_back({std::string(device) + ", 50 Hz instead of 1 kHz: stiffness lost", "%", false,
                       10.0, 100.0 * std::max(0.0, 1.0 - seldom / at_once)});
    figures.push_back({std::string(device) + ", worst hand, swaying: stable stiffness", "N/m", true,
                       asked_stiffness(device),
                       std::min(bench.worst_swaying(device, 1), bench.worst_swaying(device, 20))});
  }
  ask_touches(bench, figures);
  ask_links(bench, figures);
  double step = 0.0;
  for (const HandFigures& hand : bench.hands) {
    if (hand.setup.mode != RenderingMode::resolved) continue;
    step = std::max({step, hand.exercise.steps.at_updates, hand.stalled.steps.at_updates});
  }
  figures.push_back({"two-rate loop: force step at an update", "N", false, 0.5, step});
  double difference = 0.0;
  for (const SpringFigures& spring : bench.springs) {
    difference = std::max(difference, spring.oracle.difference());
  }
  figures.push_back(
      {"rendered spring: simulated against eigenvalues", "%", false, 2.0, 100.0 * difference});

  double least = 0.0;
  double power = 0.0;
  double acting = 0.0;
  std::int64_t faults = 0;
  for (const EnduranceFigures& long_run : bench.endurance) {
    const EnduranceResult& result = long_run.result;
    least = std::min(least, result.energy.least);
    power = std::max(power, result.removed_power());
    acting = std::max(acting, result.energy.acting);
    faults += result.of_ticks.minor_faults + result.of_ticks.major_faults;
  }
  figures.push_back({"restless hands: energy at the port", "mJ", true, -1.0, 1e3 * least});
  figures.push_back({"restless hands: removed by the controller", "mW", false, 1.0, 1e3 * power});
  figures.push_back({"restless hands: ticks it acts in", "%", false, 1.0, 100.0 * acting});
  figures.push_back(
      {"restless hands: page faults in ticks", "", false, 0.0, static_cast<double>(faults)});
  return figures;
}

}  // namespace stickslip
