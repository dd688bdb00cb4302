#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip {

/// What is called while a scene runs.
struct RunEvents {
  std::function<void(const StepReport&)> after_step;
  /// With the times of the ticks before, which are counted by the clock alone. Whoever ticks calls
  /// it: by the clock the thread of the loop, whose rules it keeps.
  std::function<void(std::span<const TickRecord>, const TickTimes&)> after_tick;
};

/// How a run keeps to the clock on the wall.
struct Pace {
  double speed = 1.0;  ///< share of real time
  bool makes_up =
      false;  ///< for steps that ended late, by the next ones; else those have their time
};

/// Whatever runs a scene: it is stepped by itself, or ticked in somebody's hands until a step.
/// Scene, state and data must outlive this.
class SceneRunner {
 public:
  /// Nobody holds anything, whether or not the scene has hands.
  SceneRunner(const Scene& scene, State& state, StepData& data);
  /// One device for each hand of the scene; its loop ends with this.
  SceneRunner(const Scene& scene, State& state, StepData& data, std::vector<HandSetup> hands,
              const LoopOptions& options);

  static constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

  /// One step, in hands with the counted ticks up to it. Waits for no clock: not for a device that
  /// needs one.
  const StepReport& step(const RunEvents& events = {});

  /// So many of those, unless `stop` becomes true.
  void run(std::int64_t steps, const std::atomic<bool>& stop, const RunEvents& events);

  /// The same no faster than that; in hands at full speed with the loop in a thread of its own,
  /// and nothing made up for (run_live). Hands feel nothing afterwards.
  LiveReport run_by_clock(const Pace& pace, std::int64_t steps, const std::atomic<bool>& stop,
                          const RunEvents& events);

  /// Null: nobody holds it.
  HapticSession* session() { return session_ ? &*session_ : nullptr; }

 private:
  LiveReport run_paced(const Pace& pace, std::int64_t steps, const std::atomic<bool>& stop,
                       const RunEvents& events);

  const Scene& scene_;
  State& state_;
  StepData& data_;
  std::optional<HapticSession> session_;
  std::optional<TurnTaking> turns_;
  const TickTimes not_timed_;  ///< what is told of counted ticks
};

}  // namespace stickslip
