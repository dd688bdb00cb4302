#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/end_signals.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/scene_progress.hpp"
#include "apps/json_values.hpp"
#include "stickslip/devices/device_spec.hpp"
#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/scene_runner.hpp"
#include "stickslip/studies/comparison.hpp"

namespace stickslip::cli {

namespace {

struct CompareOptions {
  std::string scene;
  std::vector<std::string> overrides;
  std::optional<double> at;
  ComparisonOptions comparison;
  bool json = false;
};

/// Ticks are counted here, and no hand may feel those.
void refuse_felt_devices(const Scene& scene) {
  for (const Hand& hand : scene.hands) {
    if (!needs_clock(parse_device_spec(hand.device))) continue;
    throw InputError(fmt::format(
        "compare: hand.{} has device '{}', which only `run` moves, by the clock; give it "
        "--set 'hand.{}.device=\"simulated\"'",
        hand.name, hand.device, hand.name));
  }
}

/// By counted ticks, in the hands of its operators where it has any.
SceneRunner runner_of(Scene& scene, State& state, StepData& data) {
  if (scene.hands.empty()) return {scene, state, data};
  refuse_felt_devices(scene);
  LoopOptions options;
  std::vector<HandSetup> setups;
  for (ReadyHand& hand : prepare_hands(scene, options.tick, options.rendering.mode)) {
    setups.push_back(std::move(hand.setup));
  }
  return {scene, state, data, std::move(setups), options};
}

/// The moment asked for, or else the first with the most loaded contacts of the run.
Moment find_moment(Scene& scene, std::optional<double> at, const std::atomic<bool>& ends) {
  const double end = at.value_or(scene.simulation.duration);
  const double wanted = std::round(end / scene.simulation.dt);
  if (wanted > 1e12) {
    throw InputError(fmt::format("{} s in steps of {} s are too many; take an earlier moment", end,
                                 scene.simulation.dt));
  }
  const std::int64_t steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
  State state = initial_state(scene);
  StepData data(scene);
  SceneRunner runner = runner_of(scene, state, data);
  Moment moment;
  int most = -1;
  ProgressBar bar(scene.name);
  std::int64_t k = 0;
  const auto after_step = [&](const StepReport& report) {
    ++k;
    if (at ? k == steps : report.loaded_contacts > most) {
      most = report.loaded_contacts;
      moment = freeze(state, data);
    }
    bar.show(static_cast<double>(k) / static_cast<double>(steps));
  };
  runner.run(steps, ends, {after_step, {}});
  return moment;
}

nlohmann::ordered_json report_json(const CompareOptions& options, const Scene& scene,
                                   const Moment& moment,
                                   const std::vector<ComparedMethod>& methods) {
  nlohmann::ordered_json json = {{"scene", options.scene},
                                 {"time_s", moment.state.time_s},
                                 {"dt_s", scene.simulation.dt},
                                 {"steps", options.comparison.steps},
                                 {"own_method", to_string(scene.simulation.contact_method)}};
  for (const ComparedMethod& method : methods) {
    nlohmann::ordered_json row = method_json(method);
    row["solve_ratio"] = method.solve_us / methods.front().solve_us;
    json["methods"].push_back(std::move(row));
  }
  return json;
}

/// A column of numbers of the table.
struct Column {
  std::string_view name;
  std::string_view unit;
  double (*value)(const ComparedMethod&);
};

constexpr std::array<Column, 11> columns = {{
    {"normal", "N", [](const ComparedMethod& m) { return m.normal_force_N; }},
    {"friction", "N", [](const ComparedMethod& m) { return m.friction_force_N; }},
    {"differ", "%", [](const ComparedMethod& m) { return m.difference_percent; }},
    {"penetrate", "m", [](const ComparedMethod& m) { return m.penetration_m; }},
    {"error", "of laws", [](const ComparedMethod& m) { return m.error; }},
    {"pull", "N", [](const ComparedMethod& m) { return m.laws.adhesion_N; }},
    {"off cone", "N", [](const ComparedMethod& m) { return m.laws.cone_excess_N; }},
    {"direction", "deg", [](const ComparedMethod& m) { return m.slip_angle_deg; }},
    {"stick", "drift m", [](const ComparedMethod& m) { return m.stick_drift_m; }},
    {"energy", "gain J", [](const ComparedMethod& m) { return m.energy_gain_J; }},
    {"solve", "us", [](const ComparedMethod& m) { return m.solve_us; }},
}};

std::string report_text(const CompareOptions& options, const Scene& scene, const Moment& moment,
                        const std::vector<ComparedMethod>& methods) {
  std::string text = fmt::format("{} at {:g} s, {} step(s) of {:g} s by each method\n{:<18}{:>8}",
                                 scene.name, moment.state.time_s, options.comparison.steps,
                                 scene.simulation.dt, "method", "contacts");
  for (const Column& column : columns) text += fmt::format("{:>10}", column.name);
  text += fmt::format("{:>10}\n{:<18}{:>8}", "time", "", "loaded");
  for (const Column& column : columns) text += fmt::format("{:>10}", column.unit);
  text += fmt::format("{:>10}\n", "/exact");
  for (const ComparedMethod& method : methods) {
    text += fmt::format("{:<18}{:>8}", method.name,
                        fmt::format("{}/{}", method.loaded_contacts, method.contacts));
    for (const Column& column : columns) text += fmt::format("{:>10.3g}", column.value(method));
    text += fmt::format("{:>10.3g}{}\n", method.solve_us / methods.front().solve_us,
                        !method.is_in_time     ? "  out of time"
                        : !method.is_converged ? "  not converged"
                                               : "");
  }
  return text;
}

std::vector<ComparedMethod> compare_all(const CompareOptions& options, const Scene& scene,
                                        const Moment& moment, const EndSignals& signals) {
  if (signals.wants_end()) return {};
  ComparisonOptions comparison = options.comparison;
  comparison.ends = &signals.wants_end();
  std::optional<ProgressBar> bar;
  comparison.progress = [&](const std::vector<ComparedMethod>& done, std::string_view next) {
    bar.reset();
    bar.emplace(fmt::format("{:<18}", next));
    bar->show(static_cast<double>(done.size()) / compared_methods);
  };
  return compare_methods(scene, moment, comparison);
}

void compare(const CompareOptions& options) {
  Scene scene = [&] {
    SceneProgress progress;
    SceneBuildOptions building;
    building.progress = progress.callback();
    return read_scene(options.scene, options.overrides, building);
  }();
  const EndSignals signals;
  const Moment moment = find_moment(scene, options.at, signals.wants_end());
  const std::vector<ComparedMethod> methods = compare_all(options, scene, moment, signals);
  if (methods.empty()) {
    fmt::print(stderr, "stickslip: ended by {} before anything was compared\n", signals.name());
    throw ExitCode{1};
  }
  if (options.json) {
    using Json = nlohmann::ordered_json;
    fmt::print("{}\n", report_json(options, scene, moment, methods)
                           .dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", report_text(options, scene, moment, methods));
  }
  std::fflush(stdout);
  const ComparedMethod& exact = methods.front();
  if (exact.loaded_contacts == 0) {
    fmt::print(stderr, "stickslip: nothing touches at {:g} s; choose another moment with --at\n",
               moment.state.time_s);
  }
  if (methods.size() < compared_methods) {
    fmt::print(stderr, "stickslip: ended by {} after {} of {} methods\n", signals.name(),
               methods.size(), compared_methods);
  }
  if (methods.size() < compared_methods || exact.loaded_contacts == 0 || !exact.is_converged) {
    throw ExitCode{1};
  }
}

}  // namespace

void add_compare_command(CLI::App& program) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand(
      "compare", "One step of a scene by every contact method, side by side");
  command->add_option("SCENE", options->scene, "Scene file (.toml)")->required();
  command
      ->add_option(
          "--at", options->at,
          "Moment to compare at [s], reached by the scene's own method (default: the first "
          "with the most loaded contacts of the run)")
      ->check(above_zero());
  command
      ->add_option("--steps", options->comparison.steps,
                   "Steps that each method takes from there (default 1); the last is told")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--limit", options->comparison.limit_s,
                   "Time that a method may take to solve a step [s] (default 10); it is stopped "
                   "there, and its row says so")
      ->check(above_zero());
  command
      ->add_option("--set", options->overrides,
                   "PATH=VALUE in place of the scene's own, e.g. simulation.penalty_stiffness=1e4; "
                   "may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->footer(
      "All methods start from the same moment and share all but the contact law. A penalty finds\n"
      "no overlap at a moment of an exact run and needs --steps to settle into its own.\n"
      "Ctrl-C, or SIGTERM, ends it with the methods that are done.\n"
      "Exit code 1: nothing touches at that moment, the exact method did not converge, or a "
      "signal\n"
      "came.\n"
      "Example: which methods hold a pad in stick?\n"
      "  stickslip compare scenes/press_and_slide.toml --at 0.6 --steps 50");
  command->callback([options] { compare(*options); });
}

}  // namespace stickslip::cli
