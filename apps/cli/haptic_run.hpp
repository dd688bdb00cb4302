#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/simulation/scene_runner.hpp"

namespace stickslip::cli {

/// By the clock all memory is locked: throws InputError where what a step needs for its contacts
/// would not fit.
void refuse_what_cannot_be_locked(const Scene& scene);

/// Runs a scene that somebody holds, and tells what the hands felt.
class HapticRun {
 public:
  /// Makes the devices; tells on standard error how stiff the couplings are.
  HapticRun(Scene& scene, double tick_s, RenderingMode mode);

  /// Whether a hand feels a device, so that it cannot run but by the clock.
  bool needs_clock() const;

  /// Steps the scene so often, by counted ticks or by the clock on the wall, unless `stop` becomes
  /// true, and calls after_step after each step. The devices are at zero force and gone afterwards.
  void run(const Scene& scene, State& state, StepData& data, std::int64_t steps, bool is_realtime,
           const std::atomic<bool>& stop, const std::function<void(const StepReport&)>& after_step);
  /// No hand was given anything although it ran by the clock.
  bool made_no_tick() const { return is_live_ && ticks_ == 0; }

  static std::string csv_header(const Scene& scene);
  std::string csv_row();  ///< at the end of a step
  nlohmann::ordered_json to_json(const Scene& scene) const;
  std::string to_text(const Scene& scene) const;
  void report_trouble() const;

 private:
  /// What a hand felt over the run.
  struct Felt {
    TickRecord last;
    double largest_force = 0.0;
    double least_energy = 0.0;
    std::int64_t controlled_ticks = 0;
    std::int64_t stopped_ticks = 0;  ///< by the last stage, after the start
  };
  void note(std::span<const TickRecord> records);

  LoopOptions options_;
  std::vector<ReadyHand> hands_;
  std::vector<std::string> device_names_;
  std::vector<std::string> link_troubles_;       ///< as the devices were left
  std::vector<Felt> felt_;                       ///< the loop's
  Newest<std::vector<TickRecord>> newest_tick_;  ///< from the loop to the steps
  std::int64_t ticks_ = 0;
  bool is_live_ = false;
  LiveReport live_;
};

}  // namespace stickslip::cli
