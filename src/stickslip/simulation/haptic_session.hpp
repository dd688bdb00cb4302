#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/haptics/loop/haptic_loop.hpp"
#include "stickslip/haptics/loop/haptic_thread.hpp"
#include "stickslip/haptics/models/scene_time.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// A scene in somebody's hands: the simulation at its own pace, the haptic loop at its ticks. One
/// device for each hand of the scene. Scene, state and data must outlive this.
class HapticSession {
 public:
  HapticSession(const Scene& scene, State& state, StepData& data, std::vector<HandSetup> devices,
                const LoopOptions& options);

  /// Steps the scene with what the hands asked last, and prepares what the loop gets of it.
  StepReport step_scene();

  /// Hands the last step over to the loop.
  void publish() {
    if (is_prepared_) loop_.steps().publish();
    is_prepared_ = false;
  }

  /// Simulated operators live in the scene's time from now on, or else in that of the ticks. While
  /// nobody ticks.
  void let_operators_follow(bool scene);

  HapticLoop& loop() { return loop_; }
  const LoopOptions& options() const { return options_; }
  const Scene& scene() const { return scene_; }
  std::uint64_t steps() const { return steps_; }
  double scene_time_s() const { return scene_time_.time_s(); }  ///< since this began

 private:
  const Scene& scene_;
  LoopOptions options_;
  State& state_;
  StepData& data_;
  std::vector<std::shared_ptr<Device>> devices_;
  SceneTime scene_time_;
  HapticLoop loop_;
  std::uint64_t steps_ = 0;  ///< that were told to the loop
  std::int64_t steps_made_ = 0;
  double supplied_ = 0.0;
  bool is_prepared_ = false;
};

/// Both take turns in one thread, by a clock that counts ticks: the simulation steps at the first
/// tick at which its time has come, and its answer comes some ticks later, as if it took that long.
/// What devices and operators do is then repeatable to the bit. Not for a device that needs a
/// clock: ticks come as fast as they are called.
class TurnTaking {
 public:
  /// Throws InputError unless the answer comes within 1 tick and the whole ticks of a step.
  explicit TurnTaking(HapticSession& session, int latency_ticks = 1);

  /// One tick of the loop, and a step of the simulation where one is due. Where several belong to
  /// the last tick, the next of them instead.
  void tick();

  /// The simulation stands still for so many ticks.
  void stall(int ticks) { stalled_ticks_ = ticks; }

  double time_s() const { return static_cast<double>(ticks_) * session_.options().tick; }
  /// Of the step made in the last call; null: none was due.
  const StepReport* step_report() const { return has_stepped_ ? &report_ : nullptr; }

 private:
  bool is_step_due() const;  ///< at the last tick

  HapticSession& session_;
  double ticks_per_step_;  ///< may be broken
  int latency_ticks_;
  std::int64_t ticks_ = 0;
  double next_step_ = 0.0;  ///< in ticks
  std::int64_t publish_at_ = -1;
  int stalled_ticks_ = 0;
  bool has_stepped_ = false;
  StepReport report_;
};

/// What a run by the clock says about itself.
struct LiveReport {
  TickTimes ticks;
  std::string granted;  ///< by the system, to the loop and to the simulation
  std::int64_t late_steps = 0;
  double lost_s = 0.0;  ///< by which those have left the scene behind the clock
};

/// Both at their own pace by the clock on the wall: the loop in a thread of its own, the steps in
/// the calling one from the first tick on, until the scene has gone on by `seconds` or `stop`
/// becomes true. Steps that take longer than they last make it late; simulated operators then are
/// late as well. `after_step` is called after each step, `after_tick` after each tick in the loop's
/// thread, whose rules it keeps, with the times of the ticks before. However it ends, by an
/// exception of after_step too, the devices are left at zero force and nobody ticks.
LiveReport run_live(HapticSession& session, double seconds, const std::atomic<bool>& stop,
                    const std::function<void(const StepReport&)>& after_step = {},
                    const std::function<void(const TickTimes&)>& after_tick = {});

}  // namespace stickslip
