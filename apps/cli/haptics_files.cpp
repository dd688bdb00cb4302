#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "apps/cli/haptics_report.hpp"
#include "apps/plot/plot.hpp"
#include "stickslip/error.hpp"
#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Rows of the same keys as a table.
std::string to_csv(const Json& rows) {
  std::string text;
  if (rows.empty()) return text;
  for (const auto& [key, value] : rows.front().items()) {
    text += (text.empty() ? "" : ",") + key;
  }
  text += "\n";
  for (const Json& row : rows) {
    std::string line;
    bool is_first = true;
    for (const auto& [key, value] : row.items()) {
      if (!std::exchange(is_first, false)) line += ",";
      if (!value.is_null()) line += value.dump();
    }
    text += line + "\n";
  }
  return text;
}

/// One curve for each hand of a device and rendering, over the rate of the simulation.
template <class Value>
Plot over_rates(const HapticsBench& bench, const std::string& device, RenderingMode mode,
                const Value& value) {
  Plot plot;
  plot.x = {"rate of the simulation [Hz]", true, {50, 100, 333, 1000}};
  for (const HandModel& hand : known_hand_models()) {
    Series series{"hand: " + hand.name, {}, {}};
    for (const HandFigures& figures : bench.hands) {
      const TrialSetup& setup = figures.setup;
      if (setup.device.limits.name != device || setup.mode != mode) continue;
      if (setup.hand.name != hand.name) continue;
      series.x.push_back(std::round(1.0 / (setup.ticks_per_step * bench_tick)));
      series.y.push_back(value(figures));
    }
    if (!series.x.empty()) plot.series.push_back(series);
  }
  return plot;
}

void write_pictures(const std::filesystem::path& folder, const HapticsBench& bench) {
  for (const DeviceModel& device : known_device_models()) {
    const std::string& name = device.limits.name;
    Plot stiffness =
        over_rates(bench, name, RenderingMode::resolved,
                   [](const HandFigures& figures) { return 1e-3 * figures.stable_still; });
    if (stiffness.series.empty()) continue;
    stiffness.title = fmt::format("Largest stable stiffness, {}, two-rate loop", name);
    stiffness.y = {"stiffness [kN/m]", true};
    stiffness.levels = {1e-3 * asked_stiffness(name)};
    write_plot(folder / fmt::format("stiffness_{}.svg", name), stiffness);

    // both renderings in one picture, of one hand each
    Plot steps;
    steps.title = fmt::format("Force step at an update, {}", name);
    steps.x = stiffness.x;
    steps.y = {"largest force step [N]", true};
    steps.levels = {0.5};
    for (const RenderingMode mode : {RenderingMode::resolved, RenderingMode::plain}) {
      Plot of_mode = over_rates(bench, name, mode, [](const HandFigures& figures) {
        return figures.exercise.steps.at_updates;
      });
      for (Series& series : of_mode.series) {
        if (series.name != "hand: light" && series.name != "hand: medium" &&
            series.name != "hand: firm") {
          continue;
        }
        series.name += mode == RenderingMode::resolved ? ", two-rate" : ", plain";
        steps.series.push_back(series);
      }
    }
    write_plot(folder / fmt::format("force_steps_{}.svg", name), steps);
  }
}

}  // namespace

void write_bench(const std::filesystem::path& folder, const HapticsBench& bench) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw InputError(fmt::format("--out {}: {}; choose a folder that can be written",
                                 folder.string(), failure.message()));
  }
  const Json json = bench_json(bench);
  for (const char* table :
       {"asked", "hands", "fidelity", "springs", "touches", "links", "endurance"}) {
    write_file_atomically(folder / fmt::format("{}.csv", table), to_csv(json[table]));
  }
  write_pictures(folder, bench);
}

}  // namespace stickslip::cli
