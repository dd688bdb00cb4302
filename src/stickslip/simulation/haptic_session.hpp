#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stickslip/haptics/haptic_loop.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// A scene in somebody's hands: the simulation at its own pace, the haptic loop at its ticks.
///
/// Here both take turns in one thread, by a clock that counts ticks: the simulation steps once
/// every so many ticks, and its answer comes that much later as it would take. What devices and
/// operators do is then repeatable to the bit.
class HapticSession {
 public:
  /// One device for each hand of the scene. Steps are published `latency_ticks` after the input
  /// they used was read.
  HapticSession(const Scene& scene, std::vector<HandSetup> devices, const LoopOptions& options,
                int latency_ticks = 1);

  /// One tick of the loop, and a step of the simulation where one is due.
  void tick();

  /// The simulation stands still for so many ticks.
  void stall(int ticks) { stalled_ticks_ = ticks; }

  double time_s() const { return static_cast<double>(ticks_) * options_.tick; }
  bool has_stepped() const { return has_stepped_; }  ///< in the last tick
  HapticLoop& loop() { return loop_; }
  const State& state() const { return state_; }
  const StepData& data() const { return data_; }
  const Scene& scene() const { return scene_; }

 private:
  void step_simulation();

  const Scene& scene_;
  LoopOptions options_;
  State state_;
  StepData data_;
  HapticLoop loop_;
  int ticks_per_step_;
  int latency_ticks_;
  std::int64_t ticks_ = 0;
  std::int64_t next_step_ = 0;  ///< tick of it
  std::int64_t publish_at_ = -1;
  int stalled_ticks_ = 0;
  bool has_stepped_ = false;
  std::uint64_t steps_ = 0;
  double supplied_ = 0.0;
};

}  // namespace stickslip
