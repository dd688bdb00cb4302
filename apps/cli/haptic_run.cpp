#include "apps/cli/haptic_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "apps/cli/csv_columns.hpp"
#include "apps/cli/end_signals.hpp"
#include "apps/cli/vector_text.hpp"
#include "apps/json_values.hpp"
#include "stickslip/error.hpp"
#include "stickslip/haptics/loop/real_time.hpp"
#include "stickslip/simulation/step_memory.hpp"

namespace stickslip::cli {

void refuse_what_cannot_be_locked(const Scene& scene) {
  const std::string why = memory_to_lock_refused(bytes_for_contacts(scene));
  if (why.empty()) return;
  throw InputError(
      fmt::format("simulation.contact_budget = {}: {}", scene.simulation.contact_budget, why));
}

HapticRun::HapticRun(Scene& scene, double tick_s, RenderingMode mode)
    : hands_(prepare_hands(scene, tick_s, mode)),
      felt_(hands_.size()),
      newest_tick_(std::vector<TickRecord>(hands_.size())) {
  options_.tick = tick_s;
  options_.rendering.mode = mode;
  for (std::size_t h = 0; h < hands_.size(); ++h) {
    device_names_.push_back(hands_[h].setup.device->limits().name);
    fmt::print(stderr, "hand.{}: {}, {}\n", scene.hands[h].name, device_names_[h],
               hands_[h].gains.text);
    if (!hands_[h].gains.warning.empty()) {
      fmt::print(stderr, "stickslip: hand.{}: {}\n", scene.hands[h].name, hands_[h].gains.warning);
    }
  }
}

void HapticRun::note(std::span<const TickRecord> records) {
  ++ticks_;
  newest_tick_.draft().assign(records.begin(), records.end());
  newest_tick_.publish();
  for (std::size_t h = 0; h < records.size(); ++h) {
    Felt& felt = felt_[h];
    felt.last = records[h];
    felt.largest_force = std::max(felt.largest_force, records[h].wrench.head<3>().norm());
    felt.least_energy = std::min(felt.least_energy, records[h].energy);
    felt.controlled_ticks += records[h].is_controlled ? 1 : 0;
    felt.stopped_ticks +=
        records[h].safety == SafetyState::stalled || records[h].safety == SafetyState::latched ? 1
                                                                                               : 0;
  }
}

bool HapticRun::needs_clock() const {
  return std::any_of(hands_.begin(), hands_.end(),
                     [](const ReadyHand& hand) { return hand.setup.device->needs_clock(); });
}

void HapticRun::run(const Scene& scene, State& state, StepData& data, std::int64_t steps,
                    bool is_realtime, const std::atomic<bool>& stop,
                    const std::function<void(const StepReport&)>& after_step) {
  std::vector<HandSetup> setups;
  std::vector<const Device*> devices;
  // the runner has them alone, so that they end with it
  for (ReadyHand& hand : hands_) {
    setups.push_back(hand.setup);
    devices.push_back(hand.setup.device.get());
    hand.setup.device.reset();
  }
  is_live_ = is_realtime;
  std::optional<ForceIsOut> force_is_out;
  if (is_realtime) {
    force_is_out.emplace();
    options_ = loop_by_clock(options_.tick, options_.rendering.mode);
  }
  const RunEvents events = {
      after_step, [&](std::span<const TickRecord> records, const TickTimes&) { note(records); }};
  SceneRunner runner(scene, state, data, std::move(setups), options_);
  if (!is_realtime) return runner.run(steps, stop, events);
  live_ = runner.run_by_clock({}, steps, stop, events);
  for (std::size_t h = 0; h < devices.size(); ++h) {
    link_troubles_.push_back(link_trouble(hands_[h].link, devices[h]->link()));
  }
}

std::string HapticRun::csv_header(const Scene& scene) {
  std::string header;
  for (const Hand& hand : scene.hands) {
    const std::string column = fmt::format("hand.{}", hand.name);
    header += vector_columns(column + ".position", "m") + vector_columns(column + ".force", "N") +
              vector_columns(column + ".torque", "N_m");
    header += fmt::format(",hand.{}.energy_J", hand.name);
  }
  return header;
}

std::string HapticRun::csv_row() {
  newest_tick_.refresh();
  std::string row;
  for (std::size_t h = 0; h < felt_.size(); ++h) {
    const TickRecord& record = newest_tick_.value()[h];
    for (const double value : hands_[h].setup.map.to_world(record.device).position) {
      row += fmt::format(",{}", value);
    }
    for (const double value : record.wrench) row += fmt::format(",{}", value);
    row += fmt::format(",{}", record.energy);
  }
  return row;
}

nlohmann::ordered_json HapticRun::to_json(const Scene& scene) const {
  nlohmann::ordered_json json;
  for (std::size_t h = 0; h < felt_.size(); ++h) {
    const Felt& felt = felt_[h];
    json["hands"][scene.hands[h].name] = {
        {"device", device_names_[h]},
        {"position_m", vector_json(hands_[h].setup.map.to_world(felt.last.device).position)},
        {"force_N", vector_json(felt.last.wrench.head<3>())},
        {"torque_N_m", vector_json(felt.last.wrench.tail<3>())},
        {"force_max_N", felt.largest_force},
        {"energy_J", felt.last.energy},
        {"energy_min_J", felt.least_energy},
        {"removed_J", felt.last.removed},
        {"controlled_ticks", felt.controlled_ticks},
        {"stopped_ticks", felt.stopped_ticks},
        {"gain_scale", felt.last.gain_scale},
        {"stiffness_N_m", scene.hands[h].gains.stiffness}};
  }
  json["ticks"] = {{"tick_s", options_.tick}, {"count", ticks_}};
  if (is_live_) {
    json["ticks"]["missed"] = live_.ticks.missed;
    json["ticks"]["lost_s"] = live_.lost_s;
    json["ticks"]["wake_us"] = times_json(live_.ticks.wake_us);
    json["ticks"]["compute_us"] = times_json(live_.ticks.compute_us);
    json["ticks"]["granted"] = live_.granted;
  }
  return json;
}

std::string HapticRun::to_text(const Scene& scene) const {
  std::string text;
  for (std::size_t h = 0; h < felt_.size(); ++h) {
    const Felt& felt = felt_[h];
    text += fmt::format(
        "{:<16}felt {} N, at most {:.4g} N; energy put in {:.4g} J, at least {:.4g} J\n",
        "hand." + scene.hands[h].name, vector_text(felt.last.wrench.head<3>()), felt.largest_force,
        shown(felt.last.energy), shown(felt.least_energy));
  }
  if (is_live_) {
    const TickTimes& times = live_.ticks;
    text += fmt::format(
        "{:<16}{} of {:g} s, {} missed; woken {:.1f} us late (p99 {:.1f}, max {:.1f}), computed "
        "{:.1f} us (p99 {:.1f}, max {:.1f}); {}\n",
        "ticks", times.ticks, options_.tick, times.missed, times.wake_us.quantile(0.5),
        times.wake_us.quantile(0.99), times.wake_us.max(), times.compute_us.quantile(0.5),
        times.compute_us.quantile(0.99), times.compute_us.max(), live_.granted);
  }
  return text;
}

void HapticRun::report_trouble() const {
  for (const Felt& felt : felt_) {
    if (felt.stopped_ticks == 0) continue;
    fmt::print(stderr,
               "stickslip: {} of {} ticks gave no force: the device was lost or jumped, or the "
               "simulation did not keep up\n",
               felt.stopped_ticks, ticks_);
  }
  for (const Felt& felt : felt_) {
    if (felt.last.gain_scale >= 1.0) continue;
    fmt::print(
        stderr,
        "stickslip: the hand swung: forces were scaled down to {:.2g} of the coupling; lower "
        "hand.stiffness, or leave it out\n",
        felt.last.gain_scale);
  }
  for (const std::string& trouble : link_troubles_) {
    if (!trouble.empty()) fmt::print(stderr, "stickslip: {}\n", trouble);
  }
  if (is_live_ && live_.late_steps > 0) {
    fmt::print(stderr,
               "stickslip: {} steps ended later than real time; the scene lost {:.2g} s against "
               "the clock\n",
               live_.late_steps, live_.lost_s);
  }
  if (made_no_tick()) {
    fmt::print(stderr, "stickslip: no tick was made, so that no hand felt anything\n");
  }
}

}  // namespace stickslip::cli
